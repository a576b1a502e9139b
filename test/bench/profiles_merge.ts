/**
 * What merging a thousand profiles of a service takes on one core, step by step, and what is done with the result. Run
 * with `deno run -A test/bench/profiles_merge.ts`.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { decodePprof } from "../../lib/formats/pprof/decode.ts";
import { PprofBuilder } from "../../lib/formats/pprof/encode.ts";
import { callTree } from "../../lib/profiles/trees/call_tree.ts";
import { diffTrees } from "../../lib/profiles/trees/diff_trees.ts";
import { flamePayload } from "../../lib/profiles/trees/flame_payload.ts";
import { packStacks, unpackStacks } from "../../lib/profiles/trees/pack_stacks.ts";
import { filtered, inverted, sandwich } from "../../lib/profiles/trees/reshape.ts";
import { StackBuilder } from "../../lib/profiles/trees/stack_builder.ts";
import type { StackProfile } from "../../lib/profiles/trees/stacks.ts";
import { topFunctions } from "../../lib/profiles/trees/top_functions.ts";

const PROFILES = 1_000;
const SAMPLES = 500;
const DEPTH = 30;
const FUNCTIONS = 400;
/** Different profiles; the others are the same bytes again, decoded anew. */
const DIFFERENT = 50;
const ROUNDS = 5;
const CPU = { type: "cpu", unit: "nanoseconds" };
const TYPES = [{ type: "samples", unit: "count" }, CPU];

let seed = 1;

function random(below: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 2 ** 32 * below);
}

/** Some functions are called much more than others. */
function skewed(below: number): number {
  return Math.min(random(below), random(below), random(below));
}

/** A profile of stacks that share their beginnings, as those of a server do. @returns gzip */
function profile(samples: number, depth: number, functions: number): Uint8Array {
  const builder = new PprofBuilder({
    sampleTypes: TYPES,
    timeNanos: 1_790_000_000_000_000_000n,
    durationNanos: 10_000_000_000n,
    periodType: CPU,
    period: 10_000_000n,
  });
  const mapping = builder.mapping("/usr/local/bin/shop");
  const locations = Array.from({ length: functions }, (_, index) => {
    const id = builder.function(
      `github.com/acme/shop/internal/part${index % 23}.(*Service).method${index}`,
      `/src/shop/internal/part${index % 23}/service.go`,
      { startLine: 10 + index },
    );
    return builder.location([{ function: id, line: 20 + index, column: 0 }], {
      mapping,
      address: BigInt(0x401000 + index * 64),
    });
  });
  for (let sample = 0; sample < samples; sample++) {
    const stack: number[] = [];
    let at = 0;
    for (let level = 0; level < depth - random(6); level++) {
      at = (at * 7 + 1 + skewed(4)) % functions;
      stack.unshift(locations[at] as number);
    }
    const count = BigInt(1 + random(3));
    builder.sample(stack, [count, count * 10_000_000n]);
  }
  return gzipSync(builder.toBytes());
}

function timed<T>(what: string, run: () => T, tell: (result: T) => string = () => ""): T {
  const start = performance.now();
  const result = run();
  const ms = performance.now() - start;
  console.log(`${what}: ${ms.toFixed(ms < 10 ? 1 : 0)} ms ${tell(result)}`);
  return result;
}

/** Reads profiles one after another, as a query does. */
function merged(profiles: readonly Uint8Array[]): StackProfile {
  const spent = { inflate: 0, decode: 0, merge: 0 };
  let last = performance.now();
  const lap = (step: keyof typeof spent) => {
    const now = performance.now();
    spent[step] += now - last;
    last = now;
  };
  const builder = new StackBuilder(TYPES);
  for (let at = 0; at < PROFILES; at++) {
    const raw = gunzipSync(profiles[at % DIFFERENT] ?? "");
    lap("inflate");
    const { profile } = decodePprof(raw);
    lap("decode");
    builder.add(profile);
    lap("merge");
  }
  const steps = Object.entries(spent).map(([step, ms]) => `${step} ${ms.toFixed(0)} ms`);
  console.log(`${PROFILES} profiles: ${steps.join(", ")}`);
  return timed("build", () => builder.build(), nodesOf);
}

function nodesOf({ parents }: StackProfile): string {
  return `(${parents.length.toLocaleString("en")} nodes)`;
}

function used(stacks: StackProfile): void {
  const bytes = timed("pack", () => packStacks(stacks), ({ length }) => `(${length} bytes)`);
  timed("unpack", () => unpackStacks(bytes));
  const tree = timed("call tree", () => callTree(stacks, CPU));
  timed("average of 3", () => callTree(stacks, CPU, 3n));
  timed("top functions", () => topFunctions(tree));
  timed(
    "inverted",
    () => inverted(tree),
    ({ parents }) => `(${parents.length.toLocaleString("en")} nodes)`,
  );
  timed("sandwich", () => sandwich(tree, ({ name }) => name.endsWith("method7")));
  timed("filtered", () => filtered(tree, { focus: ({ name }) => name.includes("part7") }));
  timed("diff", () => diffTrees(tree, tree, "total"));
  const payload = timed("payload", () => JSON.stringify(flamePayload(tree)));
  const diff = JSON.stringify(flamePayload(diffTrees(tree, tree, "total")));
  console.log(`payload: ${payload.length} bytes, ${gzipSync(payload).length} by gzip`);
  console.log(`payload of a comparison: ${diff.length} bytes, ${gzipSync(diff).length} by gzip`);
}

const profiles = Array.from({ length: DIFFERENT }, () => profile(SAMPLES, DEPTH, FUNCTIONS));
console.log(
  `${SAMPLES} samples of ${DEPTH} frames, ${FUNCTIONS} functions, ${profiles[0]?.length} bytes`,
);
for (let round = 1; round < ROUNDS; round++) merged(profiles);
used(merged(profiles));
console.log("one of 7,000 samples");
const large = new StackBuilder(TYPES);
large.add(decodePprof(gunzipSync(profile(7_000, DEPTH, 4_000))).profile);
used(timed("build", () => large.build(), nodesOf));
