/** What a server does when what it stands on gives way, and when clients misbehave. Real processes throughout. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { envelopeUrl, errorEnvelope, post } from "../support/envelopes.ts";
import { ownPostgres, postgresBinDir } from "../support/own_postgres.ts";
import { readiness, spoolEmptied, startLoad } from "../support/load.ts";
import { residentMb } from "../support/resident_mb.ts";
import { startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { timeBudget } from "../support/time_budget.ts";
import { waitFor } from "../support/wait_for.ts";

/** How long Postgres stays away. */
const OUTAGE_SEC = Number(Deno.env.get("TEST_OUTAGE_SEC") ?? 3);
const IDLE_CONNECTIONS = Number(Deno.env.get("TEST_IDLE_CONNECTIONS") ?? 1_000);
/** The server's limit; slow clients are a tenth of the connections and take their time, so they must fit. */
const OPEN_FILES = Math.ceil(IDLE_CONNECTIONS * 0.7);

/** What a process may have grown by after trouble: caches and pools are warm then. A busy machine collects late. */
const MEMORY_SLACK_MB = 220;

const binDir = await postgresBinDir();

for (const isolates of [1, 2]) {
  Deno.test({
    name:
      `Postgres away for ${OUTAGE_SEC} s under load: everything acknowledged is stored once, and counted once, with ${isolates} isolate(s)`,
    ignore: binDir === null,
    fn: () => surviveOutage(isolates),
  });
}

async function surviveOutage(isolates: number): Promise<void> {
  await using cluster = await ownPostgres(binDir ?? "");
  await using stores = await serverStores();
  await using server = await startServer({ DATABASE_URL: cluster.url }, stores, isolates);
  const { serverDsn } = await server.createProject("Outage");
  const load = startLoad(envelopeUrl(serverDsn));
  await waitFor("the load", () => load.acknowledged.size > 50 || null);
  const memoryBefore = await residentMb(server.pid);
  await cluster.stop();
  const state = await waitFor("spooling", async () => {
    const ready = await readiness(server);
    return ready.intake === "spooling" ? ready : null;
  }, 20_000);
  assert.deepEqual(state.failing, ["postgres"]);
  const before = load.acknowledged.size;
  await waitFor(
    "acknowledgements through the spool",
    () => load.acknowledged.size > before + 50 || null,
    20_000,
  );
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_SEC * 1_000));
  await cluster.start();
  await waitFor(
    "readiness",
    async () => (await readiness(server)).status === "ready" || null,
    30_000,
  );
  await load.stop();
  await spoolEmptied(server, timeBudget(60_000 + OUTAGE_SEC * 2_000));
  const grown = await residentMb(server.pid) - memoryBefore;
  assert.ok(grown < MEMORY_SLACK_MB, `${grown} MB more than before`);

  const sql = postgres(cluster.url, { max: 1 });
  try {
    const stored = await waitFor("all events", async () => {
      const rows = await sql<{ id: string }[]>`
        select replace(event_id::text, '-', '') as id from events
      `;
      return rows.length >= load.acknowledged.size ? rows.map(({ id }) => id) : null;
    }, 30_000);
    assert.equal(new Set(stored).size, stored.length, "no event is stored twice");
    const missing = [...load.acknowledged].filter((id) => !stored.includes(id));
    assert.deepEqual(missing, []);
    const [counts] = await sql`
      select sum(quantity) filter (where kind = 'accepted')::int as accepted,
        coalesce(sum(quantity) filter (where kind = 'duplicate'), 0)::int as duplicates
      from outcomes where category = 'error'
    `;
    assert.deepEqual({ ...counts }, { accepted: stored.length, duplicates: 0 });
  } finally {
    await sql.end();
  }
}

Deno.test(`${IDLE_CONNECTIONS} idle connections and slow clients, more than ${OPEN_FILES} files allow, do not keep others from being served`, async () => {
  // All from one address, as from a proxy.
  const env = { SERVICE_TRUST_PROXY: "true" };
  await using server = await startServer(env, undefined, 1, { files: OPEN_FILES });
  const { serverDsn } = await server.createProject("Slow");
  const url = envelopeUrl(serverDsn);
  const serve = () =>
    Promise.all(Array.from({ length: 100 }, () => post(url, errorEnvelope().body)));
  await serve();
  const memoryBefore = await residentMb(server.pid);
  {
    await using _crowd = await crowd(url);
    const started = performance.now();
    const statuses = await serve();
    assert.ok(statuses.every((status) => status === 200));
    assert.ok(performance.now() - started < timeBudget(5_000), "the others are served in time");
  }
  await waitFor("memory to come back", async () => {
    await serve();
    return await residentMb(server.pid) < memoryBefore + MEMORY_SLACK_MB || null;
  }, 30_000);
});

/** Connections that say nothing; every tenth sends a body of which a byte comes each second. */
async function crowd(url: string): Promise<AsyncDisposable> {
  const { hostname, port, pathname, search } = new URL(url);
  const head = `POST ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n`;
  const connections: Deno.Conn[] = [];
  for (let index = 0; index < IDLE_CONNECTIONS; index++) {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    connections.push(connection);
    if (index % 10 === 0) await connection.write(new TextEncoder().encode(head));
  }
  const slow = connections.filter((_, index) => index % 10 === 0);
  const drip = () => Promise.all(slow.map((each) => each.write(new TextEncoder().encode("{"))));
  await drip();
  const timer = setInterval(() => drip().catch(() => {}), 1_000);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await drip().catch(() => {});
      for (const connection of connections) connection.close();
    },
  };
}
