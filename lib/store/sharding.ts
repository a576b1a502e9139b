/**
 * Sharding: where the database has the extension Citus, tables of projects are distributed over its workers by
 * `project_id`, all rows of a project on one of them. On a plain Postgres nothing of this happens.
 */
import type postgres from "postgres";
import { ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { SECOND_MS } from "../core/time.ts";
import { pause } from "../core/waiting.ts";
import type { Queryable, Sql, Transaction } from "./database.ts";

/** Their shards are what those of all others lie beside. */
const ANCHOR = "issues";

/**
 * Tables that statements of all projects or of none read, small and seldom written: each worker has them whole. Other
 * tables without a project stay where they are, on the coordinator.
 */
const SHARED = [
  "artifact_files",
  "control_projects",
  "deleted_projects",
  "profile_hours_since",
  "repositories",
];

const MOVING = /^could not acquire the lock required to colocate /;
/** Between two attempts, while shards are moved. */
const MOVING_PAUSE_MS = SECOND_MS;

/**
 * Distributes the tables that are not yet, those with rows too, each in a transaction of its own: what is interrupted
 * goes on at the next start. Tables that migrations make later are found here in their turn; partitions follow the table
 * that they are attached to. While Citus moves shards it makes none: that is waited for, however long it takes.
 *
 * @param lock taken by each transaction, so that one process does it
 * @throws {ConfigError} when a table cannot be distributed
 */
export async function shardTables(sql: Sql, log: Logger, lock: number): Promise<void> {
  if (!await isCitus(sql)) return;
  let isTold = false;
  while (true) {
    try {
      const name = await sql.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${lock})`;
        return await shardNext(tx);
      });
      if (name === null) return;
      log.info(`distributed table ${name}`);
    } catch (error) {
      if (!isMovingShards(error)) throw error;
      if (!isTold) {
        log.warn("waiting for Citus to end moving shards: no table is distributed meanwhile");
      }
      isTold = true;
      await pause(MOVING_PAUSE_MS);
    }
  }
}

/** Whether Citus makes no shards because it moves some: it has no SQLSTATE for that. */
export function isMovingShards(error: unknown): boolean {
  const { cause } = error instanceof ConfigError ? error : { cause: error };
  return cause instanceof Error && MOVING.test(cause.message);
}

/** Whether this database distributes its tables. */
export async function isCitus(sql: Queryable): Promise<boolean> {
  const rows = await sql`select 1 from pg_extension where extname = 'citus'`;
  return rows.length > 0;
}

/** What a pool's database has been found to be; it stays so while the process runs. */
const found = new WeakMap<Sql, Promise<boolean>>();

/** The same, asked once for each pool. */
export async function isSharded(sql: Sql): Promise<boolean> {
  const answer = found.get(sql) ?? isCitus(sql);
  found.set(sql, answer);
  answer.catch(() => found.delete(sql));
  return await answer;
}

/**
 * For work over all projects by statements that Citus takes for one project only (`limit`, `for update`, `ctid`): the
 * projects to ask for one after the other, each as the constant of {@linkcode ofProject}.
 *
 * @param table whose projects those are
 * @param condition of the rows that there is work for. @default all
 * @returns `[null]` on a plain Postgres: all at once
 */
export async function projectsApart(
  sql: Sql,
  table: string,
  condition?: postgres.Fragment,
): Promise<(string | null)[]> {
  if (!await isSharded(sql)) return [null];
  return await distinctProjects(sql, table, condition);
}

async function distinctProjects(
  sql: Sql,
  table: string,
  condition: postgres.Fragment = sql`true`,
): Promise<string[]> {
  const rows = await sql<{ projectId: string }[]>`
    select distinct project_id as "projectId" from ${sql(table)} where ${condition} order by 1
  `;
  return rows.map(({ projectId }) => projectId);
}

/** The projects that have rows in a table whose key begins with the project. */
export async function projectsIn(sql: Sql, table: string): Promise<string[]> {
  if (await isSharded(sql)) return await distinctProjects(sql, table);
  // Hops from project to project in the primary key instead of reading every row.
  const rows = await sql<{ projectId: string }[]>`
    with recursive hops (project_id) as (
      (select project_id from ${sql(table)} order by project_id limit 1)
      union all
      select (
        select project_id from ${sql(table)}
        where project_id > hops.project_id order by project_id limit 1
      )
      from hops where hops.project_id is not null
    )
    select project_id as "projectId" from hops where project_id is not null
  `;
  return rows.map(({ projectId }) => projectId);
}

/** `and project_id = …`, or nothing for all. @param alias of the table, where several have the column */
export function ofProject(
  sql: Queryable,
  projectId: string | null,
  alias?: string,
): postgres.Fragment {
  if (projectId === null) return sql``;
  return sql`and ${sql(alias === undefined ? "project_id" : `${alias}.project_id`)} = ${projectId}`;
}

interface Local {
  readonly name: string;
  readonly isShared: boolean;
  readonly hasKey: boolean;
}

async function shardNext(tx: Transaction): Promise<string | null> {
  const [table] = await tx<Local[]>`
    select relname as name, relname = any (${SHARED}::text[]) as "isShared",
      exists (select from pg_index where indrelid = pg_class.oid and indisprimary) as "hasKey"
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and not exists (select from pg_dist_partition where logicalrelid = pg_class.oid)
      and (relname = any (${SHARED}::text[]) or exists (
        select from pg_attribute
        where attrelid = pg_class.oid and attname = 'project_id' and attnotnull and not attisdropped
      ))
    order by relname <> ${ANCHOR}, relname
    limit 1
  `;
  if (table === undefined) return null;
  try {
    await shard(tx, table);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Cannot start: Citus does not distribute ${table.name}: ${reason}`, {
      cause: error,
    });
  }
  return table.name;
}

