import { formatExact, formatExactOf } from "../format.ts";

/** Width of one bar and its gap in the drawing's own units. */
const STEP = 4;
const HEIGHT = 20;

export interface SparklineProps {
  /** Counts per bucket, oldest first. */
  readonly counts: readonly number[];
  /** What is counted and over which time, as "errors in the last 24 hours". */
  readonly label: string;
}

/** Small bars without axes; total and peak are read out and shown on hover. */
export function Sparkline({ counts, label }: SparklineProps) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const peak = Math.max(1, ...counts);
  const words = formatExactOf(total, label) +
    (total > 0 ? `, at most ${formatExact(peak)} in one bar` : "");
  return (
    <svg
      role="img"
      aria-label={words}
      width={counts.length * STEP}
      height={HEIGHT}
      viewBox={`0 0 ${counts.length * STEP} ${HEIGHT}`}
      class="inline-block align-middle"
    >
      <title>{words}</title>
      <rect y={HEIGHT - 1} width={counts.length * STEP} height="1" class="fill-line" />
      {counts.map((count, index) => {
        if (count <= 0) return null;
        // A single event among thousands still shows.
        const height = Math.max(2, (count / peak) * HEIGHT);
        return (
          <rect
            key={index}
            x={index * STEP + 0.5}
            y={HEIGHT - height}
            width={STEP - 1}
            height={height}
            class="fill-series-1"
          />
        );
      })}
    </svg>
  );
}
