/** Where the time of transactions goes, seen in the spans of some of them. */
import { t } from "../../core/language/translate.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import type { Span, SpanCategory } from "../../records/mod.ts";
import { packedColumns, type PackedRow, withSpans } from "../../store/spans/stored_spans.ts";
import { groupName } from "../../store/stats/series.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { TablePanel } from "../../ui/components/table.tsx";
import { formatDuration, formatPercent, withDecimalMark } from "../../ui/format.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { sectionPath, traceHref } from "../../ui/links.ts";
import { CATEGORY_WORDS } from "../list_parts.tsx";
import { ShareOf } from "../../ui/components/values.tsx";

/** Spans that do the same work, over all transactions that were looked at. */
export interface SpanGroup {
  readonly op: string;
  readonly category: SpanCategory;
  /** Statement without literals, host and the like; else the description. */
  readonly name: string;
  /** Spans in all transactions. */
  readonly count: number;
  /** Transactions that have one. */
  readonly transactions: number;
  readonly totalMs: number;
  /** Without what spans below took. */
  readonly selfMs: number;
  /** The most that one transaction had, one after the other. */
  readonly mostInARow: number;
  /** The trace where they were. */
  readonly traceId: string;
}

export interface Breakdown {
  /** Transactions that were looked at. */
  readonly transactions: number;
  /** Their time together. */
  readonly totalMs: number;
  /** By their own time, longest first. */
  readonly groups: readonly SpanGroup[];
}

/** A transaction whose spans are to be read. */
export interface Root {
  readonly traceId: string;
  readonly spanId: string;
  readonly durationMs: number;
  readonly startedAt: Date;
}

const MAX_SPANS = 20_000;
/** Reads the spans below transactions and adds them up by what they do. */
export async function breakDown(
  sql: Sql,
  projectId: string,
  roots: readonly Root[],
): Promise<Breakdown> {
  const byTrace = await readSpans(sql, projectId, roots);
  const groups = new Map<string, Tally>();
  for (const root of roots) {
    const below = spansBelow(byTrace.get(root.traceId) ?? [], root.spanId);
    for (const [key, part] of addUp(below)) {
      const tally = groups.get(key) ?? startTally(part.first);
      groups.set(key, tally);
      tally.count += part.count;
      tally.transactions++;
      tally.totalMs += part.totalMs;
      tally.selfMs += part.selfMs;
      if (part.mostInARow > tally.mostInARow) {
        tally.mostInARow = part.mostInARow;
        tally.traceId = root.traceId;
      }
    }
  }
  return {
    transactions: roots.length,
    totalMs: roots.reduce((sum, { durationMs }) => sum + durationMs, 0),
    groups: [...groups.values()].sort((a, b) => b.selfMs - a.selfMs),
  };
}

async function readSpans(
  sql: Sql,
  projectId: string,
  roots: readonly Root[],
): Promise<Map<string, Span[]>> {
  const spans = new Map<string, Span[]>();
  if (roots.length === 0) return spans;
  const times = roots.map(({ startedAt }) => startedAt.getTime());
  const rows = await sql<(PackedRow & { traceId: string; count: number })[]>`
    select
      replace(trace_id::text, '-', '') as "traceId", span_count as count, ${packedColumns(sql)}
    from span_batches
    where project_id = ${projectId}
      and trace_id = any (${[...new Set(roots.map(({ traceId }) => traceId))]}::uuid[])
      and "timestamp" >= ${new Date(times.reduce((a, b) => Math.min(a, b)) - DAY_MS)}
      and "timestamp" < ${new Date(times.reduce((a, b) => Math.max(a, b)) + DAY_MS)}
  `;
  let total = 0;
  const some = rows.filter(({ count }) => (total += count) <= MAX_SPANS);
  for (const { traceId, spans: read } of await withSpans(sql, projectId, some)) {
    spans.set(traceId, [...spans.get(traceId) ?? [], ...read]);
  }
  return spans;
}

/** What is below a span, wherever the clients put it; cycles end where they began. */
function spansBelow(spans: readonly Span[], rootId: string): Span[] {
  const children = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId ?? "");
  const below: Span[] = [];
  const seen = new Set([rootId]);
  const open = [rootId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const child of children.get(id) ?? []) {
      // What another transaction did is told on its own page.
      if (seen.has(child.spanId) || child.isSegment) continue;
      seen.add(child.spanId);
      below.push(child);
      open.push(child.spanId);
    }
  }
  return below;
}

interface Part {
  readonly first: Span;
  count: number;
  totalMs: number;
  selfMs: number;
  mostInARow: number;
}

interface Tally {
  readonly op: string;
  readonly category: SpanCategory;
  readonly name: string;
  count: number;
  transactions: number;
  totalMs: number;
  selfMs: number;
  mostInARow: number;
  traceId: string;
}

function startTally({ op, category, group, description, name }: Span): Tally {
  return {
    op,
    category,
    name: group || description || name || op,
    count: 0,
    transactions: 0,
    totalMs: 0,
    selfMs: 0,
    mostInARow: 0,
    traceId: "",
  };
}

