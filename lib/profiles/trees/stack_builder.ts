import { timesFiner } from "../../core/value_units.ts";
import {
  addressInFile,
  type PprofProfile,
  type SampleTable,
  SDK_COMMENT,
  type ValueType,
} from "../../formats/pprof/profile.ts";
import { type ProfileValue, valueTypesOf } from "../../formats/pprof/sample_types.ts";
import { finishTree } from "./call_tree.ts";
import { type SampleFilter, sampleMatcher } from "./sample_filter.ts";
import { findType, type StackProfile, TREE_LIMITS } from "./stacks.ts";
import { FrameTable, NodeTable } from "./tables.ts";

/** Where values of one type of a profile go, and what they are multiplied by. */
interface Channel {
  readonly from: number;
  readonly to: number;
  readonly factor: bigint;
}

/** Which samples are added, and whether they are added or taken away. */
interface AddOptions {
  readonly where?: SampleFilter;
  readonly weight?: 1n | -1n;
}

/**
 * Adds up profiles into one tree of stacks, exactly. The order in which they come does not matter. Labels do not keep
 * stacks apart.
 */
export class StackBuilder {
  readonly #types: ValueType[];
  readonly #maxNodes: number;
  readonly #frames = new FrameTable();
  readonly #nodes: NodeTable;
  readonly #walk: SampleWalk;
  readonly #selfs: BigInt64Array[];
  #cutNodes = 0;
  #profiles = 0;
  #durationNanos = 0n;

  /**
   * @param types what is added up. A profile's types are found among them by name; where units differ, as `bytes` and
   * `kilobytes`, the finer one is taken, and `build` tells it. What a profile lacks counts 0.
   * @param maxNodes nodes, nearly: stacks end where there are too many, which leaves totals as they are
   */
  constructor(types: readonly ValueType[], maxNodes: number = TREE_LIMITS.nodes) {
    this.#types = [...types];
    this.#maxNodes = maxNodes;
    this.#nodes = new NodeTable(maxNodes);
    this.#walk = new SampleWalk(this.#nodes);
    this.#selfs = types.map(() => new BigInt64Array(1024));
  }

  /** Whether the tree is so large that nothing more should be added. */
  get isFull(): boolean {
    const { frames, textLength } = this.#frames;
    return this.#nodes.count >= this.#maxNodes || frames.length > TREE_LIMITS.frames ||
      textLength > TREE_LIMITS.text;
  }

  /** Stacks that lost their innermost frames because there was no room. */
  get cut(): number {
    return this.#walk.cut + this.#cutNodes;
  }

  /** Adds the samples of a profile; what is taken away counts among the profiles, yet not in the duration. */
  add(profile: PprofProfile, { where, weight = 1n }: AddOptions = {}): void {
    this.#count(1, profile.durationNanos, weight);
    const channels = this.#channels(valueTypesOf(profile), weight);
    const nodes = this.#nodesOf(profile, channels, where ? sampleMatcher(profile, where) : null);
    const { samples, sampleTypes } = profile;
    for (const { from, to, factor } of channels) {
      const column = this.#column(to);
      for (let sample = 0; sample < nodes.length; sample++) {
        const node = nodes[sample] as number;
        if (node === 0) continue;
        const value = samples.values[sample * sampleTypes.length + from] as bigint;
        column[node] = BigInt.asIntN(
          64,
          (column[node] as bigint) + (factor === 1n ? value : BigInt.asIntN(64, value * factor)),
        );
      }
    }
  }

