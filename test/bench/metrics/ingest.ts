/**
 * CPU that samples take through `/v1/metrics` and through Prometheus remote write, of the service and of Postgres, until
 * all are packed; and beside them what VictoriaMetrics takes for the same requests. In turns, since machines are not as
 * fast all the time.
 */
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { freePort } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";
import { copied } from "../limits.ts";
import { goProgram, VERSIONS } from "../peers/install.ts";
import { cpuSeconds, peakRssMiB, postmasterOf, treeCpuSeconds } from "../process_stats.ts";
import { serveOn } from "../serve_on.ts";
import type { Bench, Bound, Figure } from "../table.ts";
import { makeTargets } from "../traces/ingest/targets.ts";
import { makeRequest, SERIES, type Way, WAYS } from "./load.ts";

const CONNECTIONS = 8;
/** VictoriaMetrics writes what it holds in memory after 5 s. */
const FLUSH_MS = 6_000;
const LOOK_MS = 500;
/** What of a project is little waits for two minutes. */
const FEW_POINTS = 20_000 * 4;
const WARM_UP = 40;

const ROUNDS = 3;
/** Of a round, for each second that a load lasts. */
const REQUESTS_PER_SEC = 10;

interface Target extends AsyncDisposable {
  readonly name: string;
  /** Where each request goes, with its key. */
  readonly address: (way: Way, index: number) => { url: string; key: string };
  /** Resolves when all that was sent is where it stays for a while. */
  settle(): Promise<void>;
  /** Seconds so far, of all that takes part. */
  cpu(): number;
  readonly pid: number;
}

/** What a sample costs by each protocol. */
export async function benchSamples(bench: Bench): Promise<Figure[]> {
  const all = Object.keys(WAYS) as Way[];
  const named = all.filter((way) => Deno.args.includes(way));
  const figures: Figure[] = [];
  for (const way of named.length > 0 ? named : all) figures.push(...await measure(way, bench));
  return figures;
}

async function measure(way: Way, { databaseUrl, seconds, withPeers }: Bench): Promise<Figure[]> {
  const count = Math.max(1, Math.round(seconds * REQUESTS_PER_SEC));
  await using ours = await startOurs(databaseUrl);
  await using theirs = withPeers ? await startVictoria() : null;
  const targets: Target[] = theirs === null ? [ours] : [ours, theirs];
  const spent = new Map(targets.map((target) => [target, { cpu: 0, ms: 0 }]));
  for (let round = 0; round <= ROUNDS; round++) {
    const isWarmUp = round === 0;
    const first = isWarmUp ? 0 : WARM_UP + (round - 1) * count;
    const bodies = Array.from(
      { length: isWarmUp ? WARM_UP : count },
      (_, index) => makeRequest(way, first + index).body,
    );
    for (const target of targets) {
      const before = target.cpu();
      const began = performance.now();
      await sendAll(target, way, bodies);
      const ms = performance.now() - began;
      await target.settle();
      const sum = spent.get(target);
      if (isWarmUp || sum === undefined) continue;
      sum.cpu += target.cpu() - before;
      sum.ms += ms;
    }
  }
  const samples = count * ROUNDS * SERIES;
  const own = spent.get(ours);
  if (own === undefined) return [];
  const peer = theirs === null ? undefined : spent.get(theirs);
  const bodies = Array.from({ length: 4 }, (_, index) => makeRequest(way, index).body);
  const of = (
    figure: string,
    unit: string,
    value: (sum: { readonly cpu: number; readonly ms: number }) => number,
    limit?: Bound,
  ): Figure => ({
    part: "samples",
    figure: `${figure}, ${WAYS[way].name}`,
    unit,
    ours: value(own),
    limit,
    peer: peer && theirs !== null ? { name: theirs.name, value: value(peer) } : undefined,
  });
  return [
    of("answered", "/s", ({ ms }) => samples / ms * 1_000),
    of(
      "CPU with the database's a million",
      "s",
      ({ cpu }) => cpu / samples * 1e6,
      copied(bodies, 1e6 / SERIES),
    ),
    { ...of("peak memory", "MiB", () => peakRssMiB(ours.pid)), peer: undefined },
  ];
}

async function sendAll(
  target: Target,
  way: Way,
  bodies: readonly Uint8Array[],
): Promise<void> {
  const { contentType, encoding } = WAYS[way];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < bodies.length; index = next++) {
      const { url, key } = target.address(way, index);
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${key}`,
          "content-type": contentType,
          "content-encoding": encoding,
        },
        body: new Uint8Array(bodies[index] ?? []),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`${target.name} answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

async function startOurs(databaseUrl: string): Promise<Target> {
  await using made = new AsyncDisposableStack();
  const server = made.use(await serveOn(databaseUrl, 1));
  const keys = (await makeTargets(server)).map(({ publicKey }) => publicKey);
  const sql = connectServer(databaseUrl);
  made.defer(() => sql.end());
  const postmaster = await postmasterOf(sql);
  const all = made.move();
  return {
    name: "Watchpost and Postgres",
    address: (way, index) => ({
      url: server.url + WAYS[way].path,
      key: keys[index % keys.length] ?? "",
    }),
    settle: () => packed(sql),
    cpu: () => treeCpuSeconds(server.pid) + treeCpuSeconds(postmaster),
    pid: server.pid,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function packed(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ points: number }[]>`
      select coalesce(sum(points), 0)::float8 as points from metric_batches
    `;
    if ((row?.points ?? 0) <= FEW_POINTS) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Null after a line that says why it cannot be had. */
async function startVictoria(): Promise<Target | null> {
  const program = "github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics";
  const binary = await goProgram("victoria-metrics", program, VERSIONS.victoriaMetrics);
  if (binary === null) return null;
  await using made = new AsyncDisposableStack();
  const data = await Deno.makeTempDir({ prefix: "watchpost-victoria-" });
  made.defer(() => Deno.remove(data, { recursive: true }));
  const port = freePort();
  const process = new Deno.Command(binary, {
    args: [`-storageDataPath=${data}`, `-httpListenAddr=127.0.0.1:${port}`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  made.defer(async () => {
    process.kill("SIGTERM");
    await process.status;
  });
  const base = `http://127.0.0.1:${port}`;
  await waitFor("VictoriaMetrics", async () => {
    const answer = await fetch(`${base}/health`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok || null;
  });
  const all = made.move();
  return {
    name: `VictoriaMetrics ${VERSIONS.victoriaMetrics}`,
    address: (way) => ({ url: base + WAYS[way].peerPath, key: "" }),
    settle: () => new Promise((resolve) => setTimeout(resolve, FLUSH_MS)),
    cpu: () => cpuSeconds(process.pid),
    pid: process.pid,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
