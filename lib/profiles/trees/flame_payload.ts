import type { ValueType } from "../../formats/pprof/profile.ts";
import { type FlameData, FrameColumns } from "../../ui/flamegraph/flame_tree.ts";
import { frameHash } from "../../ui/flamegraph/path.ts";
import { frameRanks, isDiffTree, placedNodes, TreeDraft, weightsOf } from "./call_tree.ts";
import type { CallTree, DiffTree, Frame } from "./stacks.ts";

/** Of a comparison, whose nodes have twice as many values. */
const MAX_DIFF_NODES = 8_000;

/** What of a tree is sent, and how much. */
interface PayloadOptions extends FlameLimits {
  /** To the node that is the root of what is sent, as {@linkcode subtree} takes it. */
  readonly path?: readonly string[] | undefined;
  /** As `go`; tells own code where profiles do not. */
  readonly platform?: string | undefined;
}

/**
 * A tree as the browser gets it. What is too small to be seen is left out, and totals stay what they are. Siblings are
 * in the order of their total, in a comparison of the total of both sides.
 */
export function flamePayload(
  tree: CallTree | DiffTree,
  { path = [], platform, ...limits }: PayloadOptions = {},
): FlameData {
  const top = subtree(tree, path);
  const maxNodes = limits.maxNodes ?? (isDiffTree(top) ? MAX_DIFF_NODES : undefined);
  const order = leftHeavy(top, { ...limits, maxNodes });
  const data = flameData(top, order, platform);
  if (!isDiffTree(top)) return data;
  return {
    ...data,
    base: {
      selfs: order.map((node) => Number(top.baseSelfs[node])),
      totals: order.map((node) => Number(top.baseTotals[node])),
    },
  };
}

