import type { ChartProps, ChartSeries } from "./chart_data.ts";
import { colorNames } from "./chart_color.ts";
import { summarize } from "./summary.ts";
import { formatValue } from "./value_format.ts";
import { isStacked } from "./value_range.ts";

/**
 * The series with their total or last value, and their average or what they are over the whole time. Script puts the values under the cursor
 * into `[data-chart-value]`.
 */
export function Legend({ series, unit }: Pick<ChartProps, "series" | "unit">) {
  return (
    <ul class="flex flex-wrap gap-x-5 text-sm">
      {series.map((one, index) => {
        const { whole } = one;
        const { word, main, average } = summarize(one.values, unit);
        return (
          <li key={index} class="flex min-w-0 max-w-full items-baseline gap-1.5">
            <Swatch series={one} position={index} />
            <span class="min-w-0 truncate" title={one.label}>{one.label}</span>
            <span class="chart-summary text-meta text-muted">{word}</span>
            <span data-chart-value={index} class="min-w-[7ch] tabular-nums">
              {formatValue(main, unit)}
            </span>
            <span
              class="text-meta whitespace-nowrap text-muted tabular-nums"
              title={whole === undefined ? "Mean over the buckets" : "Over the whole time"}
            >
              {whole === undefined
                ? `avg ${formatValue(average, unit)}`
                : `all ${formatValue(whole, unit)}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

export interface SwatchProps {
  readonly series: Pick<ChartSeries, "kind" | "color" | "isDashed">;
  /** Of the series, from 0. */
  readonly position: number;
}

/** A piece of line for lines, a box for bars. */
export function Swatch({ series, position }: SwatchProps) {
  const { fill, stroke } = colorNames(series.color, position);
  const isBox = series.kind === "bars" || isStacked(series);
  return (
    <svg width="12" height="10" class="shrink-0 self-center" aria-hidden="true">
      {isBox ? <rect x="1" width="10" height="10" rx="2" class={fill} /> : (
        <line
          x2="12"
          y1="5"
          y2="5"
          class={stroke}
          stroke-width="2.5"
          stroke-dasharray={series.isDashed ? "4 2" : undefined}
        />
      )}
    </svg>
  );
}
