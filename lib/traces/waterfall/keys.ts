import type { TraceModel } from "./trace_model.ts";
import {
  close,
  goToFound,
  moveBy,
  open,
  panBy,
  stepIn,
  stepOut,
  type WaterfallState,
  wholeView,
  zoomBy,
  zoomTo,
} from "./waterfall_state.ts";

const EVERYTHING = Number.MAX_SAFE_INTEGER;
const ZOOM = 0.5;
const PAN = 0.25;

/** The part of a key press that matters. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
}

/**
 * What a key does while the waterfall has the focus.
 *
 * @param pageRows rows that are in sight at once
 * @returns the new state, or null when the key means nothing here
 */
export function pressed(
  { key, shiftKey }: Key,
  model: TraceModel,
  state: WaterfallState,
  pageRows: number,
): WaterfallState | null {
  switch (key) {
    case "ArrowDown":
      return moveBy(model, state, 1);
    case "ArrowUp":
      return moveBy(model, state, -1);
    case "ArrowRight":
      return shiftKey ? panBy(model, state, PAN) : stepIn(model, state);
    case "ArrowLeft":
      return shiftKey ? panBy(model, state, -PAN) : stepOut(model, state);
    case "PageDown":
      return moveBy(model, state, pageRows);
    case "PageUp":
      return moveBy(model, state, -pageRows);
    case "Home":
      return moveBy(model, state, -EVERYTHING);
    case "End":
      return moveBy(model, state, EVERYTHING);
    case "Enter":
    case " ":
      return open(model, state, state.active);
    case "Escape":
      return state.opened === null ? null : close(state);
    case "n":
      return goToFound(model, state, 1);
    case "N":
      return goToFound(model, state, -1);
    case "+":
    case "=":
      return zoomBy(model, state, ZOOM);
    case "-":
      return zoomBy(model, state, 1 / ZOOM);
    case "0":
      return zoomTo(model, state, wholeView(model));
    default:
      return null;
  }
}
