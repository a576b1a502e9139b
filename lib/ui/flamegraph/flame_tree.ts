/** What the values of a graph are, as `cpu` in `nanoseconds`. */
interface FlameType {
  readonly type: string;
  readonly unit: string;
}

/** What a browser gets to draw a flame graph: lists of equal length side by side, so that it stays small as JSON. */
export interface FlameData {
  readonly type: FlameType;
  readonly frames: FlameFrames;
  /**
   * Nodes from the root in depth-first order, siblings by their total, the largest first. Depth of each: 0 is the
   * root. The parent of a node is the last before it that is one level higher.
   */
  readonly depths: readonly number[];
  /** Place in `frames` of each node; the root's is 0. */
  readonly nodeFrames: readonly number[];
  readonly selfs: readonly number[];
  readonly totals: readonly number[];
  /** Nodes whose children are not all here, being too small to be seen: `[node, how many nodes are left out]`. */
  readonly cut: readonly (readonly [node: number, count: number])[];
  /** Values of what it is compared with. */
  readonly base?: { readonly selfs: readonly number[]; readonly totals: readonly number[] };
}

/** Functions; the first stands for the root. */
export interface FlameFrames {
  readonly names: readonly string[];
  /** Source files, each once, and the place of each function's among them. */
  readonly files: readonly string[];
  readonly fileOf: readonly number[];
  readonly modules: readonly string[];
  readonly moduleOf: readonly number[];
  readonly lines: readonly number[];
  /** 1: the application's own code, 0: a library's, 2: unknown. */
  readonly isInApp: readonly (0 | 1 | 2)[];
}

/** Functions in the making; each file and each module stands in it once. */
export class FrameColumns {
  readonly columns;
  readonly #files: Map<string, number>;
  readonly #modules: Map<string, number>;

  /** @param from those to begin with */
  constructor(from: FlameFrames | null = null) {
    this.columns = {
      names: [...from?.names ?? []],
      files: [...from?.files ?? []],
      fileOf: [...from?.fileOf ?? []],
      modules: [...from?.modules ?? []],
      moduleOf: [...from?.moduleOf ?? []],
      lines: [...from?.lines ?? []],
      isInApp: [...from?.isInApp ?? []],
    } satisfies FlameFrames;
    this.#files = new Map(this.columns.files.map((file, place) => [file, place]));
    this.#modules = new Map(this.columns.modules.map((module, place) => [module, place]));
  }

