/** Log lines that name a person. */
import { logAttributesOf, spellings } from "../identity.ts";
import { BATCH, source } from "./source.ts";

interface LogRow {
  readonly id: string;
  readonly at: string;
  readonly shown: unknown;
}

/** Logs have no index of users: each look reads a stretch of time of the project. */
export const logs = source<LogRow>({
  name: "logs",
  async next({ sql }, projectId, who, cursor) {
    const [at = "", id = ""] = cursor?.split("|") ?? [];
    const values = spellings(who.kind, who.value);
    const [first, ...others] = logAttributesOf(who).map((name) =>
      sql`attributes->>${name} = any (${values}::text[])`
    );
    const isTheirs = first && others.reduce((all, each) => sql`${all} or ${each}`, first);
    const rows = await sql<LogRow[]>`
      select log_id as id, "timestamp"::text as at, jsonb_build_object('timestamp', "timestamp",
        'level', level, 'body', body, 'logger', logger, 'attributes', attributes) as shown
      from logs where project_id = ${projectId} and (${isTheirs ?? sql`false`})
        ${
      at === "" ? sql`` : sql`and ("timestamp", log_id) > (${at}::text::timestamptz, ${id}::uuid)`
    }
      order by "timestamp", log_id limit ${5 * BATCH}
    `;
    const last = rows.at(-1);
    const isFull = rows.length === 5 * BATCH;
    return { rows, cursor: last !== undefined && isFull ? `${last.at}|${last.id}` : null };
  },
  json: ({ shown }) => shown,
  async erase({ sql }, projectId, _who, rows) {
    if (rows.length === 0) return {};
    // Segments have counted them, see store/search_index.
    const [gone] = await sql<{ count: number }[]>`
      with gone as (
        delete from logs using unnest(
          ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at)}::text[]::timestamptz[]
        ) as batch (log_id, "timestamp")
        where project_id = ${projectId} and logs."timestamp" = batch."timestamp"
          and logs.log_id = batch.log_id
        returning logs."timestamp"
      ), noted as (
        insert into late_rows (project_id, "table", hour)
        select distinct ${projectId}::bigint, 'log', date_trunc('hour', "timestamp", 'UTC') from gone
      )
      select count(*)::int as count from gone
    `;
    return { logs: gone?.count ?? 0 };
  },
});
