/** Graphs as files that other tools open: collapsed stacks, pprof, https://www.speedscope.app. */
import { bytesOf, nanosecondsOf } from "../../core/value_units.ts";
import { PprofBuilder, type PprofHead } from "../../formats/pprof/encode.ts";
import { type PprofProfile, SDK_COMMENT, type ValueType } from "../../formats/pprof/profile.ts";
import { preorder, sharedOut } from "../trees/call_tree.ts";
import { depthsOf } from "../trees/flame_payload.ts";
import { NO_STACK } from "../trees/stack_builder.ts";
import {
  type CallTree,
  type DiffTree,
  type Frame,
  type StackProfile,
  TREE_LIMITS,
} from "../trees/stacks.ts";
import { type OrderedThread, timeOrder } from "../trees/time_order.ts";
import { toSvg } from "./svg.ts";

/** What graphs are written as: the media type and the ending of the file. */
export const EXPORT_FILES = {
  pprof: { type: "application/octet-stream", ending: "pb.gz" },
  collapsed: { type: "text/plain; charset=utf-8", ending: "collapsed.txt" },
  speedscope: { type: "application/json", ending: "speedscope.json" },
  svg: { type: "image/svg+xml", ending: "svg" },
} as const;
export type ExportFormat = keyof typeof EXPORT_FILES;

/**
 * A tree as text in one of the formats that know one value only.
 *
 * @param title of what the graph shows
 * @throws {ExportTooLarge} when all stacks together are too much for a file
 */
export function writeTree(
  format: Exclude<ExportFormat, "pprof">,
  tree: CallTree | DiffTree,
  title: string,
): string {
  if (format === "svg") return toSvg(tree, title);
  return format === "collapsed" ? toCollapsed(tree) : toSpeedscope(tree, title);
}

/** Stacks with all values divided, for snapshots, which are looked at as their average. */
export function averaged(stacks: StackProfile, average: bigint): StackProfile {
  if (average === 1n) return stacks;
  return { ...stacks, selfs: stacks.selfs.map((column) => sharedOut(column, 1n, average)) };
}

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
  const { frames, threads } = timeOrder([profile], type);
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

/**
 * Stacks as lines of text, `main;handle;read 42`: the outermost function first, then the value. What other tools take
 * for the end of a name is written otherwise: `;` as `:`, the end of a line as a blank.
 *
 * @throws {ExportTooLarge} when it would be more than 64 MB
 */
export function toCollapsed(tree: CallTree, maxText: number = TREE_LIMITS.exportedText): string {
  const { parents, nodeFrames, selfs } = tree;
  boundedStacks(tree, (node) => selfs[node] !== 0n);
  const names = tree.frames.map(({ name }) => name.replaceAll(";", ":").replace(/[\r\n]+/g, " "));
  const depths = depthsOf(parents);
  const path: string[] = [];
  const lines: string[] = [];
  let length = 0;
  for (const node of preorder(parents)) {
    if (node === 0) continue;
    const depth = depths[node] as number;
    path.length = depth - 1;
    path.push(names[nodeFrames[node] as number] as string);
    const self = selfs[node] as bigint;
    if (self === 0n) continue;
    const line = `${path.join(";")} ${self}\n`;
    length += line.length;
    if (length > maxText) throw tooLarge(`${maxText.toLocaleString("en")} characters`);
    lines.push(line);
  }
  return lines.join("");
}

/** What the stacks themselves do not say. */
export type StackHead = Omit<PprofHead, "sampleTypes" | "durationNanos">;

/**
 * Stacks as a pprof with all their types, in plain protobuf. `go tool pprof` finds the same values in it; read back it
 * gives the same stacks.
 *
 * @throws {ExportTooLarge} when all stacks together have too many frames
 */
export function toPprof(stacks: StackProfile, head: StackHead): Uint8Array {
  const { types, frames, parents, nodeFrames, selfs, durationNanos } = stacks;
  const hasValues = (node: number) => selfs.some((column) => column[node] !== 0n);
  boundedStacks(stacks, hasValues);
  // Without it modules would be taken for paths of binaries, and nobody would know what is own code.
  const isMarked = frames.some(({ isInApp, module }) => isInApp !== null || /[/\\]/.test(module));
  const comments = new Set([...head.comments ?? [], ...(isMarked ? [SDK_COMMENT] : [])]);
  const builder = new PprofBuilder({
    ...head,
    sampleTypes: types,
    durationNanos,
    comments: [...comments],
  });
  const locations = frames.map((frame, place) =>
    place === 0 || frame.name === NO_STACK.name ? 0 : locationOf(builder, frame)
  );
  for (let node = 1; node < parents.length; node++) {
    if (!hasValues(node)) continue;
    const values = selfs.map((column) => column[node] as bigint);
    const stack: number[] = [];
    for (let at = node; at !== 0; at = parents[at] as number) {
      const location = locations[nodeFrames[at] as number] as number;
      // Samples without a stack have none again.
      if (location !== 0) stack.push(location);
    }
    builder.sample(stack, values);
  }
  return builder.toBytes();
}

function locationOf(builder: PprofBuilder, { name, file, module, line, isInApp }: Frame): number {
  const id = builder.function(name, file, { startLine: line });
  const buildId = isInApp === null ? "" : isInApp ? "app" : "library";
  const mapping = module === "" && buildId === "" ? 0 : builder.mapping(module, buildId);
  return builder.location([{ function: id, line, column: 0 }], { mapping });
}

/** A tree makes a larger file than is written. */
export class ExportTooLarge extends RangeError {
  override readonly name = "ExportTooLarge";
}

/**
 * Frames of all stacks together, which are what formats write that have no trees.
 *
 * @param isWritten whether a node has a stack of its own
 * @throws {ExportTooLarge} when there are too many
 */
export function boundedStacks(
  { parents }: Pick<CallTree, "parents">,
  isWritten: (node: number) => boolean,
  maxFrames: number = TREE_LIMITS.exportedFrames,
): void {
  const depths = depthsOf(parents);
  let frames = 0;
  for (let node = 1; node < depths.length; node++) {
    if (isWritten(node)) frames += depths[node] as number;
  }
  if (frames > maxFrames) throw tooLarge(`${maxFrames.toLocaleString("en")} frames`);
}

/** @param most what a file has at most */
function tooLarge(most: string): ExportTooLarge {
  return new ExportTooLarge(
    `All stacks together are too large for a file: it holds ${most}. Choose fewer profiles, or some functions`,
  );
}
