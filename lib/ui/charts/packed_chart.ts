/** The compact form in which a chart travels to the browser. */
import { dotsInReach } from "./axis.ts";
import { type ChartProps, type ChartSeries, isReal, visibleMarkers } from "./chart_data.ts";

/** A chart whose numbers are text: as an array, every number would cost the page twice its length. */
export interface PackedChart extends Omit<ChartProps, "times" | "series"> {
  readonly times: string;
  readonly series: readonly (Omit<ChartSeries, "values"> & { readonly values: string })[];
}

/** More digits than any screen has pixels. */
const DIGITS = 6;

/** The chart as an island's props; values keep six digits. Of the dots it has those that say how far the axis reaches. */
export function packChart({ dots = [], ...chart }: ChartProps): PackedChart {
  const byValue = dotsInReach({ ...chart, dots }).toSorted((a, b) => a.value - b.value);
  return {
    ...chart,
    ...byValue.length > 0 && { dots: [byValue[0], byValue.at(-1)].filter((dot) => !!dot) },
    markers: visibleMarkers(chart),
    times: chart.times.map((time, index) => time - (chart.times[index - 1] ?? 0)).join(),
    series: chart.series.map(({ values, ...series }) => ({
      ...series,
      values: values.map((value) => isReal(value) ? Number(value.toPrecision(DIGITS)) : "").join(),
    })),
  };
}

/** What {@linkcode packChart} has packed. */
export function unpackChart(packed: PackedChart): ChartProps {
  let time = 0;
  return {
    ...packed,
    times: cells(packed.times).map((step) => time += Number(step)),
    series: packed.series.map(({ values, ...series }) => ({
      ...series,
      values: cells(values).map((cell) => cell === "" ? null : Number(cell)),
    })),
  };
}

function cells(text: string): string[] {
  return text === "" ? [] : text.split(",");
}