/** The nodes worth sending, depth first, the heaviest of siblings before the others. */
function leftHeavy(tree: CallTree, limits: FlameLimits): number[] {
  const { parents, nodeFrames, frames } = tree;
  const ranks = frameRanks(frames);
  const rankOf = (node: number) => ranks[nodeFrames[node] as number] as number;
  const nodes = heaviest({ parents, weights: weightsOf(tree), rankOf }, limits);
  const children = new Map<number, number[]>();
  // Heaviest last, so that it is taken off the list first.
  for (const node of nodes.slice(1).reverse()) {
    const parent = parents[node] as number;
    const siblings = children.get(parent);
    if (siblings) siblings.push(node);
    else children.set(parent, [node]);
  }
  const order: number[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    order.push(node);
    for (const child of children.get(node) ?? []) waiting.push(child);
  }
  return order;
}

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
interface WeighedNodes {
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
  // Nodes of one weight and one function are told apart by who called them: the order in which they came is chance.
  const byCallers = (a: number, b: number) => {
    let difference = 0;
    for (let [one, other] = [a, b]; one !== other && difference === 0;) {
      difference = rankOf(one) - rankOf(other);
      [one, other] = [parents[one] as number, parents[other] as number];
    }
    return difference;
  };
  nodes.sort((a, b) =>
    (weights[b] as number) - (weights[a] as number) ||
    (depths[a] as number) - (depths[b] as number) || byCallers(a, b)
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
function cutBelow(parents: Uint32Array, kept: readonly number[]): Uint32Array {
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
  const frames = sentFrames(source.frames, platform);
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

/** Numbers the frames that are sent in the order in which they are asked for; the root's is the first. */
function sentFrames(all: readonly Frame[], platform: string | undefined) {
  const sent = new FrameColumns();
  const places = new Map<number, number>();
  const place = (number: number): number => {
    const known = places.get(number);
    if (known !== undefined) return known;
    const frame = all[number] as Frame;
    const isOwn = platform === undefined ? frame.isInApp : isInApp(frame, platform);
    const added = sent.add({ ...frame, isInApp: isOwn === null ? 2 : isOwn ? 1 : 0 });
    places.set(number, added);
    return added;
  };
  place(0);
  return { columns: sent.columns, place };
}

const SEGMENT = /^([0-9a-f]{8})(?:\.(\d{1,6}))?$/;

/**
 * What is below one node, which becomes the root: the first frame is its function. Without such a node: a tree of
 * nothing.
 *
 * @param path {@linkcode frameHash} of the function at each level below the root; `hash.1` for the second of those that
 * share one, in the order of their weight
 */
export function subtree<T extends CallTree>(tree: T, path: readonly string[]): T {
  if (path.length === 0) return tree;
  const { parents, nodeFrames, frames } = tree;
  const draft = new TreeDraft(tree);
  const top = follow(tree, path);
  if (top === null) return draft.finish();
  const isBelow = new Uint8Array(parents.length);
  isBelow[top] = 1;
  draft.addSelf(0, top);
  placedNodes(parents, (node, above) => {
    if (isBelow[parents[node] as number] === 0) return 0;
    isBelow[node] = 1;
    const place = draft.child(above, nodeFrames[node] as number);
    draft.addSelf(place, node);
    return place;
  });
  return draft.finish(frames.with(0, frames[nodeFrames[top] as number] as Frame));
}

function follow(tree: CallTree, path: readonly string[]): number | null {
  const { parents, nodeFrames, frames } = tree;
  const hashes = frames.map(({ name, file }) => frameHash(name, file));
  const weights = weightsOf(tree);
  const ranks = frameRanks(frames);
  const rankOf = (node: number) => ranks[nodeFrames[node] as number] as number;
  let top = 0;
  for (const segment of path) {
    const [, hash, index = "0"] = SEGMENT.exec(segment) ?? [];
    const found: number[] = [];
    for (let node = top + 1; node < parents.length; node++) {
      if (parents[node] === top && hashes[nodeFrames[node] as number] === hash) found.push(node);
    }
    found.sort((a, b) => (weights[b] as number) - (weights[a] as number) || rankOf(a) - rankOf(b));
    const next = found[Number(index)];
    if (next === undefined) return null;
    top = next;
  }
  return top;
}

const SCRIPT_LIBRARY =
  /^(?:node:|ext:|internal\/|deno:|bun:|native|<anonymous>|https:\/\/(?:jsr\.io|deno\.land|esm\.sh|cdn\.jsdelivr\.net|unpkg\.com)\/|(?:chrome|moz|safari-web)-extension:)|[/\\]?node_modules[/\\]|[/\\]npm[/\\]registry\.npmjs\.org[/\\]|[/\\]\.(?:yarn|pnpm)[/\\]/;
const GO_LIBRARY = /\/(?:pkg\/mod|vendor)\/|\/go\/src\/|\/libexec\/src\//;
/** Import paths of Go's own packages have no dot in their first part; programs have `main` or a host. */
const GO_OWN_LIBRARY =
  /^(?:archive|bufio|builtin|bytes|cmp|compress|container|context|crypto|database|debug|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe|vendor|weak)[./]/;
const PYTHON_LIBRARY =
  /[/\\](?:site-packages|dist-packages)[/\\]|[/\\][Ll]ib(?:64)?[/\\]python\d[\d.]*[/\\]|[/\\]Lib[/\\]|^<(?:frozen|string|stdin)/;
const RUBY_LIBRARY = /[/\\](?:gems|bundler|rubygems)[/\\]|[/\\]lib[/\\]ruby[/\\]|^<internal:/;
const PHP_LIBRARY = /[/\\]vendor[/\\]/;
const JVM_LIBRARY =
  /^(?:javax?|jdk|sun|com\.sun|jakarta|kotlinx?|scala|groovy|android|androidx|dalvik|clojure|org\.(?:springframework|apache|hibernate|eclipse|jboss|codehaus|junit|postgresql|slf4j|glassfish)|io\.(?:netty|opentelemetry|undertow|vertx|micrometer|grpc)|reactor|akka|ch\.qos|com\.(?:google|mysql|zaxxer|fasterxml)|net\.bytebuddy|okhttp3|retrofit2)\./;
const DOTNET_LIBRARY =
  /^(?:System|Microsoft|MS|OpenTelemetry|Npgsql|Newtonsoft|mscorlib|coreclr)(?:[.!]|$)/;
const RUST_LIBRARY =
  /^<?&?(?:std|core|alloc|tokio|hyper|futures|rayon|backtrace)::|[/\\]\.cargo[/\\]registry[/\\]|[/\\]rustc[/\\]/;
/** Kernels, virtual machines, and what has no name but an address. */
const SYSTEM =
  /^\[|^0x[0-9a-f]+$|^\((?:program|idle|root|garbage collector)\)$|^Garbage Collection$|_\[k\]$/;

/**
 * Whether a function is the application's own code: as the client says, else by where its source is and what its
 * package is called, which is a guess.
 *
 * @param platform as `go`, `node`, `python`; any other is judged by all that is known of languages
 */
export function isInApp(frame: Frame, platform: string): boolean {
  if (frame.isInApp !== null) return frame.isInApp;
  if (SYSTEM.test(frame.name)) return false;
  return !librariesOf(platform).some((isLibrary) => isLibrary(frame));
}

type Judge = (frame: Frame) => boolean;

const go: Judge = ({ name, file }) => GO_LIBRARY.test(file) || GO_OWN_LIBRARY.test(name);
const script: Judge = ({ file }) => SCRIPT_LIBRARY.test(file);
const python: Judge = ({ file }) => PYTHON_LIBRARY.test(file);
const ruby: Judge = ({ file }) => RUBY_LIBRARY.test(file);
const php: Judge = ({ file }) => PHP_LIBRARY.test(file);
// Some of Java's profilers write `java/lang/Thread.run`.
const jvm: Judge = ({ name, module }) =>
  [name, module].some((text) => JVM_LIBRARY.test(text.replaceAll("/", ".")));
const dotnet: Judge = ({ name, module }) =>
  DOTNET_LIBRARY.test(name) || DOTNET_LIBRARY.test(module);
const rust: Judge = ({ name, file }) => RUST_LIBRARY.test(name) || RUST_LIBRARY.test(file);

const JUDGES: Readonly<Record<string, readonly Judge[]>> = {
  go: [go],
  node: [script],
  javascript: [script],
  bun: [script],
  deno: [script],
  python: [python],
  ruby: [ruby],
  php: [php],
  java: [jvm],
  android: [jvm],
  kotlin: [jvm],
  csharp: [dotnet],
  dotnet: [dotnet],
  rust: [rust],
};

function librariesOf(platform: string): readonly Judge[] {
  const [language = ""] = platform.split("-", 1);
  if (Object.hasOwn(JUDGES, language)) return JUDGES[language] ?? [];
  // Names of other languages may look like those of Go's packages: `log.info`, `time.sleep`.
  const goByFile: Judge = (frame) => frame.file.endsWith(".go") && go(frame);
  return [goByFile, script, python, ruby, php, jvm, dotnet, rust];
}
