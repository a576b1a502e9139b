/** What waits in Postgres for a clock to work on it, over all projects: how far background work is behind. */
import type { Sql } from "./database.ts";
import { RANDOM_BITS } from "./event_chunks/codec.ts";
import { JOINED_AFTER_MS } from "./event_chunks/join.ts";
import { isSharded } from "./sharding.ts";

export interface Backlog {
  /** Counts that commits appended and that are not added up yet. */
  readonly foldEntries: number;
  /** Seconds that the oldest of them has waited. */
  readonly foldAgeSec: number;
  /** Requests with metrics that are not packed yet. */
  readonly packBatches: number;
  readonly packAgeSec: number;
  /** Notices on their way, and how long the oldest is overdue. */
  readonly deliveries: number;
  readonly deliveryAgeSec: number;
  /** Seconds that payloads of a day that is over are overdue to be joined, from when they came if that was later. */
  readonly joinAgeSec: number;
  /** Seconds since the end of the last window of the alert rule that waits longest; those that fail do not count. */
  readonly alertAgeSec: number;
  /** The oldest day of partitions, or the oldest profile; null without any. */
  readonly oldestDay: Date | null;
}

/** More than so many are not counted: a table that grows must not make this slow. */
const MAX_COUNTED = 100_000;

/** Reads tables that are nearly empty while all is well. @throws what `postgres` throws */
export async function readBacklog(sql: Sql): Promise<Backlog> {
  const joinedAfter = `${JOINED_AFTER_MS} ms`;
  const [row] = await sql<Backlog[]>`
    select
      (select count(*) from (select 1 from stat_journal limit ${MAX_COUNTED}) as few)::float8
        + (select count(*) from (select 1 from outcome_journal limit ${MAX_COUNTED}) as few)::float8
        as "foldEntries",
      (select coalesce(extract(epoch from clock_timestamp() - min(appended_at)), 0)
        from (select appended_at from stat_journal limit ${MAX_COUNTED}) as few)::float8 as "foldAgeSec",
      (select count(*) from (
        select 1 from metric_batches where not is_damaged limit ${MAX_COUNTED}
      ) as few)::float8 as "packBatches",
      (select coalesce(extract(epoch from clock_timestamp() - min(received_at)), 0) from (
        select received_at from metric_batches where not is_damaged limit ${MAX_COUNTED}
      ) as few)::float8 as "packAgeSec",
      (select count(*) from (
        select 1 from deliveries where state = 'waiting' limit ${MAX_COUNTED}
      ) as few)::float8 as "deliveries",
      (select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(due_at)), 0))
        from deliveries where state = 'waiting')::float8 as "deliveryAgeSec",
      (select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(greatest(
          day + ${joinedAfter}::text::interval, to_timestamp((chunk_id >> ${RANDOM_BITS}::int) / 1000.0)
        ))), 0)) from (
          select "timestamp" as day, chunk_id from event_chunks
          where is_small and "timestamp" < now() - ${joinedAfter}::text::interval
          order by "timestamp" limit ${MAX_COUNTED}
        ) as few)::float8 as "joinAgeSec",
      (select greatest(0, coalesce(
          extract(epoch from clock_timestamp() - min(coalesce(evaluated_until, active_since))), 0
        )) from alert_rules
        where is_enabled and deleted_at is null and last_error = '')::float8 as "alertAgeSec",
      least(
        (select min("timestamp") from profiles),
        (select min(to_date(right(relname, 8), 'YYYYMMDD')) from pg_inherits
          join pg_class on pg_class.oid = inhrelid where relname ~ '_2[0-9]{7}$')::timestamp at time zone 'UTC'
      ) as "oldestDay"
  `;
  if (row === undefined) throw new Error("Postgres tells nothing of its backlog");
  return row;
}

/** How many connections of Watchpost do what, of all its processes. */
export async function readConnections(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ state: string; count: number }[]>`
    select case
        when wait_event_type = 'Lock' then 'waiting'
        when state like 'idle in transaction%' then 'idle_in_transaction'
        when state = 'active' then 'active'
        else 'idle'
      end as state, count(*)::int as count
    from pg_stat_activity
    where datname = current_database() and application_name like 'watchpost%'
    group by 1
  `;
  return new Map(rows.map(({ state, count }) => [state, count]));
}

/** Bytes of the whole database on its disk; with Citus on those of all servers that answer. */
export async function databaseBytes(sql: Sql): Promise<number> {
  const size = "select pg_database_size(current_database())::float8 as bytes";
  const [row] = await isSharded(sql)
    ? await sql<{ bytes: number }[]>`
      select sum(result::float8) filter (where success) as bytes from run_command_on_all_nodes(${size})
    `
    : await sql.unsafe<{ bytes: number }[]>(size);
  return row?.bytes ?? 0;
}
