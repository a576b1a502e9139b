import type { Sql } from "../store/database.ts";

/** What a project without errors received first. */
export type FirstRecord =
  | { readonly kind: "transaction" | "spans"; readonly traceId: string; readonly timestamp: Date }
  | { readonly kind: "log"; readonly timestamp: Date };

interface Row {
  readonly kind: FirstRecord["kind"];
  readonly traceId: string | null;
  readonly timestamp: Date;
}

/** The oldest transaction of a project, else some of its spans, else its oldest log; null when it has none of them. */
export async function firstRecord(sql: Sql, projectId: string): Promise<FirstRecord | null> {
  const rows = await sql<Row[]>`
    (
      select 'transaction' as kind, trace_id::text as "traceId", "timestamp" from transactions
      where project_id = ${projectId} order by "timestamp" limit 1
    ) union all (
      select 'spans', trace_id::text, "timestamp" from span_batches
      where project_id = ${projectId} limit 1
    ) union all (
      select 'log', null, "timestamp" from logs
      where project_id = ${projectId} order by "timestamp" limit 1
    )
  `;
  const row = rows.find(({ kind }) => kind === "transaction") ??
    rows.find(({ kind }) => kind === "spans") ?? rows[0];
  if (row === undefined) return null;
  const { kind, traceId, timestamp } = row;
  if (kind === "log" || traceId === null) return { kind: "log", timestamp };
  return { kind, traceId: traceId.replaceAll("-", ""), timestamp };
}
