import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import type { Server } from "../../support/server.ts";
import { gunzipped } from "../limits.ts";
import { isolatesOf } from "../mixed/mixed.ts";
import { cpuSeconds, peakRssMiB } from "../process_stats.ts";
import { prepareRequests, replay } from "../replay.ts";
import { serveOn } from "../serve_on.ts";
import type { Bench, Bound, Figure } from "../table.ts";
import { makeTargets } from "../traces/ingest/targets.ts";
import { SERVICE, uploadPaths, uploadsOf } from "./upload_request.ts";

/** What is promised on four isolates, a second. */
const STEADY_RATE = 150;
/** Prepared for as-fast-as-possible runs; more than answers come. */
const MAX_RATE = { 1: 600, 4: 1_200 } as const;
const WARM_UP_SEC = 4;
const CONNECTIONS = 16;
const MS_A_SEC = 1_000;

/** Uploads of pprof at a steady rate and as fast as answers come, on one isolate and on four. */
export async function benchUploads({ databaseUrl, seconds }: Bench): Promise<Figure[]> {
  const make = uploadsOf(SERVICE);
  const bodies = Array.from({ length: 10 }, (_, index) => make(index).body);
  // Nobody can read a profile without taking its gzip off.
  const limit = gunzipped(bodies, MS_A_SEC);
  const plain = bodies.reduce((sum, body) => sum + inflatePprof(body).length, 0) / bodies.length;
  console.error(`profiles of ${(plain / 1_000).toFixed(0)} KB without gzip`);
  const figures: Figure[] = [];
  for (const steady of [STEADY_RATE / 3, STEADY_RATE, 0]) {
    await using server = await serveOn(databaseUrl, 1);
    figures.push(...await measure(server, { seconds, steady, isolates: 1, limit }));
  }
  for (const steady of [STEADY_RATE, 0]) {
    await using server = await serveOn(databaseUrl, 4);
    figures.push(...await measure(server, { seconds, steady, isolates: 4, limit }));
  }
  return figures;
}

interface Load {
  readonly seconds: number;
  /** Requests a second; 0 is as fast as answers come. */
  readonly steady: number;
  readonly isolates: 1 | 4;
  /** CPU milliseconds of a profile. */
  readonly limit: Bound;
}

async function measure(server: Server, load: Load): Promise<Figure[]> {
  const { seconds, steady, isolates, limit } = load;
  const make = uploadsOf(SERVICE);
  const perSec = steady === 0 ? MAX_RATE[isolates] : steady * 1.2;
  await using warmUp = await prepareRequests(WARM_UP_SEC * Math.ceil(perSec), make);
  await using requests = await prepareRequests(Math.ceil(seconds * perSec), uploadsOf(SERVICE));
  const sending = {
    url: server.url,
    paths: uploadPaths(await makeTargets(server)),
    rate: steady,
    connections: CONNECTIONS,
    encoding: "plain",
    contentType: "application/octet-stream",
  } as const;
  await replay(warmUp, { ...sending, seconds: WARM_UP_SEC });
  const cpu = cpuSeconds(server.pid);
  const result = await replay(requests, { ...sending, seconds });
  const used = cpuSeconds(server.pid) - cpu;
  const count = result.requestsPerSec * seconds;
  const size = `${(requests.medianSentBytes / 1_000).toFixed(0)} KB`;
  const what = `${steady === 0 ? "at the most" : `at ${steady}/s`}, ${isolatesOf(isolates)}`;
  const of = (figure: string, unit: string, ours: number, bound?: Bound): Figure => ({
    part: "uploads",
    figure: `${figure} ${what}`,
    unit,
    ours,
    limit: bound,
  });
  return [
    of(`durable, of ${size},`, "/s", result.requestsPerSec - result.errors / seconds),
    of("not 200", "requests", result.errors),
    of("p50", "ms", result.p50Ms),
    of("p99", "ms", result.p99Ms),
    of("CPU of the service for each", "ms", used / count * MS_A_SEC, limit),
    of("peak memory", "MiB", peakRssMiB(server.pid)),
  ];
}