  /** The node of each sample; 0 for samples that are not wanted or have no values. */
  #nodesOf(
    profile: PprofProfile,
    channels: readonly Channel[],
    isWanted: ((sample: number) => boolean) | null,
  ): Uint32Array {
    const frames = locationFrames(profile, this.#frames);
    const { samples, sampleTypes } = profile;
    const nodes = new Uint32Array(samples.count);
    for (let sample = 0; sample < samples.count; sample++) {
      const at = sample * sampleTypes.length;
      if (!channels.some(({ from }) => samples.values[at + from] !== 0n)) continue;
      if (isWanted && !isWanted(sample)) continue;
      nodes[sample] = this.#walk.nodeOf(samples, sample, frames) ||
        this.#nodes.child(0, this.#frames.add(NO_STACK));
    }
    return nodes;
  }

  /** Adds stacks that were added up before. */
  addStacks(stacks: StackProfile, weight: 1n | -1n = 1n): void {
    this.#count(stacks.profiles, stacks.durationNanos, weight);
    const channels = this.#channels(
      stacks.types.map((type, index) => ({ ...type, index, factor: 1n })),
      weight,
    );
    const frames = stacks.frames.map((frame, place) => place === 0 ? 0 : this.#frames.add(frame));
    const nodes = new Uint32Array(stacks.parents.length);
    const isCut = new Uint8Array(nodes.length);
    for (let node = 1; node < nodes.length; node++) {
      const above = stacks.parents[node] as number;
      const parent = nodes[above] as number;
      const frame = frames[stacks.nodeFrames[node] as number] ?? 0;
      const place = isCut[above] ? 0 : this.#nodes.child(parent, frame);
      nodes[node] = place || parent;
      if (place !== 0) continue;
      isCut[node] = 1;
      this.#cutNodes++;
    }
    for (const { from, to, factor } of channels) {
      const column = this.#column(to);
      stacks.selfs[from]?.forEach((value, at) => {
        const node = nodes[at] as number;
        column[node] = BigInt.asIntN(64, (column[node] as bigint) + value * factor);
      });
    }
  }

  /** What was added so far; stacks whose values came to 0 are left out. More can be added after that. */
  build(): StackProfile {
    const { count, parents, frames: nodeFrames } = this.#nodes;
    const finished = finishTree({
      count,
      parents,
      nodeFrames,
      frames: this.#frames.frames,
      columns: this.#selfs.map((_, column) => this.#column(column)),
    });
    return {
      types: [...this.#types],
      frames: finished.frames,
      parents: finished.parents,
      nodeFrames: finished.nodeFrames,
      selfs: finished.columns,
      profiles: this.#profiles,
      durationNanos: this.#durationNanos,
    };
  }

  #count(profiles: number, durationNanos: bigint, weight: 1n | -1n): void {
    this.#profiles += profiles;
    if (weight === 1n) this.#durationNanos += durationNanos;
  }

  #channels(values: readonly ProfileValue[], weight: 1n | -1n): Channel[] {
    return this.#types.flatMap((type, to) => {
      const value = values[findType(values, type)];
      if (!value) return [];
      const factor = this.#scaleTo(to, value.unit) * value.factor * weight;
      return { from: value.index, to, factor };
    });
  }

  /** What values in a unit are multiplied by; what is there already is multiplied when that unit is finer. */
  #scaleTo(place: number, unit: string): bigint {
    const type = this.#types[place] as ValueType;
    const factor = timesFiner(type.unit, unit);
    if (factor !== null) return factor;
    const times = timesFiner(unit, type.unit) ?? 1n;
    this.#selfs[place]?.forEach((value, node, column) => column[node] = value * times);
    this.#types[place] = { ...type, unit };
    return 1n;
  }

  /** The values of a type, with room for all nodes. */
  #column(place: number): BigInt64Array {
    const column = this.#selfs[place] as BigInt64Array;
    if (this.#nodes.count <= column.length) return column;
    const larger = new BigInt64Array(this.#nodes.parents.length);
    larger.set(column);
    return this.#selfs[place] = larger;
  }
}

/**
 * Finds the nodes of samples one after another. The way to the one before is remembered: samples that follow each
 * other mostly begin alike, and so far nothing need be looked up.
 */
