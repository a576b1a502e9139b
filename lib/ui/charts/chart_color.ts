/** The colours of series: tokens of the style sheet, never colours themselves, so that both themes work. */
export type ChartColor = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | "danger" | "muted";

interface ColorNames {
  /** Custom property that holds the colour. */
  readonly property: string;
  readonly fill: string;
  readonly stroke: string;
}

// Whole class names, because Tailwind looks for them in the source.
const COLORS: Readonly<Record<ChartColor, ColorNames>> = {
  1: { property: "--series-1", fill: "fill-series-1", stroke: "stroke-series-1" },
  2: { property: "--series-2", fill: "fill-series-2", stroke: "stroke-series-2" },
  3: { property: "--series-3", fill: "fill-series-3", stroke: "stroke-series-3" },
  4: { property: "--series-4", fill: "fill-series-4", stroke: "stroke-series-4" },
  5: { property: "--series-5", fill: "fill-series-5", stroke: "stroke-series-5" },
  6: { property: "--series-6", fill: "fill-series-6", stroke: "stroke-series-6" },
  7: { property: "--series-7", fill: "fill-series-7", stroke: "stroke-series-7" },
  8: { property: "--series-8", fill: "fill-series-8", stroke: "stroke-series-8" },
  danger: { property: "--danger-fill", fill: "fill-danger-fill", stroke: "stroke-danger-fill" },
  muted: { property: "--line-strong", fill: "fill-line-strong", stroke: "stroke-line-strong" },
};

const CYCLE = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** The names of a colour; without one, that of the series' position counted from 0. */
export function colorNames(color: ChartColor | undefined, position: number): ColorNames {
  return COLORS[color ?? CYCLE[position % CYCLE.length] ?? 1];
}
