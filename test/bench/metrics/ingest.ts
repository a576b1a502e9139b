/**
 * CPU that samples take through `/v1/metrics` and through Prometheus remote write, of the service and of Postgres, until
 * all are packed; and beside them what VictoriaMetrics takes for the same requests, where it is installed. In turns, since
 * machines are not as fast all the time. On the Postgres that `TEST_DATABASE_URL` names.
 *
 *   deno run -A test/bench/metrics/ingest.ts [requests a round] [rounds] [otlp] [remoteWrite]    both, unless named
 */
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { freePort } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";
import { benchDatabase } from "../database.ts";
import { figure, rate } from "../figures.ts";
import { cpuSeconds, peakRssMiB } from "../process_stats.ts";
import { serveOn } from "../serve_on.ts";
import { makeTargets } from "../traces/ingest/targets.ts";
import { makeRequest, SERIES, type Way, WAYS } from "./load.ts";
import { postgresCpuSeconds } from "./postgres_cpu.ts";

const CONNECTIONS = 8;
/** VictoriaMetrics writes what it holds in memory after 5 s. */
const FLUSH_MS = 6_000;
const LOOK_MS = 500;
/** What of a project is little waits for two minutes. */
const FEW_POINTS = 20_000 * 4;
const WARM_UP = 40;

const [count = 160, rounds = 3] = Deno.args.filter((word) => /^\d+$/.test(word)).map(Number);
const ways = (Object.keys(WAYS) as Way[]).filter((way) =>
  Deno.args.includes(way) || !Deno.args.some((each) => /^[a-z]+$/i.test(each))
);

interface Target extends AsyncDisposable {
  readonly name: string;
  /** Where each request goes, with its key. */
  readonly address: (way: Way, index: number) => { url: string; key: string };
  /** Resolves when all that was sent is where it stays for a while. */
  settle(): Promise<void>;
  /** Seconds so far, of all that takes part. */
  cpu(): Promise<number> | number;
  readonly pid: number;
}

for (const way of ways) await bench(way);

async function bench(way: Way): Promise<void> {
  await using ours = await startOurs();
  await using theirs = await startVictoria();
  const targets: Target[] = theirs === null ? [ours] : [ours, theirs];
  const spent = new Map(targets.map((target) => [target, { cpu: 0, ms: 0 }]));
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    const first = isWarmUp ? 0 : WARM_UP + (round - 1) * count;
    const bodies = Array.from(
      { length: isWarmUp ? WARM_UP : count },
      (_, index) => makeRequest(way, first + index).body,
    );
    for (const target of targets) {
      const before = await target.cpu();
      const began = performance.now();
      await sendAll(target, way, bodies);
      const ms = performance.now() - began;
      await target.settle();
      const sum = spent.get(target);
      if (isWarmUp || sum === undefined) continue;
      sum.cpu += await target.cpu() - before;
      sum.ms += ms;
    }
  }
  const samples = count * rounds * SERIES;
  console.log(`\n${WAYS[way].name}, ${SERIES} series a request, ${rounds} rounds of ${count}`);
  for (const [{ name, pid }, { cpu, ms }] of spent) {
    const perSample = (cpu * 1e9 / samples).toFixed(0);
    figure(name, `${rate(samples / cpu)} samples a second of CPU, ${perSample} ns each`);
    figure("", `${rate(samples / ms * 1_000)} /s answered, ${peakRssMiB(pid).toFixed(0)} MiB`);
  }
  const [own, peer] = [spent.get(ours), theirs === null ? undefined : spent.get(theirs)];
  if (own !== undefined && peer !== undefined) {
    figure("CPU to VictoriaMetrics'", `${(own.cpu / peer.cpu).toFixed(2)} to 1`);
  }
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

async function startOurs(): Promise<Target> {
  await using made = new AsyncDisposableStack();
  const database = made.use(await benchDatabase());
  const server = made.use(await serveOn(database.url, 1));
  const keys = (await makeTargets(server)).map(({ publicKey }) => publicKey);
  const sql = connectServer(database.url);
  made.defer(() => sql.end());
  const postgres = await postgresCpuSeconds(sql);
  const all = made.move();
  return {
    name: "Watchpost and Postgres",
    address: (way, index) => ({
      url: server.url + WAYS[way].path,
      key: keys[index % keys.length] ?? "",
    }),
    settle: () => packed(sql),
    async cpu() {
      const [own, store] = [cpuSeconds(server.pid), postgres()];
      if (Deno.env.has("BENCH_VERBOSE")) console.log({ own, store });
      return await Promise.resolve(own + store);
    },
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

async function startVictoria(): Promise<Target | null> {
  await using made = new AsyncDisposableStack();
  const data = await Deno.makeTempDir({ prefix: "watchpost-victoria-" });
  made.defer(() => Deno.remove(data, { recursive: true }));
  const port = freePort();
  let process: Deno.ChildProcess;
  try {
    process = new Deno.Command(Deno.env.get("VICTORIA_METRICS") ?? "victoria-metrics", {
      args: [`-storageDataPath=${data}`, `-httpListenAddr=127.0.0.1:${port}`],
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch {
    console.log("\nVictoriaMetrics: skipped; it is not installed");
    return null;
  }
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
    name: "VictoriaMetrics",
    address: (way) => ({ url: base + WAYS[way].peerPath, key: "" }),
    settle: () => new Promise((resolve) => setTimeout(resolve, FLUSH_MS)),
    cpu: () => cpuSeconds(process.pid),
    pid: process.pid,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
