/** What each series of a chart looks like: outline and filling. */
import { type ChartProps, isReal } from "./chart_data.ts";
import {
  areaPath,
  type BarSpan,
  barsPath,
  linePath,
  type Projection,
  spansPath,
} from "./geometry.ts";
import { isStacked, stack } from "./value_range.ts";

/** Path data; null where the series has no such part. */
export interface SeriesShape {
  readonly line: string | null;
  readonly filling: string | null;
  /** How much of the grid the filling covers, up to 1. */
  readonly opacity: number;
}

/** What lies in front of others lets them shine through. */
const SHEER = 0.16;
const STACKED = 0.4;

/** The shapes of all series of a chart, in their order. */
export function seriesShapes({ series }: ChartProps, projection: Projection): SeriesShape[] {
  const stacked = series.filter(isStacked);
  const barred = series.filter(({ kind }) => kind === "bars");
  const stackedSpans = stack(stacked);
  return series.map((one) => {
    const spans = stackedSpans[stacked.indexOf(one)] ?? [];
    switch (one.kind) {
      case "stacked":
        return filled(barsPath(spans, projection));
      case "stacked-area":
        return {
          line: linePath(spans.map((span) => span && span.to), projection),
          filling: spansPath(spans, projection),
          opacity: STACKED,
        };
      case "bars":
        return filled(
          barsPath(fromZero(one.values), projection, barred.indexOf(one), barred.length),
        );
      case "area":
        return {
          line: linePath(one.values, projection),
          filling: areaPath(one.values, projection),
          opacity: SHEER,
        };
      default:
        return { line: linePath(one.values, projection), filling: null, opacity: 1 };
    }
  });
}

function filled(filling: string): SeriesShape {
  return { line: null, filling, opacity: 1 };
}

function fromZero(values: readonly (number | null)[]): (BarSpan | null)[] {
  return values.map((value) => isReal(value) ? { from: 0, to: value } : null);
}
