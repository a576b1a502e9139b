/** Profiles and trees for tests, written as one writes stacks down. */
import fc from "fast-check";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { PprofBuilder, type PprofHead, type PprofLabel } from "@/lib/formats/pprof/encode.ts";
import type { PprofProfile, ValueType } from "@/lib/formats/pprof/profile.ts";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import type { CallTree, DiffTree, StackProfile } from "@/lib/profiles/trees/stacks.ts";

export const CPU: ValueType = { type: "cpu", unit: "nanoseconds" };
export const SAMPLES: ValueType = { type: "samples", unit: "count" };

export interface SampleLine {
  /** The outermost first, `;` between; a frame is `name` or `name@file`. */
  readonly stack: string;
  /** A single value, or one for each type. */
  readonly value: bigint | readonly bigint[];
  readonly labels?: readonly PprofLabel[];
}

/** A profile of samples. */
export function profileOf(
  lines: readonly SampleLine[],
  head: Partial<PprofHead> = {},
): PprofProfile {
  const builder = new PprofBuilder({
    sampleTypes: [CPU],
    timeNanos: 0n,
    durationNanos: 0n,
    ...head,
  });
  for (const { stack, value, labels } of lines) {
    const locations = framesOf(stack).map((frame) => {
      const [name = "", file = ""] = frame.split("@");
      const id = builder.function(name, file);
      return builder.location([{ function: id, line: 0, column: 0 }]);
    });
    builder.sample(locations.reverse(), typeof value === "bigint" ? [value] : value, labels);
  }
  return decodePprof(builder.toBytes()).profile;
}

function framesOf(stack: string): string[] {
  return stack === "" ? [] : stack.split(";");
}

/** Stacks of profiles added up. */
export function stacksOf(types: readonly ValueType[], ...profiles: PprofProfile[]): StackProfile {
  const builder = new StackBuilder(types);
  for (const profile of profiles) builder.add(profile);
  return builder.build();
}

/** The tree of lines as `main;read 42`. */
export function treeOf(...lines: string[]): CallTree {
  const profile = profileOf(lines.map((line) => {
    const blank = line.lastIndexOf(" ");
    return { stack: line.slice(0, blank), value: BigInt(line.slice(blank + 1)) };
  }));
  return callTree(stacksOf([CPU], profile), CPU);
}

/** What nodes have themselves, as sorted lines: the same for trees that differ in the order of their nodes only. */
export function linesOf(tree: CallTree, selfs: BigInt64Array = tree.selfs): string[] {
  const paths = pathsOf(tree);
  return paths.flatMap((path, node) => selfs[node] === 0n ? [] : [`${path} ${selfs[node]}`]).sort();
}

/** As {@linkcode linesOf}, with what nodes have together with those below. */
export function totalLines(tree: CallTree): string[] {
  return pathsOf(tree).map((path, node) => `${path} ${tree.totals[node]}`).sort();
}

/** Both values of a comparison, as `main;read before/after`. */
export function diffLines(tree: DiffTree): string[] {
  return pathsOf(tree)
    .map((path, node) => `${path} ${tree.baseSelfs[node]}/${tree.selfs[node]}`)
    .filter((line) => !line.endsWith(" 0/0"))
    .sort();
}

/** All values of all types by path; the same for the same stacks in any order. */
export function contentOf(stacks: StackProfile): Record<string, string> {
  const paths = pathsOf(stacks);
  return Object.fromEntries(
    paths.map((path, node) => [path, stacks.selfs.map((column) => column[node]).join(" ")] as const)
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}

function pathsOf(
  { frames, parents, nodeFrames }: Pick<CallTree, "frames" | "parents" | "nodeFrames">,
) {
  const paths: string[] = [];
  parents.forEach((parent, node) => {
    const frame = frames[nodeFrames[node] ?? 0];
    const name = frame?.file ? `${frame.name}@${frame.file}` : frame?.name ?? "";
    paths.push(node === 0 ? "" : parent === 0 ? name : `${paths[parent]};${name}`);
  });
  return paths;
}

const name = fc.constantFrom("a", "b", "c", "d", "e@x", "e@y");

/** Samples of few functions, so that they meet often and call themselves. */
export const sampleLines = fc.array(
  fc.record({
    stack: fc.array(name, { maxLength: 8 }).map((names) => names.join(";")),
    value: fc.bigInt({ min: 0n, max: 2n ** 56n }),
  }),
  { maxLength: 20 },
);

/** As {@linkcode sampleLines}, of both signs, as the growth of a heap has. */
export const signedLines = fc.array(
  fc.record({
    stack: fc.array(name, { maxLength: 8 }).map((names) => names.join(";")),
    value: fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }),
  }),
  { maxLength: 20 },
);

/** Trees of {@linkcode sampleLines}. */
export const trees = sampleLines.map((lines) => callTree(stacksOf([CPU], profileOf(lines)), CPU));
export const signedTrees = signedLines.map((lines) =>
  callTree(stacksOf([CPU], profileOf(lines)), CPU)
);
