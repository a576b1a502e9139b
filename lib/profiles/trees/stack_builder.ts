import type { PprofProfile, ValueType } from "../../formats/pprof/profile.ts";
import { type ProfileValue, valueTypesOf } from "../../formats/pprof/sample_types.ts";
import { finishTree } from "./finish_tree.ts";
import { FrameTable } from "./frame_table.ts";
import { NodeTable } from "./node_table.ts";
import { locationFrames, NO_STACK } from "./profile_frames.ts";
import { type SampleFilter, sampleMatcher } from "./sample_filter.ts";
import { SampleWalk } from "./sample_walk.ts";
import type { StackProfile } from "./stack_profile.ts";
import { TREE_LIMITS } from "./tree_limits.ts";
import { findType, timesFiner } from "./value_units.ts";

/** Where values of one type of a profile go, and what they are multiplied by. */
interface Channel {
  readonly from: number;
  readonly to: number;
  readonly factor: bigint;
}

/** Which samples are added, and whether they are added or taken away. */
export interface AddOptions {
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
