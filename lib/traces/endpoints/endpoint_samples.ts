/** Single requests to one HTTP endpoint: the rows behind the counts. */
import type postgres from "postgres";
import type { Sql } from "../../store/database.ts";
import { storable } from "../../core/storable.ts";
import { inScope, type QueryScope } from "../../store/scope_filter.ts";
import type { SampleOrder, TransactionSample } from "../transactions/transaction_samples.ts";

export interface EndpointSelection extends QueryScope {
  readonly projectId: string;
  readonly httpMethod: string;
  /** As frameworks write them; at least one. */
  readonly routes: readonly string[];
  /** Names of its transactions, by which rows are found. */
  readonly names: readonly string[];
  readonly services: readonly string[];
}

/** Requests in the order that is asked for; the slowest are of those that did not fail, which have a list of their own. */
export async function listEndpointSamples(
  sql: Sql,
  selection: EndpointSelection,
  order: SampleOrder,
  limit: number,
): Promise<TransactionSample[]> {
  const by = order === "slowest" ? sql`duration_ms desc` : sql`"timestamp" desc`;
  return await sql<TransactionSample[]>`
    select
      replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", started_at as "startedAt",
      duration_ms as "durationMs", status, is_failed as "isFailed", http_status as "httpStatus",
      environment, release, service, user_key as "user",
      profile_id is not null or profiler_id is not null as "hasProfile"
    from (${
    first(sql, selection, by, limit, order === "newest" ? null : order === "failed")
  }) as sample
    order by ${by}
    limit ${limit}
  `;
}

/** How often requests ended with one status. */
export interface StatusCount {
  /** null: the client told none. */
  readonly httpStatus: number | null;
  readonly count: number;
  readonly averageMs: number;
  readonly failures: number;
}

/** Newest requests whose statuses are counted. */
export const STATUS_SAMPLE = 1_000;

/** Counts exact status codes of the newest {@linkcode STATUS_SAMPLE} requests, the most frequent first. */
export async function countStatusCodes(
  sql: Sql,
  selection: EndpointSelection,
): Promise<StatusCount[]> {
  return await sql<StatusCount[]>`
    select
      http_status as "httpStatus", count(*)::int as count, avg(duration_ms) as "averageMs",
      count(*) filter (where is_failed)::int as failures
    from (
      select * from (${newest(sql, selection, STATUS_SAMPLE)}) as sample
      order by "timestamp" desc
      limit ${STATUS_SAMPLE}
    ) as newest
    group by http_status
    order by count(*) desc, http_status
  `;
}

/** A request and the span that made it. */
export interface EndpointEntry {
  readonly traceId: string;
  /** null: it began its trace. */
  readonly parentSpanId: string | null;
  readonly timestamp: Date;
  readonly durationMs: number;
  readonly isFailed: boolean;
}

/** The newest requests, for finding out who made them. */
export async function newestEntries(
  sql: Sql,
  selection: EndpointSelection,
  limit: number,
): Promise<EndpointEntry[]> {
  return await sql<EndpointEntry[]>`
    select
      replace(trace_id::text, '-', '') as "traceId", parent_span_id as "parentSpanId", "timestamp",
      duration_ms as "durationMs", is_failed as "isFailed"
    from (${newest(sql, selection, limit)}) as sample
    order by "timestamp" desc
    limit ${limit}
  `;
}

function newest(sql: Sql, selection: EndpointSelection, limit: number): postgres.Fragment {
  return first(sql, selection, sql`"timestamp" desc`, limit, null);
}

/** The first rows of each name: one walk along an index per name, where a list of names would be sorted as a whole. */
function first(
  sql: Sql,
  selection: EndpointSelection,
  by: postgres.Fragment,
  limit: number,
  /** Whether the requests failed; null: either. */
  isFailed: boolean | null,
): postgres.Fragment {
  const { projectId, httpMethod, routes, names, services, start, end } = selection;
  return sql`
    select row.* from unnest(${names.map(storable)}::text[]) as wanted (name)
    cross join lateral (
      select * from transactions
      where project_id = ${projectId} and name = wanted.name
        and "timestamp" >= ${start} and "timestamp" < ${end}
        and http_method = ${storable(httpMethod)} and route = any (${routes.map(storable)}::text[])
        ${inScope(sql, selection)}
        ${
    services.length === 0 ? sql`` : sql`and service = any (${services.map(storable)}::text[])`
  }
        ${isFailed === null ? sql`` : isFailed ? sql`and is_failed` : sql`and not is_failed`}
      order by ${by}
      limit ${limit}
    ) as row
  `;
}
