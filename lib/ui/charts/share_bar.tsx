import { formatPercent } from "../format.ts";
import type { ChartUnit } from "./chart_data.ts";
import { type ChartColor, colorNames } from "./chart_color.ts";
import { Segments } from "./segments.tsx";
import { formatValue } from "./value_format.ts";

export interface Share {
  readonly label: string;
  readonly value: number;
  /** @default the share's position */
  readonly color?: ChartColor;
}

export interface ShareBarProps {
  readonly title: string;
  readonly shares: readonly Share[];
  /** @default "duration" */
  readonly unit?: ChartUnit;
}

/** What a whole consists of, such as the time by category of span: one bar, and a legend with all figures. */
export function ShareBar({ title, shares, unit = "duration" }: ShareBarProps) {
  const total = shares.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  return (
    <figure class="min-w-0">
      <figcaption class="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <span class="font-semibold">{title}</span>
        <span class="text-meta text-muted tabular-nums">
          {total > 0 ? `${formatValue(total, unit)} in all` : "No data in this time"}
        </span>
      </figcaption>
      <Segments
        segments={shares.map(({ label, value, color }, index) => ({
          share: total > 0 ? Math.max(0, value) / total : 0,
          words: `${label}: ${formatValue(value, unit)}`,
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
              <span class="tabular-nums">{formatValue(value, unit)}</span>
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
