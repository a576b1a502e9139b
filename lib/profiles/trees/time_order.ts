import { nanosecondsOf } from "../../core/value_units.ts";
import type { PprofProfile, ValueType } from "../../formats/pprof/profile.ts";
import { type ProfileValue, valueTypesOf } from "../../formats/pprof/sample_types.ts";
import type { FlameChart } from "../../ui/flamegraph/flame_tree.ts";
import { flameData, type FlameLimits, type FlameSource, heaviest } from "./flame_payload.ts";
import { isKey, labelsOf } from "./sample_filter.ts";
import { type LocationFrames, locationFrames } from "./stack_builder.ts";
import { findType, type Frame } from "./stacks.ts";
import { FrameTable } from "./tables.ts";

/** A stack as it was for a while. */
interface TimedStack {
  /** Nanoseconds since the first profile began, or the stretch of time that is looked at. */
  readonly start: number;
  /** Nanoseconds; no more than until the next one of its thread. */
  readonly duration: number;
  /** Places in the frames, the outermost first; none while nothing ran. */
  readonly stack: Uint32Array;
}

export interface OrderedThread {
  /** `""` for samples that name none. */
  readonly id: string;
  readonly name: string;
  /** The one that ran what the profile was taken for. */
  readonly isActive: boolean;
  /** By start. */
  readonly samples: readonly TimedStack[];
}

interface ThreadDraft {
  name: string;
  isActive: boolean;
  readonly samples: TimedStack[];
}

/** Profiles as they went, thread by thread. */
export interface TimeOrder {
  /** In nanoseconds. */
  readonly type: ValueType;
  /** The first stands for the root. */
  readonly frames: readonly Frame[];
  /** The active ones first, then those with the most samples. */
  readonly threads: readonly OrderedThread[];
}

interface Row {
  readonly start: number;
  /** Null when values are no times: until the next sample. */
  readonly weight: number | null;
  readonly stack: Uint32Array;
}

/**
 * The samples of profiles that follow each other, in the order of time, as far as they tell when they were taken: those
 * that are made of what SDKs send do, in a label `offset`. Without any there are no threads.
 *
 * @param type whose values tell how long a stack lasted; where they are no times it lasted until the next sample
 */
export function timeOrder(profiles: readonly PprofProfile[], type: ValueType): TimeOrder {
  const table = new FrameTable();
  const threads = new Map<string, ThreadDraft>();
  const [first] = profiles;
  for (const profile of profiles) {
    const shift = Number(profile.timeNanos - (first?.timeNanos ?? 0n));
    addThreads(threads, profile, type, table, shift);
  }
  const isTime = first === undefined || nanosOf(valueOf(first, type)) !== null;
  return {
    type: { type: isTime ? type.type : "wall", unit: "nanoseconds" },
    frames: table.frames,
    threads: [...threads].map(([id, facts]) => ({ id, ...facts })).sort(byActivity),
  };
}

/** Adds the samples of a profile to those of its threads. @param shift of their times */
function addThreads(
  threads: Map<string, ThreadDraft>,
  profile: PprofProfile,
  type: ValueType,
  table: FrameTable,
  shift: number,
): void {
  const value = valueOf(profile, type);
  const nanos = nanosOf(value);
  const locations = locationFrames(profile, table);
  const rows = new Map<ThreadDraft, Row[]>();
  for (let sample = 0; sample < profile.samples.count; sample++) {
    const facts = factsOf(profile, sample);
    if (facts.offset === null) continue;
    const thread = threads.get(facts.thread) ?? { name: "", isActive: false, samples: [] };
    threads.set(facts.thread, thread);
    thread.name ||= facts.name;
    thread.isActive ||= facts.isActive;
    const row = {
      start: facts.offset + shift,
      weight: value && nanos !== null ? weightOf(profile, sample, value, nanos) : null,
      stack: stackOf(profile, sample, locations),
    };
    const ofThread = rows.get(thread) ?? [];
    rows.set(thread, ofThread);
    ofThread.push(row);
  }
  for (const [thread, ofThread] of rows) {
    for (const sample of timed(ofThread)) thread.samples.push(sample);
  }
}

function valueOf(profile: PprofProfile, type: ValueType): ProfileValue | undefined {
  const values = valueTypesOf(profile);
  return values[findType(values, type)];
}

/** How many nanoseconds the unit of a value has; null when it is no time. */
function nanosOf(value: ProfileValue | undefined): bigint | null {
  return value ? nanosecondsOf(value.unit) : null;
}

/** What of an order lies within a stretch of it, in nanoseconds since that begins. Both ends in nanoseconds. */
export function clippedOrder(order: TimeOrder, from: number, until: number): TimeOrder {
  const clipped = ({ start, duration, stack }: TimedStack): TimedStack[] => {
    const begins = Math.max(from, start);
    const ends = Math.min(until, start + duration);
    return ends > begins ? [{ start: begins - from, duration: ends - begins, stack }] : [];
  };
  const threads = order.threads.map((thread) => (
    { ...thread, samples: thread.samples.flatMap(clipped) }
  ));
  return { ...order, threads };
}

/** Order of threads: the active ones first, then those with the most samples. */
function byActivity(a: OrderedThread, b: OrderedThread): number {
  return Number(b.isActive) - Number(a.isActive) || b.samples.length - a.samples.length ||
    (a.id < b.id ? -1 : 1);
}

