/** Profiles of the Go stock service: one of its processors each hour, one of its memory every other hour. */
import type { Random } from "../random.ts";
import { sampled } from "./calls.ts";
import { PprofStacks } from "./pprof_stacks.ts";
import { BACKGROUND, cpuStacks, REGRESSED, ROUTES } from "./stock_code.ts";
import { type Allocations, allocationsOf } from "./stock_memory.ts";
import { nanosOf, type Upload } from "./upload.ts";

const HOUR_MS = 3_600_000;
const DAYS = 9;
/** As with the errors of the service. */
const REGRESSED_DAYS = 7;
const BEFORE = "stock@0.9.0";
const INSTANCES = ["stock-1", "stock-2"] as const;
const BINARY = "/usr/local/bin/stock";
const SECONDS = 10;
const PERIOD = 10_000_000n;
const CPU = { type: "cpu", unit: "nanoseconds" };
const SPACE = { type: "space", unit: "bytes" };
/** Allocations that are counted in two hours, before some are kept. */
const ALLOCATED = 400_000;

/** All of them up to `now`, oldest first. */
export function stockUploads(random: Random, now: Date): Upload[] {
  const hours = Array.from({ length: DAYS * 24 }, (_, hour) => DAYS * 24 - hour);
  const memory = INSTANCES.map((instance) => new Memory(instance, random));
  return hours.flatMap((ago) => {
    const at = new Date(now.getTime() - ago * HOUR_MS + random.integer(0, 50) * 60_000);
    const release = ago <= REGRESSED_DAYS * 24 ? REGRESSED : BEFORE;
    const cpu = INSTANCES.map((instance) => cpuUpload({ at, release, instance, random }));
    return ago % 2 === 0 ? [...cpu, ...memory.map((each) => each.upload(at, release))] : cpu;
  });
}

interface Moment {
  readonly at: Date;
  readonly release: string;
  readonly instance: string;
  readonly random: Random;
}

function parametersOf({ release, instance }: Pick<Moment, "release" | "instance">) {
  return { service: "stock", environment: "production", release, instance };
}

function cpuUpload(moment: Moment): Upload {
  const { at, release, random } = moment;
  const profile = new PprofStacks({
    sampleTypes: [{ type: "samples", unit: "count" }, CPU],
    timeNanos: nanosOf(at),
    durationNanos: BigInt(SECONDS) * 1_000_000_000n,
    periodType: CPU,
    period: PERIOD,
  }, BINARY);
  const busy = (activity(at) * random.around(260, 0.1)) * (release === REGRESSED ? 1.35 : 1);
  const add = (stacks: typeof BACKGROUND, times: number, route?: string) => {
    const labels = route === undefined ? [] : [{ key: "route", text: route }];
    for (const [{ frames }, found] of sampled(stacks, times, random)) {
      profile.add(frames, [BigInt(found), BigInt(found) * PERIOD], labels);
    }
  };
  for (const route of ROUTES) add(cpuStacks(route, release), Math.round(busy), route);
  add(BACKGROUND, Math.round(busy / 4));
  const bytes = profile.toGzip();
  return { parameters: parametersOf(moment), body: () => bytes };
}

/** The memory of one process, whose counts grow until the next release starts it anew. */
class Memory {
  #release = "";
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly instance: string,
    private readonly random: Random,
  ) {}

  /** What it tells two hours after the last time. */
  upload(at: Date, release: string): Upload {
    if (release !== this.#release) this.#counts.clear();
    this.#release = release;
    const objects = { unit: "count" };
    const profile = new PprofStacks({
      sampleTypes: [
        { type: "alloc_objects", ...objects },
        { type: "alloc_space", unit: "bytes" },
        { type: "inuse_objects", ...objects },
        { type: "inuse_space", unit: "bytes" },
      ],
      timeNanos: nanosOf(at),
      durationNanos: 0n,
      periodType: SPACE,
      period: 524_288n,
    }, BINARY);
    for (const place of allocationsOf(release)) this.#add(profile, place, activity(at));
    const bytes = profile.toGzip();
    return { parameters: parametersOf({ release, instance: this.instance }), body: () => bytes };
  }

  #add(profile: PprofStacks, { stack, bytes, kept }: Allocations, busy: number): void {
    const key = stack.frames.map(({ name }) => name).join(";");
    const made = Math.round(ALLOCATED * busy * stack.weight / 100 * this.random.around(1, 0.1));
    const all = (this.#counts.get(key) ?? 0) + made;
    this.#counts.set(key, all);
    const inUse = Math.round(made * kept * 0.02);
    const size = BigInt(bytes);
    profile.add(
      stack.frames,
      [BigInt(all), BigInt(all) * size, BigInt(inUse), BigInt(inUse) * size],
      [{ key: "bytes", number: size, unit: "bytes" }],
    );
  }
}

/** More by day than by night, as with the shop's visits. */
function activity(at: Date): number {
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60;
  return 0.35 + 0.65 * ((1 + Math.cos(((hour - 16) / 24) * 2 * Math.PI)) / 2);
}
