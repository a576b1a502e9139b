import { valueText } from "./words.ts";
import type { Palette } from "./palette.ts";
import { AXIS_PX, type Picture } from "./picture.ts";

const MIN_TICK_PX = 90;

/** Draws the axis of a chart in order of time above its rows. */
export function drawAxis(
  context: CanvasRenderingContext2D,
  { layout, view }: Picture,
  palette: Palette,
  width: number,
): void {
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, AXIS_PX);
  context.fillStyle = palette.muted;
  context.textBaseline = "middle";
  const length = view.end - view.start;
  const step = tickStep(length, Math.max(1, Math.floor(width / MIN_TICK_PX)));
  for (let at = Math.ceil(view.start / step) * step; at < view.end; at += step) {
    const x = Math.round((at - view.start) / length * width);
    context.fillRect(x, AXIS_PX - 5, 1, 4);
    context.fillText(valueText(layout.tree, Math.round(at)), x + 3, AXIS_PX / 2);
  }
}

/** The smallest of 1, 2, 5, 10 … of which no more than so many fit. */
export function tickStep(length: number, most: number): number {
  const least = length / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10;
  return factor * power;
}
