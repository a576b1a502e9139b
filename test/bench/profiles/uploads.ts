import type { Server } from "../../support/server.ts";
import { figure, rate } from "../figures.ts";
import { cpuSeconds, peakRssMiB } from "../process_stats.ts";
import { prepareRequests, replay } from "../replay.ts";
import { serveOn } from "../serve_on.ts";
import { makeTargets } from "../traces/ingest/targets.ts";
import { SERVICE, uploadsOf } from "./upload_request.ts";

/** What is promised on four isolates, a second. */
const STEADY_RATE = 150;
/** Prepared for as-fast-as-possible runs; more than answers come. */
const MAX_RATE = { 1: 250, 4: 600 } as const;
const WARM_UP_SEC = 4;
const CONNECTIONS = 16;

/** Uploads of pprof at a steady rate and as fast as answers come, on one isolate and on four. */
export async function benchUploads(databaseUrl: string, seconds: number): Promise<void> {
  for (const steady of [STEADY_RATE / 3, STEADY_RATE, 0]) {
    await using server = await serveOn(databaseUrl, 1);
    await measure(server, { seconds, steady, isolates: 1 });
  }
  for (const steady of [STEADY_RATE, 0]) {
    await using server = await serveOn(databaseUrl, 4);
    await measure(server, { seconds, steady, isolates: 4 });
  }
}

interface Load {
  readonly seconds: number;
  /** Requests a second; 0 is as fast as answers come. */
  readonly steady: number;
  readonly isolates: 1 | 4;
}

async function measure(server: Server, { seconds, steady, isolates }: Load): Promise<void> {
  const make = uploadsOf(SERVICE);
  const perSec = steady === 0 ? MAX_RATE[isolates] : steady * 1.2;
  await using warmUp = await prepareRequests(WARM_UP_SEC * Math.ceil(perSec), make);
  await using requests = await prepareRequests(Math.ceil(seconds * perSec), uploadsOf(SERVICE));
  const paths = (await makeTargets(server)).map(({ publicKey }) =>
    `/api/v1/profiles/pprof?service=shop&environment=production ${publicKey}`
  );
  const load = {
    url: server.url,
    paths,
    rate: steady,
    connections: CONNECTIONS,
    encoding: "plain",
    contentType: "application/octet-stream",
  } as const;
  await replay(warmUp, { ...load, seconds: WARM_UP_SEC });
  const cpu = cpuSeconds(server.pid);
  const result = await replay(requests, { ...load, seconds });
  const used = cpuSeconds(server.pid) - cpu;
  const count = result.requestsPerSec * seconds;
  console.log(`
uploads of pprof, ${steady === 0 ? "as fast as answers come" : `${steady} a second`}, ${isolates} ${
    isolates === 1 ? "isolate" : "isolates"
  }, ${seconds} s, ${kilobytes(requests.medianSentBytes)} KB as gzip of ${
    kilobytes(requests.medianBytes)
  } KB, ${CONNECTIONS} connections`);
  figure("answered requests", `${rate(result.requestsPerSec)} /s, ${result.errors} not 200`);
  figure("latency p50 / p99", `${result.p50Ms.toFixed(1)} / ${result.p99Ms.toFixed(1)} ms`);
  figure("CPU of the service", `${(used / count * 1_000).toFixed(1)} ms an upload`);
  figure("peak memory of the service", `${peakRssMiB(server.pid).toFixed(0)} MiB`);
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}
