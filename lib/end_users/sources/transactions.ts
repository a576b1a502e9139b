/** Transactions of a person, with their spans and profiles. */
import { removeFiles } from "../../errors/mod.ts";
import type { Sql } from "../../store/database.ts";
import {
  eraseSpans,
  packedColumns,
  type PackedRow,
  withSpans,
} from "../../store/spans/stored_spans.ts";
import { unpackText } from "../../store/values.ts";
import { userKeysOf } from "../identity.ts";
import { BATCH, type DataStores, source, type StoredFile } from "./source.ts";

interface TransactionRow {
  readonly eventId: string;
  readonly at: string;
  readonly name: string;
  readonly traceId: string;
  readonly payload: Uint8Array;
  readonly tags: unknown;
  readonly durationMs: number;
  readonly spans: unknown[];
}

export const transactions = source<TransactionRow>({
  name: "transactions",
  async next({ sql }, projectId, who, cursor) {
    const [at = "", id = ""] = cursor?.split("|") ?? [];
    const keys = userKeysOf(who);
    const found = await sql<Omit<TransactionRow, "spans">[]>`
      select event_id as "eventId", "timestamp"::text as at, name, trace_id as "traceId", payload,
        tags, duration_ms as "durationMs"
      from transactions
      where project_id = ${projectId} and user_key is not null
        and lower(user_key) = any (${keys.map((key) => key.toLowerCase())}::text[])
        and user_key = any (${keys}::text[])
        ${
      at === "" ? sql`` : sql`and ("timestamp", event_id) > (${at}::text::timestamptz, ${id}::uuid)`
    }
      order by "timestamp", event_id limit ${BATCH}
    `;
    const last = found.at(-1);
    const spans = await spansOf(sql, projectId, found.map(({ traceId }) => traceId));
    return {
      rows: found.map((row) => ({ ...row, spans: spans.get(row.traceId) ?? [] })),
      cursor: last !== undefined && found.length === BATCH ? `${last.at}|${last.eventId}` : null,
    };
  },
  json: ({ payload, at, ...row }) => ({
    ...row,
    timestamp: at,
    transaction: payload.length === 0 ? null : JSON.parse(unpackText(payload)),
  }),
  async files({ sql }, projectId, rows) {
    return await sql<StoredFile[]>`
      select 'profiles/' || profile_id || '.pprof' as name, blob_key as key from profiles
      where project_id = ${projectId} and trace_id = any (${
      rows.map(({ traceId }) => traceId)
    }::uuid[])
        and transaction_id = any (${rows.map(({ eventId }) => eventId)}::uuid[])
    `;
  },
  async erase(stores, projectId, _who, rows) {
    if (rows.length === 0) return {};
    const { sql } = stores;
    const ids = rows.map(({ eventId }) => eventId);
    const traces = [...new Set(rows.map(({ traceId }) => traceId))];
    const attachments = await removeFiles(stores, projectId, ids);
    const profiles = await removeProfiles(stores, projectId, traces, ids);
    const spans = await eraseSpans(sql, projectId, traces);
    const { count } = await sql`
      delete from transactions using unnest(
        ${ids}::uuid[], ${rows.map(({ at }) => at)}::text[]::timestamptz[]
      ) as batch (event_id, "timestamp")
      where project_id = ${projectId} and transactions."timestamp" = batch."timestamp"
        and transactions.event_id = batch.event_id
    `;
    return { transactions: count, spans, profiles, attachments };
  },
});

async function spansOf(
  sql: Sql,
  projectId: string,
  traceIds: readonly string[],
): Promise<Map<string, unknown[]>> {
  const rows = await sql<(PackedRow & { traceId: string })[]>`
    select trace_id as "traceId", ${packedColumns(sql)} from span_batches
    where project_id = ${projectId} and trace_id = any (${[...traceIds]}::uuid[])
  `;
  const spans = new Map<string, unknown[]>();
  for (const { traceId, spans: some } of await withSpans(sql, projectId, rows)) {
    spans.set(traceId, [...spans.get(traceId) ?? [], ...some]);
  }
  return spans;
}

async function removeProfiles(
  { sql, objects }: DataStores,
  projectId: string,
  traces: readonly string[],
  transactionIds: readonly string[],
): Promise<number> {
  const found = await sql<{ id: string; keys: string[] }[]>`
    select profile_id as id, array[blob_key, original_key] as keys from profiles
    where project_id = ${projectId} and trace_id = any (${[...traces]}::uuid[])
      and transaction_id = any (${[...transactionIds]}::uuid[])
  `;
  for (const { keys } of found) {
    for (const key of keys.filter((each) => each !== "")) await objects.delete(key);
  }
  const ids = found.map(({ id }) => id);
  await sql`
    delete from profile_traces
    where project_id = ${projectId} and trace_id = any (${[...traces]}::uuid[])
      and profile_id = any (${ids}::uuid[])
  `;
  await sql`delete from profiles where project_id = ${projectId} and profile_id = any (${ids}::uuid[])`;
  return ids.length;
}
