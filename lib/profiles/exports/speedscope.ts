/** Profiles as https://www.speedscope.app opens them. */
import type { PprofProfile, ValueType } from "../../formats/pprof/profile.ts";
import { nanosecondsOf } from "../../formats/pprof/units.ts";
import type { CallTree, Frame } from "../trees/stack_profile.ts";
import { type OrderedThread, timeOrder } from "../trees/time_order.ts";
import { boundedStacks } from "./export_size.ts";
import { bytesOf } from "../trees/value_units.ts";

const SCHEMA = "https://www.speedscope.app/file-format-schema.json";
const EXPORTER = "Watchpost";

interface Sampled {
  readonly type: "sampled";
  readonly name: string;
  readonly unit: "none" | "nanoseconds" | "bytes";
  readonly startValue: number;
  readonly endValue: number;
  /** Places of frames, the outermost first. */
  readonly samples: readonly (readonly number[])[];
  readonly weights: readonly number[];
}

/**
 * A tree as speedscope's JSON, in nanoseconds, bytes or counts. Values that are not above 0 are left out: speedscope
 * refuses the whole file for one.
 *
 * @throws {ExportTooLarge} when all stacks together have too many frames
 */
export function toSpeedscope(tree: CallTree, name: string): string {
  boundedStacks(tree, (node) => (tree.selfs[node] as bigint) > 0n);
  const { unit, times } = unitOf(tree.type.unit);
  const samples: number[][] = [];
  const weights: number[] = [];
  for (let node = 1; node < tree.parents.length; node++) {
    const self = tree.selfs[node] as bigint;
    if (self <= 0n) continue;
    samples.push(stackOf(tree, node));
    weights.push(Number(self * times));
  }
  const endValue = weights.reduce((sum, weight) => sum + weight, 0);
  const title = `${name} ${tree.type.type}`.trim();
  return written(name, tree.frames, [
    { type: "sampled", name: title, unit, startValue: 0, endValue, samples, weights },
  ]);
}

/**
 * A profile as it went, each thread on its own, for speedscope's view in order of time. Of a profile that does not tell
 * when its samples were taken nothing is in it.
 *
 * @param type see {@linkcode timeOrder}
 */
export function timeOrderSpeedscope(profile: PprofProfile, type: ValueType, name: string): string {
  const { frames, threads } = timeOrder(profile, type);
  return written(name, frames, threads.map((thread) => threadProfile(thread)));
}

function threadProfile({ id, name, samples }: OrderedThread): Sampled {
  const startValue = samples[0]?.start ?? 0;
  const stacks: number[][] = [];
  const weights: number[] = [];
  let end = startValue;
  const push = (stack: readonly number[], weight: number) => {
    if (weight <= 0) return;
    stacks.push([...stack]);
    weights.push(weight);
    end += weight;
  };
  for (const { start, duration, stack } of samples) {
    // Weights follow each other: time of which nothing is known is an empty stack.
    push([], start - end);
    push(Array.from(stack, (frame) => frame - 1), duration);
  }
  return {
    type: "sampled",
    name: name || (id === "" ? "all threads" : `thread ${id}`),
    unit: "nanoseconds",
    startValue,
    endValue: end,
    samples: stacks,
    weights,
  };
}

function written(name: string, frames: readonly Frame[], profiles: readonly Sampled[]): string {
  return JSON.stringify({
    $schema: SCHEMA,
    exporter: EXPORTER,
    name,
    activeProfileIndex: 0,
    shared: {
      frames: frames.slice(1).map(({ name, file, line }) => ({
        name,
        ...(file !== "" && { file }),
        ...(line > 0 && { line }),
      })),
    },
    profiles,
  });
}

function unitOf(unit: string): { unit: Sampled["unit"]; times: bigint } {
  const nanos = nanosecondsOf(unit);
  if (nanos !== null) return { unit: "nanoseconds", times: nanos };
  const bytes = bytesOf(unit);
  return bytes !== null ? { unit: "bytes", times: bytes } : { unit: "none", times: 1n };
}

/** The root, which is the first frame, is left out. */
function stackOf({ parents, nodeFrames }: CallTree, leaf: number): number[] {
  const stack: number[] = [];
  for (let node = leaf; node !== 0; node = parents[node] as number) {
    stack.push((nodeFrames[node] as number) - 1);
  }
  return stack.reverse();
}
