/** Made-up profiles: large, deep, recursive, with libraries and own code. */
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { flamePayload } from "@/lib/profiles/trees/flame_payload.ts";
import type { CallTree, DiffTree, Frame } from "@/lib/profiles/trees/stacks.ts";

const TYPE = { type: "cpu", unit: "nanoseconds" };
const PACKAGES = [
  "main",
  "net/http",
  "runtime",
  "encoding/json",
  "github.com/acme/shop/checkout",
  "github.com/acme/shop/prices",
  "github.com/jackc/pgx/v5/pgconn",
  "google.golang.org/grpc/internal/transport",
  "compress/flate",
];
const WORDS = ["Serve", "read", "Write", "flush", "decode", "Marshal", "scan", "grow", "lookup"];

/** The same numbers below 1 for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A list of functions; the first stands for the root. */
function frames(count: number): Frame[] {
  const random = randomNumbers(count);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
  const made = Array.from({ length: count }, (_, index): Frame => {
    const owner = pick(PACKAGES);
    return {
      name: `${owner}.(*${pick(WORDS)}er).${pick(WORDS)}${index}`,
      file: `/src/${owner}/${pick(WORDS).toLowerCase()}.go`,
      module: "shop",
      line: Math.floor(random() * 900) + 1,
      isInApp: owner === "main" || owner.includes("acme"),
    };
  });
  return [{ name: "", file: "", module: "", line: 0, isInApp: null }, ...made];
}

/** A tree of so many nodes, up to 90 levels deep, in which some functions call themselves. */
export function largeTree(nodes: number, seed = 7): CallTree {
  const random = randomNumbers(seed);
  const functions = frames(3_000);
  const parents = new Uint32Array(nodes);
  const nodeFrames = new Uint32Array(nodes);
  const selfs = new BigInt64Array(nodes);
  const depths = new Uint32Array(nodes);
  const siblings = new Set<string>();
  for (let node = 1; node < nodes; node++) {
    // Near the end of what there is: long branches rather than a bush.
    let parent = node < 12 ? 0 : Math.max(0, node - 1 - Math.floor(random() ** 3 * 400));
    if ((depths[parent] ?? 0) >= 90) parent = Math.floor(random() * 12);
    let frame = random() < 0.05 ? nodeFrames[parent] ?? 1 : 1 + Math.floor(random() * 3_000);
    while (frame === 0 || siblings.has(`${parent} ${frame}`)) frame = frame % 3_000 + 1;
    siblings.add(`${parent} ${frame}`);
    parents[node] = parent;
    nodeFrames[node] = frame;
    depths[node] = (depths[parent] ?? 0) + 1;
    selfs[node] = BigInt(Math.floor(random() ** 8 * 50_000_000) + 10_000);
  }
  return {
    type: TYPE,
    frames: functions,
    parents,
    nodeFrames,
    selfs,
    totals: totals(parents, selfs),
  };
}

/** The tree against itself with some functions slower, faster, new and gone. */
export function largeDiff(nodes: number): DiffTree {
  const tree = largeTree(nodes);
  const random = randomNumbers(3);
  const factors = tree.frames.map(() =>
    [100n, 100n, 60n, 150n, 0n][Math.floor(random() * 5)] ?? 100n
  );
  const baseSelfs = tree.selfs.map((self, node) =>
    self * (factors[tree.nodeFrames[node] ?? 0] ?? 100n) / 100n
  );
  return { ...tree, baseSelfs, baseTotals: totals(tree.parents, baseSelfs) };
}

/** All nodes of a tree as the browser gets them. */
export function wholePayload(tree: CallTree): FlameData {
  return flamePayload(tree, { maxNodes: 1_000_000, minShare: 0 });
}

/** A node of a small tree: what it spent itself, and what it calls. */
export interface Small {
  readonly [name: string]: number | Small;
}

/**
 * A small tree: `{ main: { self: 1, read: 3 } }`; `self` is what a node spent itself. Functions whose name begins with
 * `lib.` are not the application's own.
 */
export function smallData(tree: Small, base?: Small): FlameData {
  const names = [""];
  const out = { depths: [] as number[], nodeFrames: [] as number[] };
  const selfs: number[] = [];
  const totals: number[] = [];
  const baseSelfs: number[] = [];
  const baseTotals: number[] = [];
  const add = (name: string, node: Small, other: Small, depth: number) => {
    const place = names.indexOf(name);
    out.nodeFrames.push(place >= 0 ? place : names.push(name) - 1);
    out.depths.push(depth);
    selfs.push(selfOf(node));
    totals.push(totalOf(node));
    baseSelfs.push(selfOf(other));
    baseTotals.push(totalOf(other));
    const below = new Set([...Object.keys(node), ...Object.keys(other)]);
    below.delete("self");
    for (const child of below) add(child, nodeOf(node[child]), nodeOf(other[child]), depth + 1);
  };
  add("", tree, base ?? {}, 0);
  return {
    type: TYPE,
    frames: {
      names,
      files: ["", "/app/shop.ts"],
      fileOf: names.map((name) => name === "" ? 0 : 1),
      modules: ["", "shop"],
      moduleOf: names.map((name) => name === "" ? 0 : 1),
      lines: names.map((_, frame) => frame * 10),
      isInApp: names.map((name) => name === "" ? 2 : name.startsWith("lib.") ? 0 : 1),
    },
    ...out,
    selfs,
    totals,
    cut: [],
    ...(base && { base: { selfs: baseSelfs, totals: baseTotals } }),
  };
}

function nodeOf(value: number | Small | undefined): Small {
  return typeof value === "object" ? value : { self: value ?? 0 };
}

function selfOf({ self }: Small): number {
  return typeof self === "number" ? self : 0;
}

function totalOf(node: Small): number {
  return Object.entries(node).reduce(
    (sum, [name, value]) => sum + (name === "self" ? selfOf(node) : totalOf(nodeOf(value))),
    0,
  );
}

function totals(parents: Uint32Array, selfs: BigInt64Array): BigInt64Array {
  const sums = selfs.slice();
  for (let node = parents.length - 1; node > 0; node--) {
    const parent = parents[node] ?? 0;
    sums[parent] = (sums[parent] ?? 0n) + (sums[node] ?? 0n);
  }
  return sums;
}
