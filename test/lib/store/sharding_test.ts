/** What becomes of a database that has Citus; see `test/support/citus.sh`. */
import assert from "node:assert/strict";
import { DAY_MS } from "@/lib/core/time.ts";
import { connectServer, type Sql, type Transaction } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { createAhead } from "@/lib/store/partitions.ts";
import { logLines } from "../../support/log_lines.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { addWorkers, throwAwayDatabase, WORKERS } from "../../support/throw_away_database.ts";
import { waitFor } from "../../support/wait_for.ts";

const server = Deno.env.get("TEST_DATABASE_URL") ?? "";
const ignore = WORKERS.length === 0;
if (ignore) console.warn("skipped: no Citus is named here (test/support/citus.sh)");

/** Tables of projects that are not distributed beside all others. */
async function stayedBehind(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class left join pg_dist_partition on logicalrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and exists (
      select from pg_attribute where attrelid = pg_class.oid and attname = 'project_id' and attnotnull
    ) and (
      partmethod is null or partmethod = 'h' and colocationid <> (
        select colocationid from pg_dist_partition where logicalrelid = 'issues'::regclass
      )
    )
  `;
  return rows.map(({ name }) => name);
}

Deno.test({
  name:
    "on Citus every table of projects is distributed, its partitions too, by whichever process comes first, and once",
  ignore,
  async fn() {
    await using database = await throwAwayDatabase(server);
    const [one, other] = [connectServer(database.url), connectServer(database.url)];
    try {
      await Promise.all([migrate(one, silentLogger), migrate(other, silentLogger)]);
      assert.deepEqual(await stayedBehind(one), []);
      await createAhead(one);
      assert.deepEqual(await stayedBehind(one), []);
      const [shared] = await one`
        select partmethod from pg_dist_partition where logicalrelid = 'deleted_projects'::regclass
      `;
      assert.equal(shared?.partmethod, "n");
      const lines: string[] = [];
      await migrate(one, { ...silentLogger, info: (line) => lines.push(line) });
      assert.deepEqual(lines, []);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  },
});

Deno.test({
  name:
    "a start that has tables to distribute waits while Citus moves shards, says so once, and goes on",
  ignore: WORKERS.length < 2,
  async fn() {
    await using database = await throwAwayDatabase(server, { isMigrated: true });
    const sql = connectServer(database.url);
    const { log, lines } = logLines();
    try {
      await sql`create table notes (project_id bigint not null)`;
      const { distributing } = await sql.begin(async (tx) => {
        await moveShard(tx);
        const distributing = migrate(sql, log);
        await waitFor("a line that says so", () => lines.length > 0 || null);
        assert.deepEqual(await stayedBehind(sql), ["notes"]);
        return { distributing };
      });
      await distributing;
      assert.deepEqual(await stayedBehind(sql), []);
      assert.match(
        lines.map(({ message }) => message).join(),
        /^waiting for Citus[^,]+,distributed table notes$/,
      );
    } finally {
      await sql.end();
    }
  },
});

Deno.test({
  name:
    "the days ahead are made when Citus has ended moving shards, and nobody fails for them before",
  ignore: WORKERS.length < 2,
  async fn() {
    await using database = await throwAwayDatabase(server, { isMigrated: true });
    const sql = connectServer(database.url);
    const days = async () => {
      const rows = await sql`select from pg_inherits where inhparent = 'events'::regclass`;
      return rows.length;
    };
    try {
      await createAhead(sql);
      const before = await days();
      const tomorrow = new Date(Date.now() + DAY_MS);
      await sql.begin(async (tx) => {
        await moveShard(tx);
        await createAhead(sql, tomorrow);
        assert.equal(await days(), before);
      });
      await createAhead(sql, tomorrow);
      assert.equal(await days(), before + 1);
    } finally {
      await sql.end();
    }
  },
});

/** To the other worker, and held there until the transaction ends. */
async function moveShard(tx: Transaction): Promise<void> {
  const [row] = await tx<{ id: string; from: number }[]>`
    select shardid::text as id, nodeport as from from citus_shards
    where table_name = 'issues'::regclass limit 1
  `;
  const to = WORKERS.find((port) => Number(port) !== row?.from);
  await tx`
    select citus_move_shard_placement(
      ${row?.id ?? ""}::bigint, '127.0.0.1', ${row?.from ?? 0}::int, '127.0.0.1', ${to ?? ""}::int,
      'block_writes'
    )
  `;
}

/** The last migration of the first version that distributed tables. */
const FIRST_SHARDED = 40;

interface ShardedTable {
  readonly name: string;
  readonly method: string;
  readonly columns: string;
  readonly indexes: number;
}

/** Distributed tables as their shards are, on whichever worker. */
async function shardsOf(sql: Sql): Promise<ShardedTable[]> {
  const tables = await sql<{ name: string; method: string }[]>`
    select relname as name, partmethod as method
    from pg_dist_partition join pg_class on oid = logicalrelid where not relispartition order by 1
  `;
  return await Promise.all(tables.map(async ({ name, method }) => {
    const shapes = await sql<{ shape: string }[]>`
      select distinct result as shape from run_command_on_shards(${name}::text::regclass, $$
        select (
          select string_agg(attname || ' ' || format_type(atttypid, atttypmod) || attnotnull, ', ' order by attnum)
          from pg_attribute where attrelid = '%1$s'::regclass and attnum > 0 and not attisdropped
        ) || '/' || (select count(*) from pg_index where indrelid = '%1$s'::regclass)
      $$)
    `;
    assert.equal(shapes.length, 1, `shards of ${name} are alike`);
    const [columns = "", indexes] = (shapes[0]?.shape ?? "").split("/");
    return { name, method, columns, indexes: Number(indexes) };
  }));
}

Deno.test({
  name:
    "a distributed database of the first version that made one becomes what a new one is, and keeps its rows",
  ignore,
  async fn() {
    await using old = await throwAwayDatabase(server);
    await using fresh = await throwAwayDatabase(server);
    const [sql, other] = [connectServer(old.url), connectServer(fresh.url)];
    try {
      await migrate(sql, silentLogger, undefined, FIRST_SHARDED);
      await createAhead(sql);
      await sql`
        insert into logs (project_id, "timestamp", log_id, received_at, level, body)
        select project_id, now(), gen_random_uuid(), now(), 'info', 'ready'
        from generate_series(1, 20) as project_id
      `;
      await sql`
        insert into key_hours (project_id, key_id, hour, accepted, last_used_at)
        select project_id, 'k', now(), 7, now() from generate_series(1, 20) as project_id
      `;
      await migrate(sql, silentLogger);
      await createAhead(sql);
      assert.deepEqual(await stayedBehind(sql), []);
      await migrate(other, silentLogger);
      assert.deepEqual(await shardsOf(sql), await shardsOf(other));
      const [rows] = await sql`
        select (select count(*)::int from logs) as logs,
          (select sum(accepted + bytes)::int from key_hours) as sent
      `;
      assert.deepEqual({ ...rows }, { logs: 20, sent: 140 });
    } finally {
      await Promise.all([sql.end(), other.end()]);
    }
  },
});

Deno.test({
  name:
    "a filled database becomes one of Citus with its rows, and goes on where it was interrupted",
  ignore,
  async fn() {
    await using database = await throwAwayDatabase(server, { workers: [] });
    const sql = connectServer(database.url);
    const held = connectServer(database.url);
    const hasty = connectServer(`${database.url}?lock_timeout=1000`);
    try {
      await migrate(sql, silentLogger);
      await createAhead(sql);
      await sql`
        insert into logs (project_id, "timestamp", log_id, received_at, level, body)
        select project_id, now(), gen_random_uuid(), now(), 'info', 'ready'
        from generate_series(1, 100) as project_id
      `;
      await sql`insert into deleted_projects (id, organization_id, slug, name, deleted_by) values (7, 1, 's', 'n', '')`;
      await addWorkers(database.url);
      await held.begin(async (tx) => {
        await tx`lock table logs in access share mode`;
        await assert.rejects(migrate(hasty, silentLogger), /Citus does not distribute logs/);
      });
      assert.ok((await stayedBehind(sql)).includes("logs"));
      await migrate(sql, silentLogger);
      assert.deepEqual(await stayedBehind(sql), []);
      const [rows] = await sql`
        select (select count(*)::int from logs) as logs,
          (select count(*)::int from deleted_projects) as deleted,
          (select count(*)::int from only logs) as here
      `;
      assert.deepEqual({ ...rows }, { logs: 100, deleted: 1, here: 0 });
    } finally {
      await Promise.all([sql.end(), held.end(), hasty.end()]);
    }
  },
});
