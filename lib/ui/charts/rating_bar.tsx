import { formatExactOf, formatPercent, NONE } from "../format.ts";
import { Segments } from "./segments.tsx";

export interface RatingBarProps {
  /** What is rated, as "LCP"; read out, not shown. */
  readonly label: string;
  readonly good: number;
  readonly needsImprovement: number;
  readonly poor: number;
  /** Plural noun of what is counted. @default "page loads" */
  readonly unit?: string;
}

/** How many page loads were good, need improvement, or were poor: a bar with the words under it. */
export function RatingBar(props: RatingBarProps) {
  const { label, good, needsImprovement, poor, unit = "page loads" } = props;
  const total = good + needsImprovement + poor;
  const ratings = [
    { name: "Good", count: good, fill: "fill-ok-fill", ink: "text-ok" },
    {
      name: "Needs improvement",
      count: needsImprovement,
      fill: "fill-warning-fill",
      ink: "text-warning",
    },
    { name: "Poor", count: poor, fill: "fill-danger-fill", ink: "text-danger" },
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