async function shard(tx: Transaction, { name, isShared, hasKey }: Local): Promise<void> {
  // Many tables in a row on few connections; and profiles have a trigger, see below.
  await tx`
    select set_config('citus.multi_shard_modify_mode', 'sequential', true),
      set_config('citus.enable_unsafe_triggers', 'on', true)
  `;
  if (name === "profiles") await tx.unsafe(COUNT_BESIDE);
  // What has no key could not be moved to another worker while it is written.
  if (!hasKey) await tx`alter table ${tx(name)} replica identity full`;
  if (isShared) await tx`select create_reference_table(${name}::text::regclass)`;
  else {
    await tx`
      select create_distributed_table(${name}::text::regclass, 'project_id', colocate_with => ${
      name === ANCHOR ? "none" : ANCHOR
    }::text)
    `;
  }
  // The rows have been copied to the shards.
  await tx`select truncate_local_data_after_distributing_table(${name}::text::regclass)`;
}

/**
 * Triggers of a distributed table stand on its shards, and what they write must lie in the shards beside: this one adds
 * up profiles by hour (migration 0037).
 */
const COUNT_BESIDE = `
  create or replace function count_profile_hours() returns trigger language plpgsql as $$
  declare
    own    constant bigint := substring(tg_table_name from '_(\\d+)$')::bigint;
    hours  text;
    since  text;
  begin
    select format('%I.%I', tg_table_schema, 'profile_hours_' || beside.shardid) into hours
    from pg_dist_shard as profiles join pg_dist_shard as beside using (shardminvalue, shardmaxvalue)
    where profiles.shardid = own
      and beside.logicalrelid = format('%I.profile_hours', tg_table_schema)::regclass;
    select format('%I.%I', tg_table_schema, 'profile_hours_since_' || shardid) into since
    from pg_dist_shard where logicalrelid = format('%I.profile_hours_since', tg_table_schema)::regclass;
    execute format($sql$
      insert into %1$s
      select project_id, hour, service, kind, platform, environment, release, is_delta, types, place,
        sum(total) * %3$s, count(*) filter (where total <> 0) * %3$s, count(*) * %3$s,
        sum(size_bytes) * %3$s, min("timestamp"), max("timestamp")
      from (select *, date_trunc('hour', "timestamp", 'UTC') as hour from changed) as profiles,
        unnest(totals) with ordinality as value (total, place)
      where hour >= (select since.hour from %2$s as since)
      group by project_id, hour, service, kind, platform, environment, release, is_delta, types, place
    $sql$, hours, since, case tg_op when 'DELETE' then -1 else 1 end);
    return null;
  end
  $$`;
