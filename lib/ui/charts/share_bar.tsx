import { type Message, t } from "../../core/language/translate.ts";
import { formatDuration, formatExactOf, formatPercent, NONE } from "../format.ts";
import { type ChartColor, colorNames } from "./chart_data.ts";
import { percent } from "./plot_frame.tsx";

export interface Share {
  readonly label: string;
  readonly value: number;
  /** @default the share's position */
  readonly color?: ChartColor;
}

interface ShareBarProps {
  readonly title: string;
  readonly shares: readonly Share[];
}

/** What a whole consists of, such as the time by category of span: one bar, and a legend with all figures. */
export function ShareBar({ title, shares }: ShareBarProps) {
  const total = shares.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  return (
    <figure class="min-w-0">
      <figcaption class="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <span class="font-semibold">{title}</span>
        <span class="text-meta text-muted tabular-nums">
          {total > 0
            ? t("{total} in all", { total: formatDuration(total) })
            : t("No data in this time")}
        </span>
      </figcaption>
      <Segments
        segments={shares.map(({ label, value, color }, index) => ({
          share: total > 0 ? Math.max(0, value) / total : 0,
          words: `${label}: ${formatDuration(value)}`,
          fill: colorNames(color, index).fill,
        }))}
      />
      {total > 0 && (
        <ul class="mt-1.5 flex flex-wrap gap-x-5 text-sm">
          {shares.map(({ label, value, color }, index) => (
            <li key={index} class="flex min-w-0 items-baseline gap-1.5">
              <svg width="10" height="10" class="shrink-0 self-center" aria-hidden="true">
                <rect width="10" height="10" rx="2" class={colorNames(color, index).fill} />
              </svg>
              <span class="min-w-0 truncate" title={label}>{label}</span>
              <span class="tabular-nums">{formatDuration(value)}</span>
              <span class="text-meta text-muted tabular-nums">
                {formatPercent(Math.max(0, value) / total)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

interface RatingBarProps {
  /** What is rated, as "LCP"; read out, not shown. */
  readonly label: string;
  readonly good: number;
  readonly needsImprovement: number;
  readonly poor: number;
  /** What is counted: a message with plurals, as `{n} visit|{n} visits`. */
  readonly unit: Message;
}

/** How many page loads were good, need improvement, or were poor: a bar with the words under it. */
export function RatingBar(props: RatingBarProps) {
  const { label, good, needsImprovement, poor, unit } = props;
  const total = good + needsImprovement + poor;
  const ratings = [
    { name: t("Good"), count: good, fill: "fill-ok-fill", ink: "text-ok" },
    {
      name: t("Needs improvement"),
      count: needsImprovement,
      fill: "fill-warning-fill",
      ink: "text-warning",
    },
    { name: t("Poor"), count: poor, fill: "fill-danger-fill", ink: "text-danger" },
  ];
  const shareOf = (count: number) => total > 0 ? count / total : 0;
  return (
    <div class="min-w-0" role="group" aria-label={`${label}: ${formatExactOf(total, unit)}`}>
      <Segments
        segments={ratings.map(({ name, count, fill }) => ({
          share: shareOf(count),
          words: `${name}: ${formatExactOf(count, unit)}`,
          fill,
        }))}
      />
      <ul class="mt-1 flex justify-between gap-x-3 text-meta">
        {ratings.map(({ name, count, ink }) => (
          <li key={name} class={ink} title={formatExactOf(count, unit)}>
            <span class="block">{name}</span>
            <span class="block tabular-nums">
              {total > 0 ? formatPercent(shareOf(count)) : NONE}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Segment {
  /** From 0 to 1. */
  readonly share: number;
  /** Shown on hover. */
  readonly words: string;
  /** Class that gives the colour. */
  readonly fill: string;
}

/**
 * A horizontal bar of segments with gaps between them, as wide as its box. The figures beside it say the
 * same in words, so that it is a picture only.
 */
export function Segments({ segments }: { segments: readonly Segment[] }) {
  let reached = 0;
  return (
    <svg aria-hidden="true" height="12" class="block w-full overflow-hidden rounded-sm bg-sunken">
      {segments.map(({ share, words, fill }, index) => {
        const from = reached;
        reached += share;
        return share > 0 && (
          <g key={index}>
            <title>{words}</title>
            <rect x={percent(from)} width={percent(share)} height="12" class={fill} />
            {from > 0 && (
              <line
                x1={percent(from)}
                x2={percent(from)}
                y2="12"
                stroke-width="1.5"
                class="stroke-surface"
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
