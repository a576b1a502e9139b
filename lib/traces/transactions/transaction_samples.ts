/** Single transactions of one name: the rows behind the counts. */
import type postgres from "postgres";
import type { Sql } from "../../store/database.ts";
import { storable } from "../../core/errors.ts";
import { inScope, type QueryScope } from "../../store/query_limits.ts";

export interface SampleSelection extends QueryScope {
  readonly projectId: string;
  readonly name: string;
  readonly services: readonly string[];
  /** In milliseconds, included; null: no limit. */
  readonly minMs: number | null;
  /** Excluded. */
  readonly maxMs: number | null;
}

export const SAMPLE_ORDERS = ["slowest", "newest", "failed"] as const;
/** `failed` are the newest that failed. */
export type SampleOrder = (typeof SAMPLE_ORDERS)[number];

/** One transaction as lists show it. */
export interface TransactionSample {
  readonly traceId: string;
  readonly spanId: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly status: string;
  readonly isFailed: boolean;
  readonly httpStatus: number | null;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly user: string | null;
  readonly hasProfile: boolean;
}

/** Transactions of one name in the order that is asked for. */
export async function listSamples(
  sql: Sql,
  selection: SampleSelection,
  order: SampleOrder,
  limit: number,
): Promise<TransactionSample[]> {
  return await sql<TransactionSample[]>`
    select
      replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", started_at as "startedAt",
      duration_ms as "durationMs", status, is_failed as "isFailed", http_status as "httpStatus",
      environment, release, service, user_key as "user",
      profile_id is not null or profiler_id is not null as "hasProfile"
    from transactions
    where ${selected(sql, selection)}
      ${order === "failed" ? sql`and is_failed` : sql``}
    order by ${order === "slowest" ? sql`duration_ms desc` : sql`"timestamp" desc`}
    limit ${limit}
  `;
}

/** What transactions are told apart by: tags, and what every transaction has. */
export interface FacetCount {
  readonly key: string;
  readonly value: string;
  readonly count: number;
}

export interface Facets {
  /** Transactions that were looked at. */
  readonly total: number;
  readonly counts: readonly FacetCount[];
}

/** Newest transactions that facets are counted of. */
const FACET_SAMPLE = 1_000;
const MAX_FACETS = 2_000;

/** What transactions are searched by, and what says nothing of why one is slower: it differs every time. */
const NOT_COMPARED = ["url.path", "url.scheme"];

/** How often each tag value occurs among the newest 1,000 transactions of a selection. */
export async function countFacets(sql: Sql, selection: SampleSelection): Promise<Facets> {
  const rows = await sql<{ key: string; value: string; count: string; total: string }[]>`
    with sampled as materialized (
      select environment, release, service, http_status, status, tags from transactions
      where ${selected(sql, selection)}
      order by "timestamp" desc
      limit ${FACET_SAMPLE}
    )
    select key, value, count(*) as count, (select count(*) from sampled) as total
    from sampled, lateral (
      select key, value from jsonb_each_text(tags) where key <> all (${[...NOT_COMPARED]}::text[])
      -- Most SDKs have them among their tags as well.
      union
      select * from (values
        ('environment', environment), ('release', release), ('service', service), ('status', status),
        ('http.response.status_code', http_status::text)
      ) as facts (key, value) where value <> ''
    ) as facet
    group by key, value
    order by count(*) desc
    limit ${MAX_FACETS}
  `;
  return {
    total: Number(rows[0]?.total ?? 0),
    counts: rows.map(({ key, value, count }) => ({ key, value, count: Number(count) })),
  };
}

export interface RelatedIssue {
  readonly issueId: string;
  readonly title: string;
  readonly culprit: string;
  readonly level: string;
  readonly count: number;
  readonly lastSeen: Date;
}

const RELATED_SAMPLE = 500;
const MAX_RELATED = 10;

/** Issues whose events happened in the traces of the newest 500 transactions of a selection. */
export async function relatedIssues(sql: Sql, selection: SampleSelection): Promise<RelatedIssue[]> {
  const rows = await sql<(Omit<RelatedIssue, "count"> & { count: string })[]>`
    with traces as materialized (
      select distinct trace_id from (
        select trace_id from transactions
        where ${selected(sql, selection)}
        order by "timestamp" desc
        limit ${RELATED_SAMPLE}
      ) as newest
    ),
    counted as (
      select issue_id, count(*) as count, max(events."timestamp") as last_seen
      from events
      where project_id = ${selection.projectId}
        and trace_id = any (array(select trace_id from traces))
        and "timestamp" >= ${selection.start} and "timestamp" < ${selection.end}
      group by issue_id
    )
    select
      issue_id as "issueId", title, culprit, level, count, counted.last_seen as "lastSeen"
    from counted
    join issues on issues.project_id = ${selection.projectId} and issues.id = issue_id
    order by count desc, counted.last_seen desc
    limit ${MAX_RELATED}
  `;
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

function selected(sql: Sql, selection: SampleSelection): postgres.Fragment {
  const { projectId, name, services, start, end, minMs, maxMs } = selection;
  return sql`
    project_id = ${projectId} and name = ${storable(name)}
    and "timestamp" >= ${start} and "timestamp" < ${end}
    ${inScope(sql, selection)}
    ${services.length === 0 ? sql`` : sql`and service = any (${services.map(storable)}::text[])`}
    ${minMs === null ? sql`` : sql`and duration_ms >= ${minMs}`}
    ${maxMs === null ? sql`` : sql`and duration_ms < ${maxMs}`}
  `;
}