  /** @returns the place of the function; the same function added again has another one */
  add({ name, file, module, line, isInApp }: {
    readonly name: string;
    readonly file: string;
    readonly module: string;
    readonly line: number;
    readonly isInApp: 0 | 1 | 2;
  }): number {
    const { columns } = this;
    columns.fileOf.push(textPlace(columns.files, this.#files, file));
    columns.moduleOf.push(textPlace(columns.modules, this.#modules, module));
    columns.lines.push(line);
    columns.isInApp.push(isInApp);
    return columns.names.push(name) - 1;
  }
}

function textPlace(texts: string[], places: Map<string, number>, text: string): number {
  const place = places.get(text) ?? texts.push(text) - 1;
  places.set(text, place);
  return place;
}

/** The graph of no samples at all. */
export const NOTHING_DRAWN: FlameData = {
  type: { type: "", unit: "" },
  frames: new FrameColumns().columns,
  ...{ depths: [], nodeFrames: [], selfs: [], totals: [], cut: [] },
};

/** Whether a graph has no box to draw. */
export function hasNothing({ totals, base }: FlameData): boolean {
  return (totals[0] ?? 0) === 0 && (base?.totals[0] ?? 0) === 0 && totals.length <= 1;
}

/** A flame chart in order of time: each node with when it began, in the unit of the values. */
export interface FlameChart extends FlameData {
  readonly starts: readonly number[];
}

/** Values of one side of a tree. */
interface Side {
  readonly selfs: Float64Array;
  readonly totals: Float64Array;
}

/** {@linkcode FlameData} made ready to walk. Nodes are numbered in depth-first order; 0 is the root. */
export interface FlameTree extends Side {
  readonly type: FlameType;
  readonly frames: FlameFrames;
  readonly size: number;
  /** Number of levels, the root's included. */
  readonly levels: number;
  readonly depths: Uint16Array;
  /** The root's is -1. */
  readonly parents: Int32Array;
  /** The first node after all that are below a node: its next sibling, if it has one. */
  readonly ends: Uint32Array;
  readonly nodeFrames: Uint32Array;
  /** What it is compared with. */
  readonly base: Side | null;
  /** When each node began, for charts in order of time. */
  readonly starts: Float64Array | null;
  /** How many nodes below a node are left out, being too small. */
  readonly cut: ReadonlyMap<number, number>;
  /** Node of the tree as it came, before functions were hidden or recursion collapsed. */
  readonly originals: Uint32Array;
}

/** The columns from which a tree is made; lists of equal length. */
interface TreeColumns {
  readonly depths: ArrayLike<number>;
  readonly nodeFrames: ArrayLike<number>;
  readonly selfs: ArrayLike<number>;
  readonly totals: ArrayLike<number>;
  readonly base: { readonly selfs: ArrayLike<number>; readonly totals: ArrayLike<number> } | null;
  readonly starts: ArrayLike<number> | null;
  readonly cut: Iterable<readonly [node: number, count: number]>;
  /** @default each node is its own */
  readonly originals?: ArrayLike<number>;
}

/** A node as it is written: of which function, and made of which nodes of another tree. */
interface WrittenNode {
  readonly depth: number;
  readonly frame: number;
  /** What they spent themselves is its own. */
  readonly selfsOf: readonly number[];
  /** What they spent with all below. The first tells when it began. */
  readonly totalsOf: readonly number[];
}

/** Nodes in the making, depth first, out of those of other trees. */
export class NodeColumns {
  readonly depths: number[] = [];
  readonly nodeFrames: number[] = [];
  readonly selfs: number[] = [];
  readonly totals: number[] = [];
  readonly base: { selfs: number[]; totals: number[] } | null;
  readonly starts: number[] | null;
  readonly cut: [number, number][] = [];
  readonly originals: number[] = [];

  /** @param like whether it is a comparison, and whether it is in order of time */
  constructor({ base, starts }: Pick<FlameTree, "base" | "starts">) {
    this.base = base && { selfs: [], totals: [] };
    this.starts = starts && [];
  }

  add(
    { selfs, totals, base, starts, cut }: FlameTree,
    { depth, frame, selfsOf, totalsOf }: WrittenNode,
  ): void {
    const [first = 0] = totalsOf;
    const missing = sum(selfsOf, (node) => cut.get(node));
    if (missing > 0) this.cut.push([this.depths.length, missing]);
    this.depths.push(depth);
    this.nodeFrames.push(frame);
    this.originals.push(first);
    this.selfs.push(sum(selfsOf, (node) => selfs[node]));
    this.totals.push(sum(totalsOf, (node) => totals[node]));
    this.base?.selfs.push(sum(selfsOf, (node) => base?.selfs[node]));
    this.base?.totals.push(sum(totalsOf, (node) => base?.totals[node]));
    this.starts?.push(starts?.[first] ?? 0);
  }
}

/** Makes what came from the server ready to walk. */
export function flameTree(data: FlameData & { readonly starts?: readonly number[] }): FlameTree {
  return treeOf(data, { ...data, base: data.base ?? null, starts: data.starts ?? null });
}

/** Makes a tree of columns, with the type and the frames of another. */
export function treeOf(
  { type, frames }: { readonly type: FlameType; readonly frames: FlameFrames },
  columns: TreeColumns,
): FlameTree {
  const size = columns.depths.length;
  const depths = Uint16Array.from(columns.depths);
  const { parents, ends, levels } = relations(depths);
  return {
    type,
    frames,
    size,
    levels,
    depths,
    parents,
    ends,
    nodeFrames: Uint32Array.from(columns.nodeFrames),
    selfs: Float64Array.from(columns.selfs),
    totals: Float64Array.from(columns.totals),
    base: columns.base && {
      selfs: Float64Array.from(columns.base.selfs),
      totals: Float64Array.from(columns.base.totals),
    },
    starts: columns.starts && Float64Array.from(columns.starts),
    cut: new Map(columns.cut),
    originals: columns.originals
      ? Uint32Array.from(columns.originals)
      : Uint32Array.from({ length: size }, (_, node) => node),
  };
}

/** The nodes directly below a node, in their order. */
export function* childrenOf({ ends }: FlameTree, node: number): Generator<number> {
  const end = ends[node] ?? 0;
  for (let child = node + 1; child < end; child = ends[child] ?? end) yield child;
}

/** Whether one node is the other, or above it. */
export function isWithin({ ends }: FlameTree, node: number, top: number): boolean {
  return node >= top && node < (ends[top] ?? 0);
}

function relations(depths: Uint16Array) {
  const parents = new Int32Array(depths.length).fill(-1);
  const ends = new Uint32Array(depths.length).fill(depths.length);
  /** The last node of each level on the way down to the current one. */
  const path: number[] = [];
  let levels = 0;
  for (const [node, depth] of depths.entries()) {
    for (const closed of path.splice(depth)) ends[closed] = node;
    parents[node] = path.at(-1) ?? -1;
    path.push(node);
    levels = Math.max(levels, depth + 1);
  }
  return { parents, ends, levels };
}

/** How a tree is shown other than it came. */
interface Reshaping {
  /** Places of functions that are taken out of all stacks. */
  readonly hidden: ReadonlySet<number>;
  /** A function that calls itself directly is one box. */
  readonly collapsesRecursion: boolean;
}

interface Group {
  readonly frame: number;
  readonly depth: number;
  /** Nodes that become one; none is below another. */
  readonly sources: number[];
}

/**
 * Takes functions out of the stacks, or makes one box of direct recursion: what such a node spent itself counts for
 * the box above it, which also takes over the nodes below. Siblings of the same function become one, except in order
 * of time. All totals stay true.
 *
 * @returns the same tree when there is nothing to do
 */
export function reshaped(tree: FlameTree, reshaping: Reshaping): FlameTree {
  if (!reshaping.collapsesRecursion && reshaping.hidden.size === 0) return tree;
  const out = new NodeColumns(tree);
  const waiting: Group[] = [{ frame: tree.nodeFrames[0] ?? 0, depth: 0, sources: [0] }];
  for (let group = waiting.pop(); group; group = waiting.pop()) {
    const { taken, below } = gather(tree, group, reshaping);
    out.add(tree, { ...group, selfsOf: taken, totalsOf: group.sources });
    waiting.push(...below.reverse());
  }
  return treeOf(tree, out);
}

/** The nodes that a group takes in, those that are taken out below it among them, and the groups below in their order. */
function gather(tree: FlameTree, { frame, depth, sources }: Group, reshaping: Reshaping) {
  const { nodeFrames, starts, totals, base } = tree;
  const groups = new Map<number, Group>();
  const taken = [...sources];
  const visit = (node: number) => {
    const own = nodeFrames[node] ?? 0;
    const isTaken = reshaping.hidden.has(own) || (reshaping.collapsesRecursion && own === frame);
    if (isTaken) {
      taken.push(node);
      return true;
    }
    const key = starts === null ? own : node;
    const group = groups.get(key);
    if (group) group.sources.push(node);
    else groups.set(key, { frame: own, depth: depth + 1, sources: [node] });
    return false;
  };
  for (const source of sources) descend(tree, source, visit);
  const below = [...groups.values()];
  if (starts === null) {
    const weight = ({ sources }: Group) =>
      sum(sources, (node) => Math.max(totals[node] ?? 0, base?.totals[node] ?? 0));
    below.sort((a, b) => weight(b) - weight(a));
  }
  return { taken, below };
}

/** Visits the children of a node in their order, and those of each for which `visit` says so. */
function descend(tree: FlameTree, source: number, visit: (node: number) => boolean): void {
  const open = [childrenOf(tree, source)];
  for (let children = open.at(-1); children; children = open.at(-1)) {
    const { value: node } = children.next();
    if (typeof node !== "number") open.pop();
    else if (visit(node)) open.push(childrenOf(tree, node));
  }
}

function sum(nodes: readonly number[], valueOf: (node: number) => number | undefined): number {
  let total = 0;
  for (const node of nodes) total += valueOf(node) ?? 0;
  return total;
}
