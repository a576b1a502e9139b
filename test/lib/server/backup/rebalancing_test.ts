/** What a backup of Citus has when rows move between workers while it is made, or restored; see `test/support/citus.sh`. */
import assert from "node:assert/strict";
import { backUp } from "@/lib/server/backup/back_up.ts";
import type { Place } from "@/lib/server/backup/place.ts";
import { restore } from "@/lib/server/backup/restore.ts";
import { shardsOf, withShardedSnapshot } from "@/lib/server/backup/shards.ts";
import type { Snapshot } from "@/lib/server/backup/snapshot.ts";
import type { Sql } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { keyed, placeIn, sourceOf } from "@/test/support/backup_world.ts";
import {
  type Cluster,
  cluster,
  contentOf,
  projectsApart,
  writePairs,
} from "@/test/support/citus_cluster.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { logRecord, transactionRecord } from "@/test/support/records.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testKv, testObjects } from "@/test/support/stores.ts";
import { tempDir } from "@/test/support/temp_dir.ts";
import { WORKERS } from "@/test/support/throw_away_database.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

const ignore = WORKERS.length < 2;
if (ignore) {
  console.warn("skipped: no Citus with two workers is named here (test/support/citus.sh)");
}

const LIMIT_MS = 120_000;
/** Enough that each worker has some. */
const PROJECTS = ["1", "2", "3", "4", "5"];
const TRY_AGAIN =
  /^ConfigError: Citus moved rows of \w+ before they were copied: try again when rebalancing is over$/;

interface World extends AsyncDisposable, Cluster {
  readonly place: Place;
  /** Makes a backup, and does something else when its moment has come and nothing is read yet. */
  backUp(meanwhile?: () => Promise<unknown>): Promise<string>;
  /** What is in a backup, restored into an empty database. @default a plain Postgres */
  restored<T>(id: string, look: (sql: Sql) => Promise<T>): Promise<T>;
}

/** With projects on each worker, that have something in many tables. */
async function filled(): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await cluster());
  await fill(world.sql);
  const all = opened.move();
  return await worldOf(world, all);
}

async function fill(sql: Sql): Promise<void> {
  await using writer = testWriter(sql);
  for (const id of await projectsApart(sql)) {
    await writer.store(id, errorEvent({}), logRecord({}), transactionRecord({}));
  }
}

