import type { Random } from "../random.ts";

/** A function that is running, with what it calls. */
export interface Call {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** How often a profiler finds this very function running, compared with all others. */
  readonly self: number;
  readonly calls: readonly Call[];
}

/** A stack, and how often a profiler finds it. */
export interface WeightedStack {
  /** The outermost function first. */
  readonly frames: readonly Call[];
  readonly weight: number;
}

/** A {@linkcode Call}. */
export function call(
  name: string,
  file: string,
  line: number,
  self: number,
  ...calls: readonly Call[]
): Call {
  return { name, file, line, self, calls };
}

/** All stacks below some calls that are ever found. */
export function stacksOf(
  calls: readonly Call[],
  outer: readonly Call[] = [],
): readonly WeightedStack[] {
  return calls.flatMap((inner) => {
    const frames = [...outer, inner];
    const below = stacksOf(inner.calls, frames);
    return inner.self > 0 ? [{ frames, weight: inner.self }, ...below] : below;
  });
}

/** Looks so many times: how often each stack was found, without those that were not. */
export function sampled(
  stacks: readonly WeightedStack[],
  times: number,
  random: Random,
): ReadonlyMap<WeightedStack, number> {
  const total = stacks.reduce((sum, { weight }) => sum + weight, 0);
  const found = new Map<WeightedStack, number>();
  for (let time = 0; time < times; time++) {
    let left = random.next() * total;
    const stack = stacks.find(({ weight }) => (left -= weight) < 0);
    if (stack !== undefined) found.set(stack, (found.get(stack) ?? 0) + 1);
  }
  return found;
}
