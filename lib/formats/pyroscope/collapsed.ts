import { Refusal } from "../../core/refusal.ts";
import { Turns } from "../../core/waiting.ts";
import { PprofBuilder, type PprofHead } from "../pprof/encode.ts";
import { unreadableBody } from "../pprof/faults.ts";
import type { ValueType } from "../pprof/profile.ts";

/** As many as of a pprof. */
const MAX_STACKS = 200_000;
/** With those that say nothing: twelve million empty ones take as many seconds. */
const MAX_LINES = 2 * MAX_STACKS;
const MAX_FUNCTIONS = 250_000;
const MAX_DEPTH = 2_048;
/** Frames of all stacks together: with names of 16 characters the 32 MB that a profile may have hold as many. */
const MAX_FRAMES = 2_000_000;

/** How lines are to be read, and when the profile was taken. */
interface CollapsedForm {
  readonly counted: CountedAs;
  /** Lines are `main;work;read 12`; else stacks without a count, each seen once. */
  readonly hasCounts: boolean;
  readonly from: Date | null;
  readonly until: Date | null;
}

/**
 * Turns collapsed stacks, the outermost function first, into a pprof.
 *
 * Others get their turn meanwhile: it takes ten times as long as reading a pprof.
 *
 * @returns the message, not compressed
 * @throws {Refusal} 400 with the number of the first line that is none, 413 when there are too many
 */
export async function collapsedToPprof(
  body: Uint8Array,
  form: CollapsedForm,
): Promise<Uint8Array> {
  const builder = new StackWriter(new PprofBuilder(headOf(form)), form.counted.factors);
  const turns = new Turns();
  for (const [index, raw] of linesOf(body)) {
    if (index === MAX_LINES) throw tooLarge("lines");
    await turns.breathe();
    const line = raw.trimEnd();
    if (line === "") continue;
    const stack = form.hasCounts ? readLine(line) : { frames: line, count: 1n };
    if (stack === null) {
      throw unreadableBody(`Line ${index + 1} is no stack with a count, as in "main;work;read 12"`);
    }
    // py-spy has stacks of nothing.
    builder.add(stack.frames === "" ? [] : stack.frames.split(";", MAX_DEPTH), stack.count);
  }
  return builder.toBytes();
}

/** With their places from 0 on. */
function* linesOf(body: Uint8Array): Iterable<readonly [index: number, line: string]> {
  const decoder = new TextDecoder();
  let start = 0;
  for (let index = 0; start < body.length; index++) {
    const found = body.indexOf(0x0a, start);
    const end = found < 0 ? body.length : found;
    yield [index, decoder.decode(body.subarray(start, end))];
    start = end + 1;
  }
}

function headOf({ counted, from, until }: CollapsedForm): PprofHead {
  const { types, periodType, period } = counted;
  const durationMs = from !== null && until !== null ? until.getTime() - from.getTime() : 0;
  return {
    sampleTypes: [...types],
    timeNanos: nanosOf(from?.getTime() ?? 0),
    durationNanos: nanosOf(durationMs),
    ...(periodType !== null && { periodType, period }),
  };
}