async function worldOf({ sql, url }: Cluster, opened: AsyncDisposableStack): Promise<World> {
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const folder = opened.use(await tempDir());
  const place = opened.use(await placeIn({ folder }));
  return {
    ...{ sql, url, place },
    async backUp(meanwhile = () => Promise.resolve()) {
      const source = {
        ...sourceOf({ kv, sql, objects }),
        withPostgres: <T>(read: (snapshot: Snapshot) => Promise<T>) =>
          withShardedSnapshot({ sql, url, log: silentLogger }, async (snapshot) => {
            await meanwhile();
            return await read(snapshot);
          }),
      };
      return (await backUp(source, place, { keep: null, say: () => {} })).manifest.id;
    },
    async restored(id, look) {
      await using target = await cluster([]);
      await restoreInto(target.sql, place, id);
      return await look(target.sql);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function restoreInto(sql: Sql, place: Place, id: string): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const left = await restore({
    ...{ config: keyed(), stores: { sql, kv, objects }, log: silentLogger },
    ...{ place, manifest: await place.read(id), say: () => {} },
  });
  assert.deepEqual(left, []);
}

/** All that one of the workers has of the first part of all tables goes to the other. */
async function move(sql: Sql, mode = "block_writes"): Promise<void> {
  const [row] = await sql<{ id: string; from: number }[]>`
    select shardid::text as id, nodeport as from from citus_shards
    where table_name = 'issues'::regclass order by shardid limit 1
  `;
  const to = WORKERS.find((port) => Number(port) !== row?.from);
  await sql`
    select citus_move_shard_placement(
      ${row?.id ?? ""}::bigint, '127.0.0.1', ${row?.from ?? 0}::int, '127.0.0.1', ${to ?? ""}::int,
      ${mode}::citus.shard_transfer_mode
    )
  `;
}

/** What was moved away is dropped, which Citus else does by itself some seconds later. */
async function clean(sql: Sql): Promise<void> {
  await sql.unsafe("call citus_cleanup_orphaned_resources()");
}

Deno.test({
  name:
    "a backup of Citus whose rows were moved to another worker has all of them while they are still where they were, and says else to try again; so does one whose rows came back",
  ignore,
  async fn() {
    await using world = await filled();
    const { sql, place } = world;
    const content = await contentOf(sql);
    assert.ok(Object.keys(content).length > 15, Object.keys(content).join());
    const still = await world.backUp(() => move(sql));
    assert.deepEqual(await world.restored(still, contentOf), content);

    await assert.rejects(world.backUp(() => move(sql).then(() => clean(sql))), TRY_AGAIN);
    await assert.rejects(
      world.backUp(async () => {
        await move(sql);
        await clean(sql);
        await move(sql);
      }),
      TRY_AGAIN,
    );
    assert.deepEqual(await place.list(), [still]);

    await clean(sql);
    assert.deepEqual(await world.restored(await world.backUp(), contentOf), content);
  },
});

Deno.test({
  name: "a backup during which a day of Citus is dropped has the other days",
  ignore,
  async fn() {
    await using world = await filled();
    const { sql } = world;
    const [day] = await sql<{ name: string }[]>`
      select regexp_replace(tableoid::regclass::text, '_[0-9]+$', '') as name from events limit 1
    `;
    const id = await world.backUp(() => sql`drop table ${sql(day?.name ?? "")}`);
    assert.deepEqual(await world.restored(id, contentOf), await contentOf(sql));
  },
});

Deno.test({
  name: "a backup during which Citus distributes a table that was not says to try again",
  ignore,
  async fn() {
    await using world = await filled();
    const { sql } = world;
    await sql`create table notes (project_id bigint not null, note text not null)`;
    await sql`insert into notes select id, 'note' from generate_series(1, 1000) as id`;
    await assert.rejects(world.backUp(() => migrate(sql, silentLogger)), TRY_AGAIN);
  },
});

Deno.test({
  name: "rows on a worker that came while a backup began are told, and not looked for elsewhere",
  ignore,
  async fn() {
    await using world = await cluster();
    await withShardedSnapshot({ ...world, log: silentLogger }, async ({ read }) => {
      await assert.rejects(
        shardsOf({ read, workers: new Map() }),
        /^ConfigError: Rows are on a worker .+ try again when rebalancing is over$/,
      );
    });
  },
});

Deno.test({
  name:
    "backups that are made under load while Citus rebalances to a worker that came have of each commit all or nothing, or say to try again",
  ignore,
  async fn() {
    await using opened = new AsyncDisposableStack();
    const [first = "", second = ""] = WORKERS;
    const one = opened.use(await cluster([first]));
    const { sql, url } = one;
    await migrate(sql, silentLogger);
    await fill(sql);
    await using world = await worldOf(one, opened.move());
    await sql`select citus_add_node('127.0.0.1', ${Number(second)}::int)`;
    /** Those during which rows moved, and how much had been committed when they began. */
    const made = new Map<string, number>();
    {
      await using writers = writePairs(url, PROJECTS);
      await waitFor("commits", () => writers.written() > 20 || null, LIMIT_MS);
      const make = async () => {
        const [places, committed] = [await placesOf(sql), writers.written()];
        try {
          const id = await world.backUp();
          if (await placesOf(sql) !== places) made.set(id, committed);
        } catch (error) {
          assert.match(String(error), TRY_AGAIN);
        }
      };
      await sql`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`;
      const cleaning = (async () => {
        while (await isRebalancing(sql)) await clean(sql);
      })();
      while (await isRebalancing(sql)) await make();
      await cleaning;
      const committed = writers.written();
      made.set(await world.backUp(), committed);
      assert.equal((await placesOf(sql)).includes(second), true);
    }
    for (const [id, committed] of made) {
      await world.restored(id, async (restored) => {
        const rows = await restored<{ table: string; count: number }[]>`
          select "table", count(*)::int as count from late_rows group by project_id, "table" order by 1
        `;
        const [here] = await restored`select count(*)::int as count from audit_outbox`;
        const [logs = 0, transactions = 0] = rows.map(({ count }) => count);
        assert.deepEqual([...rows], [
          { table: "logs", count: here?.count },
          ...PROJECTS.map(() => ({ table: "transactions", count: transactions })),
        ]);
        assert.ok(logs + transactions >= committed);
      });
    }
  },
});

/** On which worker each part of the tables is. */
async function placesOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ places: string }[]>`
    select string_agg(nodeport::text, ' ' order by shardid) as places from citus_shards
    where table_name = 'issues'::regclass
  `;
  return row?.places ?? "";
}

async function isRebalancing(sql: Sql): Promise<boolean> {
  const rows =
    await sql`select from citus_job_list() where state not in ('finished', 'failed', 'cancelled')`;
  return rows.length > 0;
}

Deno.test({
  name:
    "a backup is restored into Citus, and its tables are distributed, while Citus is told to rebalance: all is there",
  ignore,
  async fn() {
    await using world = await filled();
    const id = await world.backUp();
    const content = await contentOf(world.sql);
    const [first = "", second = ""] = WORKERS;
    await using target = await cluster([first]);
    const { sql } = target;
    await sql`select citus_add_node('127.0.0.1', ${Number(second)}::int)`;
    await rebalancingWhile(sql, restoreInto(sql, world.place, id));
    assert.deepEqual(await contentOf(sql), content);
    await sql`select citus_remove_node('127.0.0.1', ${Number(second)}::int)`;
    const distributing = migrate(sql, silentLogger);
    await waitFor("a distributed table", async () => {
      const rows = await sql`select from pg_dist_partition limit 1`;
      return rows.length > 0 || null;
    }, LIMIT_MS);
    await sql`select citus_add_node('127.0.0.1', ${Number(second)}::int)`;
    await rebalancingWhile(sql, distributing);
    assert.deepEqual(await contentOf(sql), content);
    assert.ok((await placesOf(sql)).includes(second), await placesOf(sql));
  },
});

/** Shards are told to move again and again until the work has ended, and once after it. */
async function rebalancingWhile(sql: Sql, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const rebalancing = (async () => {
    for (let isLast = false; !isLast;) {
      isLast = isOver;
      await rebalance(sql);
    }
  })();
  await Promise.all([work.finally(() => isOver = true), rebalancing]);
}

async function rebalance(sql: Sql): Promise<void> {
  try {
    await sql`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`;
    await sql`select citus_rebalance_wait()`;
  } catch (error) {
    // Not while a table is being distributed.
    assert.match(
      String(error),
      /could not acquire the lock required to rebalance|relation \w+ is not distributed/,
    );
  }
}
