/** What a server on Citus does when a worker dies under load, and when one is added; see `test/support/citus.sh`. */
import assert from "node:assert/strict";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { envelopeUrl } from "../support/envelopes.ts";
import { type Load, readiness, spoolEmptied, startLoad } from "../support/load.ts";
import { type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { throwAwayDatabase, WORKERS } from "../support/throw_away_database.ts";
import { waitFor } from "../support/wait_for.ts";

const ignore = WORKERS.length < 2;
if (ignore) {
  console.warn("skipped: no Citus with two workers is named here (test/support/citus.sh)");
}

/** Enough that each worker has some. */
const PROJECTS = 6;
const LIMIT_MS = 120_000;

async function worker(action: "kill" | "restart"): Promise<void> {
  const { success } = await new Deno.Command("bash", {
    args: ["test/support/citus.sh", action, "1"],
  }).output();
  assert.ok(success, `${action} of a worker`);
}

interface LoadedProject {
  readonly id: string;
  readonly load: Load;
}

async function loadProjects(server: Server): Promise<LoadedProject[]> {
  const projects: LoadedProject[] = [];
  for (let index = 0; index < PROJECTS; index++) {
    const { serverDsn } = await server.createProject(`Shop ${index}`);
    const id = new URL(serverDsn).pathname.slice(1);
    projects.push({ id, load: startLoad(envelopeUrl(serverDsn), undefined, 1) });
  }
  return projects;
}

function acknowledged(projects: readonly LoadedProject[]): number {
  return projects.reduce((sum, { load }) => sum + load.acknowledged.size, 0);
}

/** Each acknowledged event is there once, and counted once. */
async function compare(sql: Sql, projects: readonly LoadedProject[]): Promise<void> {
  for (const { id, load } of projects) {
    const ids = [...load.acknowledged];
    const [row] = await sql<{ known: number; stored: number; seen: number; accepted: number }[]>`
      select
        (select count(*)::int from event_ids where project_id = ${id} and event_id = any (${ids}::uuid[])) as known,
        (select count(*)::int from events where project_id = ${id}) as stored,
        (select sum(times_seen)::int from issues where project_id = ${id}) as seen,
        (select sum(quantity)::int from outcomes
          where project_id = ${id} and category = 'error' and kind = 'accepted') as accepted
    `;
    assert.equal(row?.known, ids.length, `acknowledged events of project ${id}`);
    assert.ok((row?.stored ?? 0) >= ids.length);
    assert.equal(row?.seen, row?.stored, `counts of issues of project ${id}`);
    assert.equal(row?.accepted, row?.stored, `outcomes of project ${id}`);
  }
}

Deno.test({
  name:
    "a worker of Citus that is killed under load costs nothing that was acknowledged, and doubles nothing",
  ignore,
  async fn() {
    await using stores = await serverStores();
    await using server = await startServer({}, stores, 1);
    const projects = await loadProjects(server);
    await waitFor("the load", () => acknowledged(projects) > 60 || null, LIMIT_MS);
    await worker("kill");
    const before = acknowledged(projects);
    await waitFor(
      "answers without it",
      () => acknowledged(projects) > before + 60 || null,
      LIMIT_MS,
    );
    await worker("restart");
    const sql = connectServer(stores.env.DATABASE_URL ?? "");
    try {
      // What was prepared on the worker when it died; Citus does this by itself once a minute.
      await sql`select recover_prepared_transactions()`;
      await Promise.all(projects.map(({ load }) => load.stop()));
      await waitFor(
        "readiness",
        async () => (await readiness(server)).status === "ready" || null,
        LIMIT_MS,
      );
      await spoolEmptied(server, LIMIT_MS);
      await sql`select recover_prepared_transactions()`;
      await compare(sql, projects);
    } finally {
      await sql.end();
    }
  },
});

Deno.test({
  name:
    "a worker is added to Citus under load and takes its share: everything acknowledged is there",
  ignore,
  async fn() {
    const [first = "", second = ""] = WORKERS;
    const url = Deno.env.get("TEST_DATABASE_URL") ?? "";
    await using database = await throwAwayDatabase(url, { workers: [first] });
    const sql = connectServer(database.url);
    try {
      await migrate(sql, silentLogger);
      await using stores = await serverStores();
      await using server = await startServer({ DATABASE_URL: database.url }, stores, 1);
      const projects = await loadProjects(server);
      await waitFor("the load", () => acknowledged(projects) > 60 || null, LIMIT_MS);
      await sql`select citus_add_node('127.0.0.1', ${Number(second)}::integer)`;
      await sql`select rebalance_table_shards(shard_transfer_mode => 'force_logical')`;
      const before = acknowledged(projects);
      await waitFor(
        "answers on both",
        () => acknowledged(projects) > before + 60 || null,
        LIMIT_MS,
      );
      await Promise.all(projects.map(({ load }) => load.stop()));
      await spoolEmptied(server, LIMIT_MS);
      await compare(sql, projects);
      const [moved] = await sql`
        select count(*)::int as count from citus_shards
        where table_name = 'issues'::regclass and nodeport = ${Number(second)}
      `;
      assert.equal(moved?.count, 2);
    } finally {
      await sql.end();
    }
  },
});
