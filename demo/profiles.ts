/** Profiles: of the storefront by `@datadog/pprof`, of the stock service by Go, of payments by Sentry's SDK. */
import { gzipSync } from "node:zlib";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/core/time.ts";
import { PprofBuilder, type PprofHead, type PprofLabel } from "../lib/formats/pprof/encode.ts";
import { activity, newId, type Random } from "./chance.ts";
import type { Frame, WeightedStack } from "./code.ts";
import { paymentsCode, stockCode, storefrontCode } from "./programs.ts";
import { type Placed, type Segment, servedBy, type Trace } from "./scene.ts";
import type { Envelope, Item, Upload } from "./send.ts";
import { frameOf } from "./sentry.ts";
import { ENDPOINTS } from "./doings.ts";
import { releaseOf } from "./shop.ts";

const NANOS = "nanoseconds";
const WALL = { type: "wall", unit: NANOS };
const CPU = { type: "cpu", unit: NANOS };
/** Of time: a look a hundredth of a second. */
const PERIOD = 10_000_000n;

/** Writes stacks as a profile, whose time is that of `at`. */
class Pprof {
  readonly #builder: PprofBuilder;
  readonly #mapping: number;

  /** @param binary path of the program */
  constructor(at: Date, head: Omit<PprofHead, "timeNanos">, binary: string) {
    this.#builder = new PprofBuilder({ ...head, timeNanos: BigInt(at.getTime()) * 1_000_000n });
    this.#mapping = this.#builder.mapping(binary);
  }

  add(frames: readonly Frame[], values: readonly bigint[], labels: readonly PprofLabel[]): void {
    const mapping = this.#mapping;
    const locations = frames.map(({ name, file, line }) => {
      const id = this.#builder.function(name, file);
      return this.#builder.location([{ function: id, line, column: 0 }], { mapping });
    });
    this.#builder.sample(locations.reverse(), values, labels);
  }