class SampleWalk {
  readonly #nodes: NodeTable;
  /** Frames of the sample before, and the nodes that they led to. */
  #frames = new Uint32Array(256);
  #path = new Uint32Array(256);
  #depth = 0;
  /** Stacks that ended where the table was full. */
  cut = 0;

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  /** The node of a sample's innermost frame, made with those above it where needed; 0 for an empty stack. */
  nodeOf(samples: SampleTable, sample: number, { starts, frames }: LocationFrames): number {
    const table = this.#nodes;
    const start = samples.starts[sample] as number;
    let known = this.#depth;
    let node = 0;
    let depth = 0;
    for (let at = (samples.starts[sample + 1] as number) - 1; at >= start; at--) {
      const location = samples.locations[at] as number;
      const end = starts[location + 1] as number;
      const first = starts[location] as number;
      if (depth + end - first > this.#path.length) this.#grow(end - first);
      for (let place = first; place < end; place++, depth++) {
        const frame = frames[place] as number;
        if (depth < known && this.#frames[depth] === frame) {
          node = this.#path[depth] as number;
          continue;
        }
        known = 0;
        const child = table.child(node, frame);
        if (child === 0) {
          this.#depth = depth;
          this.cut++;
          return node;
        }
        node = child;
        this.#frames[depth] = frame;
        this.#path[depth] = node;
      }
    }
    this.#depth = depth;
    return node;
  }

  #grow(needed: number): void {
    const length = 2 * this.#path.length + needed;
    const [frames, path] = [new Uint32Array(length), new Uint32Array(length)];
    frames.set(this.#frames);
    path.set(this.#path);
    this.#frames = frames;
    this.#path = path;
  }
}

/** The frames of every location of a profile: those of location `i` stand at `starts[i]` to `starts[i + 1]`. */
export interface LocationFrames {
  readonly starts: Uint32Array;
  /** Numbers of a {@linkcode FrameTable}, the outermost first: the other way round than in the profile. */
  readonly frames: Uint32Array;
}

/** Stands in for a stack that has no frames, so that totals are what the profile says. */
export const NO_STACK = {
  name: "<no stack>",
  file: "",
  module: "",
  line: 0,
  isInApp: null,
} as const;

interface Module {
  readonly name: string;
  /** The name's number in the table. */
  readonly text: number;
  readonly isInApp: boolean | null;
}

/** The frames of a profile's locations, put into a table. */
export function locationFrames(profile: PprofProfile, table: FrameTable): LocationFrames {
  const { locations } = profile;
  const texts = textNumbers(profile, table);
  const modules = modulesOf(profile, table);
  const unknown: Module = { name: "", text: 0, isInApp: null };
  const starts = new Uint32Array(locations.count + 1);
  const frames = new Uint32Array(locations.count + locations.lineFunctions.length);
  let length = 0;
  for (let location = 0; location < locations.count; location++) {
    starts[location] = length;
    const module = modules[locations.mappings[location] as number] ?? unknown;
    const first = locations.lineStarts[location] as number;
    const end = locations.lineStarts[location + 1] as number;
    for (let line = end - 1; line >= first; line--) {
      frames[length++] = frameOfLine(profile, table, texts, module, line);
    }
    if (first === end) frames[length++] = frameOfAddress(profile, table, module, location);
  }
  starts[locations.count] = length;
  return { starts, frames };
}

function frameOfLine(
  { functions, locations, strings }: PprofProfile,
  table: FrameTable,
  texts: (place: number) => number,
  module: Module,
  line: number,
): number {
  const place = locations.lineFunctions[line] as number;
  const file = functions.filenames[place] ?? 0;
  const name = functions.names[place] || functions.systemNames[place] || file;
  return table.addByTexts(
    strings[name] ? texts(name) : table.text("<unknown>"),
    texts(file),
    module.text,
    functions.startLines[place] || (locations.lines[line] ?? 0),
    module.isInApp,
  );
}

function frameOfAddress(
  { locations, mappings }: PprofProfile,
  table: FrameTable,
  module: Module,
  location: number,
): number {
  const mapping = locations.mappings[location] as number;
  const address = locations.addresses[location] as bigint;
  // As `[kernel]`.
  const isNoFile = module.name.startsWith("[");
  // Or else every process would have its own name for the same place in a library.
  const place = isNoFile ? address : addressInFile(address, {
    start: mappings.starts[mapping] ?? 0n,
    limit: mappings.limits[mapping] ?? 0n,
    offset: mappings.offsets[mapping] ?? 0n,
  });
  const binary = isNoFile ? module.name : `[${module.name}]`;
  const name = `${module.name === "" ? "" : `${binary} `}0x${place.toString(16)}`;
  return table.add({ name, file: "", module: module.name, line: 0, isInApp: module.isInApp });
}

/** From a place in the profile's strings to the number of the text, each looked up once. */
function textNumbers({ strings }: PprofProfile, table: FrameTable): (place: number) => number {
  const numbers = new Int32Array(strings.length).fill(-1);
  return (place) => {
    const known = numbers[place] ?? 0;
    if (known >= 0) return known;
    return numbers[place] = table.text(strings[place] as string);
  };
}

function modulesOf({ mappings, strings, comments }: PprofProfile, table: FrameTable): Module[] {
  const isFromSdk = comments.includes(SDK_COMMENT);
  return Array.from({ length: mappings.count }, (_, mapping) => {
    const filename = strings[mappings.filenames[mapping] as number] ?? "";
    const name = isFromSdk ? filename : basename(filename);
    const buildId = strings[mappings.buildIds[mapping] as number] ?? "";
    return {
      name,
      text: table.text(name),
      isInApp: isFromSdk && buildId === "app"
        ? true
        : isFromSdk && buildId === "library"
        ? false
        : null,
    };
  });
}

/** The last part of a path of either kind. */
function basename(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
