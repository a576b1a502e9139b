/** Profiles of the Node storefront by `@datadog/pprof`: a minute of every ten, samples of traces labelled with them. */
import type { PprofLabel } from "../../lib/formats/pprof/encode.ts";
import type { Random } from "../random.ts";
import type { Trace } from "../traces/history.ts";
import { type Segment, segmentsOf } from "../traces/placed.ts";
import { releaseOf } from "../traces/services.ts";
import { sampled, type WeightedStack } from "./calls.ts";
import { PprofStacks } from "./pprof_stacks.ts";
import { BESIDE, ENDPOINT_NAMES, endpointStacks } from "./storefront_code.ts";
import { nanosOf, type Upload } from "./upload.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EVERY_MS = 10 * MINUTE_MS;
/** Long enough for the release before the newest. */
const PROFILED_MS = 1.8 * DAY_MS;
const PERIOD = 10_000_000n;
/** Samples of a minute in which somebody waits for nothing, all requests together. */
const BUSY = 900;
/** Of the time that a request takes, what it runs itself. */
const RUNNING = 0.35;
const WALL = { type: "wall", unit: "nanoseconds" };

/** What the storefront did in one trace. */
interface Served {
  readonly traceId: string;
  readonly segment: Segment;
}

/** All of them up to `now`, oldest first. */
export function storefrontUploads(
  random: Random,
  now: Date,
  traces: readonly Trace[],
): Upload[] {
  const served = traces.filter(({ scene }) => scene.environment === "production").flatMap(
    ({ traceId, root }) =>
      segmentsOf(root).filter(({ entry }) => entry.service === "storefront")
        .map((segment): Served => ({ traceId, segment })),
  );
  const count = Math.floor(PROFILED_MS / EVERY_MS);
  return Array.from({ length: count }, (_, index) => {
    const at = new Date(now.getTime() - (count - index) * EVERY_MS);
    const inside = served.filter(({ segment: { root } }) =>
      root.start * 1000 >= at.getTime() && root.end * 1000 <= at.getTime() + MINUTE_MS
    );
    return minute(random, now, at, inside);
  });
}

function minute(random: Random, now: Date, at: Date, inside: readonly Served[]): Upload {
  const release = releaseOf("storefront", "production", (now.getTime() - at.getTime()) / DAY_MS);
  const instance = inside[0]?.segment.entry.server ?? `storefront-${random.integer(1, 4)}`;
  const profile = new PprofStacks({
    sampleTypes: [
      { type: "sample", unit: "count" },
      WALL,
      { type: "cpu", unit: "nanoseconds" },
    ],
    timeNanos: nanosOf(at),
    durationNanos: 60_000_000_000n,
    periodType: WALL,
    period: PERIOD,
  }, "/usr/local/bin/node");
  const add = (
    stacks: readonly WeightedStack[],
    times: number,
    labels: readonly PprofLabel[] = [],
  ) => {
    for (const [{ frames }, found] of sampled(stacks, Math.round(times), random)) {
      const wall = BigInt(found) * PERIOD;
      const cpu = frames[0]?.name === "(idle)" ? 0n : wall * 97n / 100n;
      profile.add(frames, [BigInt(found), wall, cpu], labels);
    }
  };
  for (const endpoint of ENDPOINT_NAMES) {
    const stacks = endpointStacks(endpoint, release);
    // What takes longer is found more often.
    const weight = stacks.reduce((sum, stack) => sum + stack.weight, 0);
    add(stacks, BUSY * weight / 500 * random.around(1, 0.15), endpointLabels(endpoint));
  }
  for (const { traceId, segment: { root } } of inside) {
    const seconds = root.end - root.start;
    add(endpointStacks(root.work.name, release), Math.max(1, 100 * seconds * RUNNING), [
      ...endpointLabels(root.work.name),
      { key: "trace_id", text: traceId },
      { key: "span_id", text: root.spanId },
    ]);
  }
  add(BESIDE, BUSY);
  const bytes = profile.toGzip();
  const parameters = { service: "storefront", environment: "production", release, instance };
  return { parameters, body: () => bytes };
}

function endpointLabels(endpoint: string): PprofLabel[] {
  return [{ key: "endpoint", text: endpoint }];
}
