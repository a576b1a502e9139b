/** A database of a test's own that Citus distributes, and what is written to it. */
import { readShard, shardsOf } from "../../lib/server/backup/shards.ts";
import type { Snapshot } from "../../lib/server/backup/snapshot.ts";
import { connectServer, type Sql, type Transaction } from "../../lib/store/database.ts";
import { throwAwayDatabase } from "./throw_away_database.ts";

export interface Cluster extends AsyncDisposable {
  readonly sql: Sql;
  readonly url: string;
}

/** @param workers of an empty one; without them it is migrated, with all workers */
export async function cluster(workers?: readonly string[]): Promise<Cluster> {
  const server = Deno.env.get("TEST_DATABASE_URL") ?? "";
  const database = await throwAwayDatabase(
    server,
    workers === undefined ? { isMigrated: true } : { workers },
  );
  const sql = connectServer(database.url);
  return {
    sql,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A project on each worker. */
export async function projectsApart(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select min(id)::text as id from (
      select id, get_shard_id_for_distribution_column('issues', id) as shardid
      from generate_series(1, 100) as id
    ) as placed join pg_dist_placement using (shardid) group by groupid
  `;
  return rows.map(({ id }) => id);
}

/** Commits rows again and again: those of logs on one worker and the coordinator, those of transactions on all workers. */
export function writePairs(url: string, projects: readonly string[]) {
  const sql = connectServer(url);
  let isStopped = false;
  let written = 0;
  const kinds = [
    async (tx: Transaction) => {
      await tx`insert into late_rows values (${projects[0] ?? ""}, 'logs', now())`;
      await tx`insert into audit_outbox (organization_id, entry_id) values (1, gen_random_uuid())`;
    },
    async (tx: Transaction) => {
      for (const id of projects) {
        await tx`insert into late_rows values (${id}, 'transactions', now())`;
      }
    },
  ];
  const writing = Promise.all([...kinds, ...kinds].map(async (write) => {
    for (; !isStopped; written++) await sql.begin(write);
  }));
  return {
    written: () => written,
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await writing;
      await sql.end({ timeout: 1 });
    },
  };
}

export interface Pairs {
  readonly logs: readonly number[];
  readonly transactions: readonly number[];
  readonly here: number;
}

/** How many rows of `writePairs()` each project has, of logs and of transactions, and how many the coordinator. */
export async function pairsIn(snapshot: Snapshot): Promise<Pairs> {
  const pairs = { logs: [] as number[], transactions: [] as number[] };
  for (const shard of (await shardsOf(snapshot)).get("late_rows") ?? []) {
    const rows = await readShard(shard, (tx) =>
      tx<{ table: keyof typeof pairs; count: number }[]>`
        select "table", count(*)::int as count from ${tx(shard.name)} group by project_id, "table"
      `);
    for (const { table, count } of rows) pairs[table].push(count);
  }
  const [here] = await snapshot.read((tx) =>
    tx<{ count: number }[]>`select count(*)::int as count from audit_outbox`
  );
  return { ...pairs, here: here?.count ?? 0 };
}

/** All rows of all tables, but of those that `writePairs()` writes. */
export async function contentOf(sql: Sql): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('late_rows', 'audit_outbox', 'schema_migrations')
    order by relname
  `;
  const all = await Promise.all(tables.map(async ({ name }) => {
    const rows = await sql`select * from ${sql(name)}`;
    return [name, rows.map((row) => JSON.stringify(row)).sort()] as const;
  }));
  return Object.fromEntries(all.filter(([, rows]) => rows.length > 0));
}