  upload(parameters: Upload["parameters"]): Upload {
    return { parameters, bytes: new Uint8Array(gzipSync(this.#builder.toBytes())) };
  }
}

/** Looks so many times: how often each stack was found, without those that were not. */
function sampled(stacks: readonly WeightedStack[], times: number, random: Random) {
  const found = new Map<WeightedStack, number>();
  for (let time = 0; time < Math.round(times); time++) {
    const stack = random.pick(stacks, ({ weight }) => weight);
    found.set(stack, (found.get(stack) ?? 0) + 1);
  }
  return found;
}

const EVERY_MS = 10 * MINUTE_MS;
/** Long enough for the release before the newest. */
const PROFILED_MS = 1.8 * DAY_MS;
/** Samples of a minute in which somebody waits for nothing, all requests together. */
const BUSY = 900;
/** Of the time that a request takes, what it runs itself. */
const RUNNING = 0.35;

/** A minute of every ten of the storefront up to `now`, oldest first; samples of traces are labelled with them. */
export function storefrontUploads(random: Random, now: Date, traces: readonly Trace[]): Upload[] {
  const served = servedBy("storefront", traces);
  const count = Math.floor(PROFILED_MS / EVERY_MS);
  return Array.from({ length: count }, (_, index) => {
    const ago = (count - index) * EVERY_MS;
    const at = new Date(now.getTime() - ago);
    const inside = served.filter(({ root }) =>
      root.start * 1000 >= at.getTime() && root.end * 1000 <= at.getTime() + MINUTE_MS
    );
    const release = releaseOf("storefront", "production", ago / DAY_MS);
    const sampleTypes = [{ type: "sample", unit: "count" }, WALL, CPU];
    const durationNanos = 60_000_000_000n;
    const head = { sampleTypes, durationNanos, periodType: WALL, period: PERIOD };
    const profile = new Pprof(at, head, "/usr/local/bin/node");
    const add = (stacks: readonly WeightedStack[], times: number, labels: PprofLabel[] = []) => {
      for (const [{ frames }, found] of sampled(stacks, times, random)) {
        const wall = BigInt(found) * PERIOD;
        const cpu = frames[0]?.name === "(idle)" ? 0n : wall * 97n / 100n;
        profile.add(frames, [BigInt(found), wall, cpu], labels);
      }
    };
    for (const route of Object.keys(ENDPOINTS)) {
      const stacks = storefrontCode("serve", { route, release });
      // What takes longer is found more often.
      const weight = stacks.reduce((sum, stack) => sum + stack.weight, 0);
      const times = BUSY * weight / 500 * random.around(1, 0.15);
      add(stacks, times, [{ key: "endpoint", text: route }]);
    }
    for (const { trace, root: { work: { name: route }, start, end, spanId } } of inside) {
      add(storefrontCode("serve", { route, release }), 1 + 100 * (end - start) * RUNNING, [
        { key: "endpoint", text: route },
        { key: "trace_id", text: trace.traceId },
        { key: "span_id", text: spanId },
      ]);
    }
    add(storefrontCode("beside"), BUSY);
    const instance = inside[0]?.entry.server ?? `storefront-${random.integer(1, 4)}`;
    return profile.upload({ service: "storefront", environment: "production", release, instance });
  });
}

const STOCK_DAYS = 9;
const BINARY = "/usr/local/bin/stock";

/** Of the stock service: its processors each hour, its memory every other hour, up to `now`, oldest first. */
export function stockUploads(random: Random, now: Date): Upload[] {
  const instances = ["stock-1", "stock-2"];
  const memory = instances.map((instance) => new Memory(instance, random));
  const hours = Array.from({ length: STOCK_DAYS * 24 }, (_, hour) => STOCK_DAYS * 24 - hour);
  return hours.flatMap((ago) => {
    const at = new Date(now.getTime() - ago * HOUR_MS + random.integer(0, 50) * MINUTE_MS);
    const release = releaseOf("stock", "production", ago / 24);
    const cpu = instances.map((instance) => {
      const parameters = { service: "stock", environment: "production", release, instance };
      return stockCpu(random, at, release).upload(parameters);
    });
    return ago % 2 === 0 ? [...cpu, ...memory.map((each) => each.upload(at, release))] : cpu;
  });
}

function stockCpu(random: Random, at: Date, release: string): Pprof {
  const sampleTypes = [{ type: "samples", unit: "count" }, CPU];
  const durationNanos = 10_000_000_000n;
  const head = { sampleTypes, durationNanos, periodType: CPU, period: PERIOD };
  const profile = new Pprof(at, head, BINARY);
  const add = (stacks: readonly WeightedStack[], times: number, labels: PprofLabel[] = []) => {
    for (const [{ frames }, found] of sampled(stacks, times, random)) {
      profile.add(frames, [BigInt(found), BigInt(found) * PERIOD], labels);
    }
  };
  const isSlow = release === "stock@0.9.1";
  const busy = busyness(at) * random.around(260, 0.1) * (isSlow ? 1.35 : 1);
  for (const route of ["/reserve", "/items"]) {
    add(stockCode("serve", { route, release }), busy, [{ key: "route", text: route }]);
  }
  add(stockCode("beside"), busy / 4);
  return profile;
}

/** The stock service is asked by night as well. */
function busyness(at: Date): number {
  return 0.25 + 0.75 * activity(at);
}

/** Allocations that are counted in two hours, before some are kept. */
const ALLOCATED = 400_000;
/** By the innermost function: bytes of its objects, and the share of them that stays. */
const SIZES: Readonly<Record<string, readonly [bytes: number, kept: number]>> = {
  "bufio.NewReaderSize": [4_096, 0.2],
  "example.com/stock/internal/store.scanItem": [256, 0.02],
  "example.com/stock/internal/cache.(*Cache).Put": [640, 0.9],
  "encoding/json.appendString[go.shape.string]": [128, 0],
  "regexp/syntax.(*parser).push": [96, 0],
  "regexp.compileOnePass": [1_024, 0.001],
};

/** The memory of one process, whose counts grow until the next release starts it anew. */
class Memory {
  #release = "";
  readonly #counts = new Map<string, number>();

  constructor(private readonly instance: string, private readonly random: Random) {}

  /** What it tells two hours after the last time. */
  upload(at: Date, release: string): Upload {
    if (release !== this.#release) this.#counts.clear();
    this.#release = release;
    const sampleTypes = ["alloc", "inuse"].flatMap((what) => [
      { type: `${what}_objects`, unit: "count" },
      { type: `${what}_space`, unit: "bytes" },
    ]);
    const periodType = { type: "space", unit: "bytes" };
    const head = { sampleTypes, durationNanos: 0n, periodType, period: 524_288n };
    const profile = new Pprof(at, head, BINARY);
    for (const { frames, weight } of stockCode("allocate", { release })) {
      const place = frames.at(-1)?.name ?? "";
      const [bytes, kept] = SIZES[place] ?? [64, 0.01];
      const made = ALLOCATED * busyness(at) * weight / 100 * this.random.around(1, 0.1);
      const all = (this.#counts.get(place) ?? 0) + Math.round(made);
      this.#counts.set(place, all);
      const inUse = Math.round(made * kept * 0.02);
      const values = [all, all * bytes, inUse, inUse * bytes].map(BigInt);
      profile.add(frames, values, [{ key: "bytes", number: BigInt(bytes), unit: "bytes" }]);
    }
    const { instance } = this;
    return profile.upload({ service: "stock", environment: "production", release, instance });
  }
}

/** Looks a second of Sentry's profiler, the longest transaction that it has time for, and the share of them that it takes. */
const RATE = 101;
const MAX_SECONDS = 12;
const SHARE = 0.7;
const THREAD = "139872300115648";

/** Puts a profile beside the transaction of a payment, unless it is one of those that are not sampled. */
export function withProfile(envelope: Envelope, segment: Segment): Envelope {
  const { trace: { scene, traceId }, entry, root, spans } = segment;
  const [transaction, ...others] = envelope.items;
  const isProfiled = entry.service === "payments" && root.end - root.start < MAX_SECONDS &&
    scene.random.chance(SHARE);
  if (!isProfiled || transaction === undefined) return envelope;
  const profileId = newId();
  const payload = transaction.payload as {
    event_id: string;
    contexts: { trace: { data: object } };
  };
  // The transaction names its profile and the thread that it ran in.
  const data = { ...payload.contexts.trace.data, "thread.id": THREAD, "thread.name": "MainThread" };
  const contexts = {
    ...payload.contexts,
    trace: { ...payload.contexts.trace, data },
    profile: { profile_id: profileId },
  };
  const profile: Item = {
    header: { type: "profile", content_type: "application/json" },
    payload: {
      event_id: profileId,
      version: "1",
      platform: "python",
      timestamp: new Date(root.start * 1000).toISOString(),
      release: scene.release("payments"),
      environment: scene.environment,
      server_name: entry.server,
      tags: { service: "payments" },
      device: { architecture: "x86_64" },
      os: { name: "Linux", version: "6.12.0" },
      runtime: { name: "CPython", version: "3.13.2" },
      transaction: {
        id: payload.event_id,
        name: root.work.name,
        trace_id: traceId,
        active_thread_id: THREAD,
      },
      profile: samplesOf(root, spans),
    },
  };
  const tied = { ...transaction, payload: { ...payload, contexts } };
  return { ...envelope, items: [profile, tied, ...others] };
}

/** What runs while spans wait or work, look by look. */
function samplesOf(root: Placed, spans: readonly Placed[]) {
  const frames = new Numbered<object>();
  const stacks = new Numbered<readonly number[]>();
  const count = Math.max(2, Math.ceil((root.end - root.start) * RATE));
  const samples = Array.from({ length: count }, (_, index) => {
    const time = root.start + index / RATE;
    const running = spans.filter(({ start, end }) => start <= time && time < end).at(-1) ?? root;
    const share = (time - running.start) / (running.end - running.start || 1);
    const route = `${running.work.op} ${share < 0.2 ? "begins" : "goes on"}`;
    const [stack] = paymentsCode("serve", { route });
    const numbers = stack?.frames.map((frame) => frames.numberOf(frameOf(frame, "python"))) ?? [];
    return {
      // Python sends both numbers as texts.
      elapsed_since_start_ns: String(Math.round(index / RATE * 1e9)),
      thread_id: THREAD,
      stack_id: stacks.numberOf(numbers.reverse()),
    };
  });
  const thread_metadata = { [THREAD]: { name: "MainThread" } };
  return { frames: frames.all, stacks: stacks.all, samples, thread_metadata };
}

/** Numbers things from 0, equal ones alike. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(thing: T): number {
    const key = JSON.stringify(thing);
    const known = this.#numbers.get(key) ?? this.all.push(thing) - 1;
    this.#numbers.set(key, known);
    return known;
  }
}
