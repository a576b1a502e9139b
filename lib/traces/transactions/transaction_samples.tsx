/** Single transactions of one name: the rows behind the counts. */
import { message, t } from "../../core/language/translate.ts";
import type postgres from "postgres";
import type { Sql } from "../../store/database.ts";
import { storable } from "../../core/errors.ts";
import { inScope, type QueryScope } from "../../store/query_limits.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { classes } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Nothing, RowTable } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatDuration, NONE } from "../../ui/format.ts";
import { scopedHref } from "../../ui/scope.ts";
import { TraceLink } from "../list_parts.tsx";

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
    select ${sampleColumns(sql)} from transactions
    where ${selected(sql, selection)}
      ${order === "failed" ? sql`and is_failed` : sql``}
    order by ${order === "slowest" ? sql`duration_ms desc` : sql`"timestamp" desc`}
    limit ${limit}
  `;
}

/** The columns of transactions that a {@linkcode TransactionSample} is read of. */
export function sampleColumns(sql: Sql): postgres.Fragment {
  return sql`
      replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", started_at as "startedAt",
      duration_ms as "durationMs", status, is_failed as "isFailed", http_status as "httpStatus",
      environment, release, service, user_key as "user",
      profile_id is not null or profiler_id is not null as "hasProfile"
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

interface SamplePanelProps {
  readonly pageScope: PageScope;
  readonly path: string;
  readonly params: {
    readonly order: SampleOrder;
    /** In milliseconds; null: all. */
    readonly range: { readonly min: number; readonly max: number } | null;
  };
  /** All parameters of the page, which choosing others keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
  readonly samples: readonly TransactionSample[];
}

const ORDER_WORDS = {
  slowest: { choice: message("Slowest"), caption: message("Slowest transactions") },
  newest: { choice: message("Newest"), caption: message("Newest transactions") },
  failed: { choice: message("Failed"), caption: message("Failed transactions") },
} as const;

/** Some of the transactions: the slowest, the newest or failed ones, of all or of a range of durations. */
export function SamplePanel({ pageScope, path, params, keep, samples }: SamplePanelProps) {
  const orders = Object.keys(ORDER_WORDS) as (keyof typeof ORDER_WORDS)[];
  const { range } = params;
  return (
    <Panel
      title={t("Transactions")}
      id="samples"
      flush
      {...range === null ? {} : {
        description: t("Those that took {from} to {to}.", {
          from: formatDuration(range.min),
          to: formatDuration(range.max),
        }),
      }}
      actions={
        <nav class="flex gap-1 text-sm" aria-label={t("Which transactions")}>
          {orders.map((order) => (
            <a
              key={order}
              href={`${
                scopedHref(path, pageScope.scope, {
                  ...keep,
                  samples: order === "slowest" ? null : order,
                })
              }#samples`}
              aria-current={order === params.order ? "true" : undefined}
              class={classes(
                "rounded-md px-2 py-0.5",
                order === params.order ? "bg-accent-soft text-accent" : "text-muted hover:bg-hover",
              )}
            >
              {t(ORDER_WORDS[order].choice)}
            </a>
          ))}
        </nav>
      }
    >
      {samples.length === 0
        ? (
          <Nothing>
            {params.order === "failed" ? t("None of them failed.") : t("None in this range.")}
          </Nothing>
        )
        : (
          <SampleTable
            pageScope={pageScope}
            samples={samples}
            caption={t(ORDER_WORDS[params.order].caption)}
          />
        )}
    </Panel>
  );
}

interface SampleTableProps {
  readonly pageScope: PageScope;
  readonly samples: readonly TransactionSample[];
  readonly caption: string;
}

/** Single transactions, each with the way to its trace. */
export function SampleTable({ pageScope, samples, caption }: SampleTableProps) {
  return (
    <RowTable
      caption={caption}
      rows={samples}
      rowKey={({ traceId, spanId }) => `${traceId}/${spanId}`}
      columns={[
        { label: t("Trace"), cell: (sample) => <TraceLink pageScope={pageScope} {...sample} /> },
        {
          label: t("Duration"),
          align: "right",
          cell: ({ durationMs }) => formatDuration(durationMs),
        },
        { label: t("Status"), cell: SampleStatus },
        {
          label: t("Release"),
          class: "max-lg:hidden",
          cellClass: "max-w-48 truncate max-lg:hidden",
          cell: ({ release }) => release || NONE,
        },
        {
          label: t("Environment"),
          class: "max-lg:hidden",
          cell: ({ environment }) => environment || NONE,
        },
        {
          label: t("User"),
          class: "max-xl:hidden",
          cellClass: "max-w-48 truncate max-xl:hidden",
          cell: ({ user }) => user ?? NONE,
        },
        {
          label: t("When"),
          align: "right",
          cell: ({ startedAt }) => <RelativeTime date={startedAt} />,
        },
      ]}
    />
  );
}

function SampleStatus({ isFailed, status, httpStatus }: TransactionSample) {
  const words = [httpStatus, status].filter((part) => part !== null && part !== "").join(" ");
  return isFailed
    ? <Badge tone="danger" icon="error">{words || t("failed")}</Badge>
    : <span class="text-muted">{words || NONE}</span>;
}