function addUp(spans: readonly Span[]): Map<string, Part> {
  const children = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId ?? "");
  const parts = new Map<string, Part>();
  for (const span of spans) {
    const key = JSON.stringify([span.category, span.op, span.group || span.description]);
    const part = parts.get(key) ?? { first: span, count: 0, totalMs: 0, selfMs: 0, mostInARow: 0 };
    parts.set(key, part);
    part.count++;
    part.totalMs += (span.end - span.start) * 1000;
    part.selfMs += selfTime(span, children.get(span.spanId) ?? []);
  }
  for (const [key, most] of longestRows([...children.values()])) {
    const part = parts.get(key);
    if (part !== undefined) part.mostInARow = most;
  }
  return parts;
}

/** Milliseconds of a span in which none of its children ran. */
function selfTime({ start, end }: Span, children: readonly Span[]): number {
  let covered = 0;
  let until = start;
  for (const child of [...children].sort((a, b) => a.start - b.start)) {
    const from = Math.max(until, child.start);
    const to = Math.min(end, child.end);
    if (to > from) covered += to - from;
    until = Math.max(until, to);
  }
  return Math.max(0, end - start - covered) * 1000;
}

/** By kind of work: the longest row of siblings that ran one after the other. */
function longestRows(families: readonly (readonly Span[])[]): Map<string, number> {
  const longest = new Map<string, number>();
  for (const siblings of families) {
    const same = Map.groupBy(
      siblings,
      ({ category, op, group, description }) =>
        JSON.stringify([category, op, group || description]),
    );
    for (const [key, spans] of same) {
      const inOrder = spans.sort((a, b) => a.start - b.start);
      let row = 0;
      let end = -Infinity;
      let most = 0;
      for (const span of inOrder) {
        row = span.start >= end ? row + 1 : 1;
        end = Math.max(end, span.end);
        most = Math.max(most, row);
      }
      longest.set(key, Math.max(most, longest.get(key) ?? 0));
    }
  }
  return longest;
}

export interface BreakdownPanelProps {
  readonly projectId: string;
  readonly scope: Scope;
  readonly breakdown: Breakdown;
}

const SHOWN = 15;
/** So many of the same work one after the other could have been one. */
const MANY_IN_A_ROW = 5;

/** Where the time goes: spans below the newest transactions, by what they do. */
export function BreakdownPanel({ projectId, scope, breakdown }: BreakdownPanelProps) {
  const { groups, transactions, totalMs } = breakdown;
  return (
    <TablePanel
      title={t("Where the time goes")}
      description={t(
        "Spans of the newest transaction. Own time is without what spans below took.|Spans of the newest {n} transactions. Own time is without what spans below took.",
        { n: transactions },
      )}
      none={t("These transactions have no spans.")}
      caption={t("Spans by what they do")}
      rows={groups}
      limit={SHOWN}
      rowKey={({ category, op, name }) => `${category}/${op}/${name}`}
      columns={[
        {
          label: t("Work"),
          cellClass: "w-full max-w-0 min-w-48",
          cell: (group) => <GroupName projectId={projectId} scope={scope} group={group} />,
        },
        {
          label: t("Per transaction"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ count }) => withDecimalMark((count / Math.max(1, transactions)).toFixed(1)),
        },
        {
          label: t("Average"),
          align: "right",
          class: "max-md:hidden",
          cell: (group) => formatDuration(group.totalMs / group.count),
        },
        {
          label: t("Own time"),
          align: "right",
          cell: ({ selfMs }) => (
            <ShareOf
              share={totalMs === 0 ? 0 : selfMs / totalMs}
              title={t("{duration} in all of these transactions", {
                duration: formatDuration(selfMs),
              })}
            >
              {formatPercent(totalMs === 0 ? null : selfMs / totalMs)}
            </ShareOf>
          ),
        },
      ]}
    />
  );
}

function GroupName(
  { projectId, scope, group }: { projectId: string; scope: Scope; group: SpanGroup },
) {
  const { category, op, name, mostInARow, traceId } = group;
  const href = category === ""
    ? null
    : scopedHref(`${sectionPath(projectId, "queries")}/detail`, scope, {
      category,
      group: groupName(name),
    });
  const isRepeated = category !== "" && mostInARow >= MANY_IN_A_ROW;
  return (
    <>
      <span class="flex min-w-0 items-baseline gap-2">
        {href === null
          ? <bdi class="min-w-0 truncate" title={name}>{name}</bdi>
          : (
            <a class="link min-w-0 truncate font-mono" href={href} title={name}>
              <bdi>{name}</bdi>
            </a>
          )}
        {isRepeated && (
          <a href={traceHref(projectId, traceId, null, scope)} class="shrink-0">
            <Badge
              tone="warning"
              icon="warning"
              title={t("The same work again and again, one after the other: fetch it all at once")}
            >
              {t("{n} in a row", { n: mostInARow })}
            </Badge>
          </a>
        )}
      </span>
      <span class="block truncate text-meta text-muted">
        {category === "" ? op : `${t(CATEGORY_WORDS[category])} · ${op}`}
      </span>
    </>
  );
}
