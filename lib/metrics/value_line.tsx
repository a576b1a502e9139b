import { linePath, type Values } from "../ui/charts/geometry.ts";
import { isReal } from "../ui/charts/chart_data.ts";

export interface ValueLineProps {
  readonly values: Values;
  /** Class of the line's colour. */
  readonly stroke: string;
  /** px @default 40 */
  readonly height?: number;
}

const WIDTH = 200;
/** So that the line's own width stays in the drawing. */
const MARGIN = 2;

/** The course of values without axes, from the least to the largest; as wide as its place. */
export function ValueLine({ values, stroke, height = 40 }: ValueLineProps) {
  const real = values.filter(isReal);
  const low = Math.min(...real);
  const span = Math.max(...real) - low;
  const width = WIDTH / Math.max(1, values.length);
  const path = linePath(values, {
    x: (bucket) => bucket * width,
    y: (value) =>
      span === 0 ? height / 2 : MARGIN + (1 - (value - low) / span) * (height - 2 * MARGIN),
    width,
    thin: 1,
  });
  return (
    <svg
      aria-hidden="true"
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      class="block w-full"
    >
      {real.length > 0 && (
        <path
          d={path}
          fill="none"
          class={stroke}
          stroke-width="1.5"
          vector-effect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
