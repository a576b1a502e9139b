import { minimapBins } from "./minimap.ts";
import type { TraceModel, TraceNode } from "./trace_model.ts";

/** Parts of the trace's time that the minimap tells apart. */
const BINS = 160;
const HEIGHT = 36;

export interface MinimapProps {
  readonly model: TraceModel;
  /** Number of a span's colour, 1 to 8. */
  readonly colourOf: (node: TraceNode) => number;
}

/** How busy the whole trace is over its time, and where something failed. Decoration: rows say the same. */
export function Minimap({ model, colourOf }: MinimapProps) {
  const { counts, most, failed } = minimapBins(model, BINS, colourOf);
  const below = new Float64Array(BINS);
  return (
    <svg
      class="trace-minimap-plot"
      viewBox={`0 0 ${BINS} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((bins, series) => {
        const path = columns(bins, below, most);
        return path && <path key={series} class={`trace-c${series + 1} trace-area`} d={path} />;
      })}
      {failed.length > 0 && (
        <path
          class="trace-area-failed"
          d={failed.map((bin) => `M${bin} 0h1v4h-1z`).join("")}
        />
      )}
    </svg>
  );
}

/** One colour's columns on top of those `below`, which grow by it; runs of one height are one column. */
function columns(bins: Float64Array, below: Float64Array, most: number): string {
  const scale = (HEIGHT - 5) / most;
  let path = "";
  for (let bin = 0; bin < bins.length;) {
    const count = bins[bin] ?? 0;
    const base = below[bin] ?? 0;
    let to = bin + 1;
    while (to < bins.length && bins[to] === count && below[to] === base) to++;
    if (count > 0) {
      const bottom = rounded(HEIGHT - base * scale);
      path += `M${bin} ${bottom}v${rounded(-count * scale)}h${to - bin}V${bottom}z`;
    }
    bin = to;
  }
  for (const [bin, count] of bins.entries()) below[bin] = (below[bin] ?? 0) + count;
  return path;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