function nanosOf(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

/** Names of functions may have blanks: the count follows the last one. */
function readLine(line: string): { frames: string; count: bigint } | null {
  const [, frames = "", count = ""] = /^(.*\S)?\s+(\d{1,18})$/.exec(line) ?? [];
  return count === "" ? null : { frames: frames.trimStart(), count: BigInt(count) };
}

/** Writes stacks, each function once. */
class StackWriter {
  readonly #locations = new Map<string, number>();
  #stacks = 0;
  #frames = 0;

  constructor(
    private readonly builder: PprofBuilder,
    private readonly factors: readonly bigint[],
  ) {}

  /** @param frames names of functions, the outermost first, at most as deep as is kept */
  add(frames: readonly string[], count: bigint): void {
    this.#stacks++;
    this.#frames += frames.length;
    if (this.#stacks > MAX_STACKS || this.#frames > MAX_FRAMES) throw tooLarge("stacks");
    const leafFirst = frames.map((name) => this.#locationOf(name)).reverse();
    const most = this.factors.reduce((max, factor) => factor > max ? factor : max, 1n);
    const bounded = count * most > MAX_VALUE ? MAX_VALUE / most : count;
    this.builder.sample(leafFirst, this.factors.map((factor) => bounded * factor));
  }

  toBytes(): Uint8Array {
    return this.builder.toBytes();
  }

  #locationOf(name: string): number {
    let location = this.#locations.get(name);
    if (location === undefined) {
      if (this.#locations.size >= MAX_FUNCTIONS) throw tooLarge("functions");
      const line = { function: this.builder.function(name, ""), line: 0, column: 0 };
      this.#locations.set(name, location = this.builder.location([line], {}));
    }
    return location;
  }
}

const MAX_VALUE = 2n ** 63n - 1n;

function tooLarge(what: string): Refusal {
  return new Refusal(413, `The profile has too many ${what}`, {
    kind: "too_large",
    reason: "profile_size",
  });
}

/** What counts of collapsed stacks mean. */
interface CountedAs {
  readonly types: readonly ValueType[];
  /** Values of a stack that was counted once, one for each type. */
  readonly factors: readonly bigint[];
  /** Time between two samples, or null. */
  readonly periodType: ValueType | null;
  readonly period: bigint;
}

const DEFAULT_RATE = 100;
/** Fewer than one in a quarter of an hour are no rate, and their period may be no number. */
const MIN_RATE = 0.001;
const MAX_RATE = 1_000_000;
const SECOND_NANOS = 1e9;
const SAMPLES: ValueType = { type: "samples", unit: "count" };

const type = (type: string, unit: string): ValueType => ({ type, unit });

const BY_SUFFIX: Readonly<Record<string, ValueType>> = {
  inuse_objects: type("inuse_objects", "count"),
  inuse_space: type("inuse_space", "bytes"),
  alloc_objects: type("alloc_objects", "count"),
  alloc_space: type("alloc_space", "bytes"),
  goroutines: type("goroutine", "count"),
  mutex_count: type("contentions", "count"),
  mutex_duration: type("delay", "nanoseconds"),
  block_count: type("contentions", "count"),
  block_duration: type("delay", "nanoseconds"),
  lock_count: type("lock_count", "count"),
  lock_duration: type("lock_time", "nanoseconds"),
  exceptions: type("exceptions", "count"),
  live: type("inuse_objects", "count"),
};

const BY_UNITS: Readonly<Record<string, ValueType>> = {
  objects: type("alloc_objects", "count"),
  bytes: type("alloc_space", "bytes"),
  goroutines: type("goroutine", "count"),
  lock_samples: type("contentions", "count"),
  lock_nanoseconds: type("delay", "nanoseconds"),
  exceptions: type("exceptions", "count"),
};

/**
 * Tells what is counted: samples on the CPU unless the name or the units say otherwise.
 *
 * @param suffix of the application's name, as `wall`
 * @param units as `samples`, `bytes`; `""` when absent
 * @param sampleRate samples a second; 100 when it is no such number
 */
export function countedAs(suffix: string, units: string, sampleRate: number): CountedAs {
  const single = valueIn(BY_SUFFIX, suffix) ?? valueIn(BY_UNITS, units);
  if (single !== undefined) return { types: [single], factors: [1n], periodType: null, period: 0n };
  const time = type(suffix === "wall" || suffix === "itimer" ? "wall" : "cpu", "nanoseconds");
  const rate = sampleRate >= MIN_RATE && sampleRate <= MAX_RATE ? sampleRate : DEFAULT_RATE;
  const period = BigInt(Math.round(SECOND_NANOS / rate));
  return { types: [SAMPLES, time], factors: [1n, period], periodType: time, period };
}

function valueIn(table: Readonly<Record<string, ValueType>>, key: string): ValueType | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
