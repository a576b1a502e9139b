import { useEffect } from "preact/hooks";
import { startBrush } from "../lib/ui/charts/live/brush_life.ts";

export interface HistogramBrushProps {
  /** Id of the histogram's figure, which stands in the page already. */
  readonly id: string;
  /** Path and query without `min` and `max`. */
  readonly href: string;
  /** Ends of its axis in ms. */
  readonly low: number;
  readonly high: number;
  /** Buckets as `from:to` in ms, joined by commas. */
  readonly edges: string;
}

/** Lets one choose a range of durations by dragging over a histogram. It draws nothing of its own. */
export default function HistogramBrush({ id, href, low, high, edges }: HistogramBrushProps) {
  useEffect(() => {
    const pairs = edges.split(",").map((pair): [number, number] => {
      const [from, to] = pair.split(":");
      return [Number(from), Number(to)];
    });
    return startBrush({ id, href, axis: { low, high }, edges: pairs }) ?? undefined;
  }, [id, href, low, high, edges]);
  return <span hidden />;
}
