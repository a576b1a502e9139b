/** Profiles of the Go stock service: one of its processors each hour, one of its memory every other hour. */
import type { Random } from "../story.ts";
import { BACKGROUND, cpuStacks, REGRESSED, ROUTES } from "./stock_code.ts";
import {
  call,
  nanosOf,
  PprofStacks,
  sampled,
  stacksOf,
  type Upload,
  type WeightedStack,
} from "./upload.ts";

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

/** What the Go stock service allocates, and what it keeps of it. */

const GO = "/usr/local/go/src";
const STOCK = "/src/stock/internal";

/** Places that allocate, with the size of their objects and the share that stays. */
interface Allocations {
  readonly stack: WeightedStack;
  readonly bytes: number;
  /** Of what was allocated in the last minutes. */
  readonly kept: number;
}

/** Sizes and shares by the innermost function. */
const SIZES: Readonly<Record<string, { readonly bytes: number; readonly kept: number }>> = {
  "bufio.NewReaderSize": { bytes: 4_096, kept: 0.2 },
  "example.com/stock/internal/store.scanItem": { bytes: 256, kept: 0.02 },
  "example.com/stock/internal/cache.(*Cache).Put": { bytes: 640, kept: 0.9 },
  "encoding/json.appendString[go.shape.string]": { bytes: 128, kept: 0 },
  "regexp/syntax.(*parser).push": { bytes: 96, kept: 0 },
  "regexp.compileOnePass": { bytes: 1_024, kept: 0.001 },
};

/** All places of a release that allocate. */
function allocationsOf(release: string): readonly Allocations[] {
  return stacksOf([
    call(
      "net/http.(*conn).serve",
      `${GO}/net/http/server.go`,
      2067,
      0,
      call(
        "net/http.newBufioReader",
        `${GO}/net/http/server.go`,
        851,
        0,
        call("bufio.NewReaderSize", `${GO}/bufio/bufio.go`, 57, 3),
      ),
      call(
        "example.com/stock/internal/server.(*Server).List",
        `${STOCK}/server/list.go`,
        44,
        0,
        call(
          "example.com/stock/internal/store.(*Store).List",
          `${STOCK}/store/list.go`,
          29,
          0,
          call("example.com/stock/internal/store.scanItem", `${STOCK}/store/scan.go`, 12, 40),
          call("example.com/stock/internal/cache.(*Cache).Put", `${STOCK}/cache/cache.go`, 58, 6),
        ),
        call(
          "encoding/json.(*Encoder).Encode",
          `${GO}/encoding/json/stream.go`,
          209,
          0,
          call(
            "encoding/json.appendString[go.shape.string]",
            `${GO}/encoding/json/encode.go`,
            983,
            20,
          ),
        ),
        ...(release === REGRESSED
          ? [
            call(
              "example.com/stock/internal/sku.Normalize",
              `${STOCK}/sku/normalize.go`,
              31,
              0,
              call(
                "regexp.MustCompile",
                `${GO}/regexp/regexp.go`,
                313,
                0,
                call("regexp/syntax.(*parser).push", `${GO}/regexp/syntax/parse.go`, 341, 70),
                call("regexp.compileOnePass", `${GO}/regexp/onepass.go`, 460, 25),
              ),
            ),
          ]
          : []),
      ),
    ),
  ]).map((stack) => ({ stack, ...(SIZES[stack.frames.at(-1)?.name ?? ""] ?? SMALL) }));
}

const SMALL = { bytes: 64, kept: 0.01 };
