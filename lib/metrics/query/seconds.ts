import type { FigureSteps } from "./group_figures.ts";

/** A step that is not over is divided by what has passed of it once so many points of a series may be in it. */
const POINTS_ENOUGH = 4;

/**
 * How long a step is for rates, in seconds: of the one that is not over yet what has passed of it. Null when that is so
 * little that a rate would be chance.
 */
export function secondsOf(place: number, steps: FigureSteps): number | null {
  const beginMs = steps.startMs + place * steps.stepMs;
  const passedMs = steps.nowMs - beginMs;
  if (passedMs >= steps.stepMs) return steps.stepMs / 1_000;
  const isEnough = passedMs >= POINTS_ENOUGH * Math.max(steps.usualIntervalMs, 1_000);
  return isEnough ? passedMs / 1_000 : null;
}

/** How long the time is that is over, in seconds; at least a step. */
export function wholeSecondsOf({ startMs, endMs, stepMs, nowMs }: FigureSteps): number {
  return Math.max(Math.min(endMs, nowMs) - startMs, Math.min(stepMs, endMs - startMs)) / 1_000;
}

/** How many steps lie in the time that is over, with fractions. */
export function wholeStepsOf(steps: FigureSteps): number {
  return wholeSecondsOf(steps) * 1_000 / steps.stepMs;
}