function factsOf(profile: PprofProfile, sample: number) {
  const facts = { offset: null as number | null, thread: "", name: "", isActive: false };
  for (const label of labelsOf(profile, sample)) {
    const text = "text" in label ? label.text : String(label.number);
    if (label.key === "offset" && "number" in label && label.unit === "nanoseconds") {
      facts.offset = Number(label.number);
    } else if (isKey(label.key, "thread_id")) facts.thread = text;
    else if (isKey(label.key, "thread_name")) facts.name = "text" in label ? label.text : "";
    else if (label.key === "active_thread") facts.isActive = text === "true";
  }
  return facts;
}

function weightOf(
  { samples, sampleTypes }: PprofProfile,
  sample: number,
  { index, factor }: ProfileValue,
  nanos: bigint,
): number {
  return Number((samples.values[sample * sampleTypes.length + index] ?? 0n) * factor * nanos);
}

function stackOf({ samples }: PprofProfile, sample: number, locations: LocationFrames) {
  const stack: number[] = [];
  const start = samples.starts[sample] as number;
  for (let at = (samples.starts[sample + 1] as number) - 1; at >= start; at--) {
    const location = samples.locations[at] as number;
    const end = locations.starts[location + 1] as number;
    for (let place = locations.starts[location] as number; place < end; place++) {
      stack.push(locations.frames[place] as number);
    }
  }
  return Uint32Array.from(stack);
}

/** Samples by time, none reaching into the next. */
function timed(rows: Row[]): TimedStack[] {
  const sorted = rows.toSorted((a, b) => a.start - b.start);
  return sorted.map(({ start, weight, stack }, place) => {
    const next = sorted[place + 1]?.start;
    const room = next === undefined ? weight ?? 0 : next - start;
    return { start, duration: Math.max(0, Math.min(weight ?? room, room)), stack };
  });
}

/**
 * What one thread did, over time. A function that was on consecutive stacks at the same level ran throughout. The root
 * reaches from the first sample to the end of the last; what it has itself is the time when nothing ran.
 *
 * @param thread id of a thread of the order; of one that is not there: a chart of nothing
 * @param platform tells own code where profiles do not
 */
export function flameChart(
  order: TimeOrder,
  thread: string,
  limits: FlameLimits = {},
  platform?: string,
): FlameChart {
  const boxes = new Boxes();
  for (const sample of order.threads.find(({ id }) => id === thread)?.samples ?? []) {
    boxes.add(sample);
  }
  const { starts, ...columns } = boxes.finish();
  const source: FlameSource = { type: order.type, frames: order.frames, ...columns };
  const nodes = heaviest({
    parents: columns.parents,
    weights: columns.totals,
    rankOf: (node) => starts[node] ?? 0,
  }, limits).sort((a, b) => a - b);
  return {
    ...flameData(source, nodes, platform),
    starts: nodes.map((node) => starts[node] as number),
  };
}

/** Nodes in the order in which they begin, which is depth first. */
class Boxes {
  readonly #parents = [0];
  readonly #frames = [0];
  readonly #starts = [0];
  readonly #selfs = [0];
  readonly #totals = [0];
  /** Nodes that the last stack is made of. */
  #open: number[] = [];
  #begin: number | null = null;
  #end = 0;

  add({ start, duration, stack }: OrderedThread["samples"][number]): void {
    if (duration === 0) return;
    this.#begin ??= start;
    let depth = this.#sharedDepth(start, stack);
    this.#open.length = depth;
    for (; depth < stack.length; depth++) {
      const parent = this.#open[depth - 1] ?? 0;
      this.#open.push(this.#box(parent, stack[depth] as number, start));
    }
    for (const node of this.#open) this.#totals[node] = (this.#totals[node] ?? 0) + duration;
    const leaf = this.#open.at(-1);
    if (leaf !== undefined) this.#selfs[leaf] = (this.#selfs[leaf] ?? 0) + duration;
    this.#end = start + duration;
  }

  finish() {
    const total = this.#end - (this.#begin ?? 0);
    const busy = this.#totals.reduce(
      (sum, value, node) => node > 0 && this.#parents[node] === 0 ? sum + value : sum,
      0,
    );
    this.#starts[0] = this.#begin ?? 0;
    this.#totals[0] = total;
    this.#selfs[0] = total - busy;
    return {
      parents: Uint32Array.from(this.#parents),
      nodeFrames: Uint32Array.from(this.#frames),
      selfs: Float64Array.from(this.#selfs),
      totals: Float64Array.from(this.#totals),
      starts: this.#starts,
    };
  }

  /** How many levels go on from the last stack: none after a break. */
  #sharedDepth(start: number, stack: Uint32Array): number {
    if (start > this.#end) return 0;
    let depth = 0;
    while (depth < this.#open.length && depth < stack.length) {
      if (this.#frames[this.#open[depth] as number] !== stack[depth]) break;
      depth++;
    }
    return depth;
  }

  #box(parent: number, frame: number, start: number): number {
    this.#frames.push(frame);
    this.#starts.push(start);
    this.#selfs.push(0);
    this.#totals.push(0);
    return this.#parents.push(parent) - 1;
  }
}
