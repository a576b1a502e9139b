/** What each series of a chart looks like: outline and filling. */
import { type ChartProps, isReal } from "./chart_data.ts";
import { areaPath, type BarSpan, barsPath, linePath, type Projection } from "./geometry.ts";
import { stack } from "./value_range.ts";

/** Path data; null where the series has no such part. */
export interface SeriesShape {
  readonly line: string | null;
  readonly filling: string | null;
  /** Whether the filling lets the grid shine through. */
  readonly isSheer: boolean;
}

/** The shapes of all series of a chart, in their order. */
export function seriesShapes({ series }: ChartProps, projection: Projection): SeriesShape[] {
  const stacked = series.filter(({ kind }) => kind === "stacked");
  const barred = series.filter(({ kind }) => kind === "bars");
  const stackedSpans = stack(stacked);
  return series.map((one) => {
    switch (one.kind) {
      case "stacked":
        return filled(barsPath(stackedSpans[stacked.indexOf(one)] ?? [], projection));
      case "bars":
        return filled(
          barsPath(fromZero(one.values), projection, barred.indexOf(one), barred.length),
        );
      case "area":
        return {
          line: linePath(one.values, projection),
          filling: areaPath(one.values, projection),
          isSheer: true,
        };
      default:
        return { line: linePath(one.values, projection), filling: null, isSheer: false };
    }
  });
}

function filled(filling: string): SeriesShape {
  return { line: null, filling, isSheer: false };
}

function fromZero(values: readonly (number | null)[]): (BarSpan | null)[] {
  return values.map((value) => isReal(value) ? { from: 0, to: value } : null);
}
