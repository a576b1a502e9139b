/** Turning nodes into what a browser gets. */
import type { ValueType } from "../../formats/pprof/profile.ts";
import type { FlameData, FlameFrames } from "../../ui/flamegraph/flame_data.ts";
import { isInApp } from "./in_app.ts";
import type { Frame } from "./stack_profile.ts";

/** How much of a tree is sent. */
export interface FlameLimits {
  /** The heaviest ones are. 15,000 unless told: at most 300 KB when compressed. */
  readonly maxNodes?: number | undefined;
  /**
   * Share of the whole below which a node is left out. Unless told: 1/4000, the width of a large screen, or less where
   * only few are heavier.
   */
  readonly minShare?: number | undefined;
}

const MIN_SHARE = 1 / 4000;
/** Unless a share is asked for, so many are sent however light they are. */
const FEW_NODES = 1_000;

/** Nodes to choose from. */
export interface WeighedNodes {
  readonly parents: Uint32Array;
  /** Never more than of the node above. */
  readonly weights: Float64Array;
  /** Tells nodes of equal weight apart. */
  rankOf(node: number): number;
}

/** The nodes that are worth sending, the heaviest first, each after the one above it; always the root. */
export function heaviest(
  { parents, weights, rankOf }: WeighedNodes,
  { maxNodes = 15_000, minShare }: FlameLimits,
): number[] {
  const depths = depthsOf(parents);
  let least = (weights[0] ?? 0) * (minShare ?? MIN_SHARE);
  const few = minShare === undefined ? Math.min(FEW_NODES, weights.length) : 0;
  let nodes = notLighter(weights, least);
  // Thousands of equal children are all too small to be seen; some of them are needed to zoom to.
  while (nodes.length < few && least > 0) {
    least = least < 1 ? 0 : least / 4;
    nodes = notLighter(weights, least);
  }
  nodes.sort((a, b) =>
    (weights[b] as number) - (weights[a] as number) ||
    (depths[a] as number) - (depths[b] as number) || rankOf(a) - rankOf(b) || a - b
  );
  return nodes.slice(0, Math.max(1, maxNodes));
}

function notLighter(weights: Float64Array, least: number): number[] {
  const nodes: number[] = [0];
  for (let node = 1; node < weights.length; node++) {
    if ((weights[node] as number) >= least) nodes.push(node);
  }
  return nodes;
}

/** How many nodes below each of those that are kept are left out. */
export function cutBelow(parents: Uint32Array, kept: readonly number[]): Uint32Array {
  const isKept = new Uint8Array(parents.length);
  for (const node of kept) isKept[node] = 1;
  const nearest = new Uint32Array(parents.length);
  const cut = new Uint32Array(parents.length);
  for (let node = 0; node < parents.length; node++) {
    if (isKept[node]) {
      nearest[node] = node;
      continue;
    }
    const above = nearest[parents[node] as number] as number;
    nearest[node] = above;
    cut[above] = (cut[above] as number) + 1;
  }
  return cut;
}

/** Levels below the root of each node. */
export function depthsOf(parents: Uint32Array): Uint32Array {
  const depths = new Uint32Array(parents.length);
  for (let node = 1; node < parents.length; node++) {
    depths[node] = (depths[parents[node] as number] as number) + 1;
  }
  return depths;
}

/** What {@linkcode flameData} reads of a tree. */
export interface FlameSource {
  readonly type: ValueType;
  readonly frames: readonly Frame[];
  readonly parents: Uint32Array;
  readonly nodeFrames: Uint32Array;
  readonly selfs: BigInt64Array | Float64Array;
  readonly totals: BigInt64Array | Float64Array;
}

/**
 * The nodes of a tree as the browser gets them.
 *
 * @param order those that are sent, in depth-first order
 * @param platform for functions of which nobody says whether they are the application's own; without it they are unknown
 */
export function flameData(
  source: FlameSource,
  order: ArrayLike<number>,
  platform?: string,
): FlameData {
  const nodes = Array.from(order);
  const depths = depthsOf(source.parents);
  const cut = cutBelow(source.parents, nodes);
  const frames = new SentFrames(source.frames, platform);
  return {
    type: source.type,
    nodeFrames: nodes.map((node) => frames.place(source.nodeFrames[node] as number)),
    frames: frames.columns,
    depths: nodes.map((node) => depths[node] as number),
    selfs: nodes.map((node) => Number(source.selfs[node])),
    totals: nodes.map((node) => Number(source.totals[node])),
    cut: nodes.flatMap((node, place) => cut[node] ? [[place, cut[node] as number] as const] : []),
  };
}

/** The frames that are sent, numbered in the order in which they are asked for; the root's is the first. */
class SentFrames {
  readonly columns = {
    names: [] as string[],
    files: [] as string[],
    fileOf: [] as number[],
    modules: [] as string[],
    moduleOf: [] as number[],
    lines: [] as number[],
    isInApp: [] as (0 | 1 | 2)[],
  } satisfies FlameFrames;
  readonly #places = new Map<number, number>();
  readonly #files = new Map<string, number>();
  readonly #modules = new Map<string, number>();

  constructor(
    private readonly frames: readonly Frame[],
    private readonly platform: string | undefined,
  ) {
    this.place(0);
  }

  place(number: number): number {
    const known = this.#places.get(number);
    if (known !== undefined) return known;
    const frame = this.frames[number] as Frame;
    const { columns, platform } = this;
    const isOwn = platform === undefined ? frame.isInApp : isInApp(frame, platform);
    const place = columns.names.push(frame.name) - 1;
    columns.fileOf.push(placeOf(frame.file, columns.files, this.#files));
    columns.moduleOf.push(placeOf(frame.module, columns.modules, this.#modules));
    columns.lines.push(frame.line);
    columns.isInApp.push(isOwn === null ? 2 : isOwn ? 1 : 0);
    this.#places.set(number, place);
    return place;
  }
}

function placeOf(text: string, texts: string[], places: Map<string, number>): number {
  const place = places.get(text) ?? texts.push(text) - 1;
  places.set(text, place);
  return place;
}
