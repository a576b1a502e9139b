/** Finds senders of spans by attributes of their resource: a few rows a day, while spans are millions. */
import type { Sql } from "../../store/database.ts";
import { DAY_MS, dayOf } from "../../store/scope_filter.ts";
import { storable } from "../../core/storable.ts";
import { type SourcesOfTag, textPattern, type TraceSelection } from "./trace_terms.ts";

/** More senders are told apart by something else. */
const MAX_SOURCES = 2_000;

/** The selection with the senders that each of its tags means; those of tags of entries alone have none. */
export async function withSources<Selection extends TraceSelection>(
  sql: Sql,
  selection: Selection,
): Promise<Selection> {
  const terms = await Promise.all(selection.terms.map(async (term) => {
    if (term.kind !== "tag") return term;
    const sources = await sourcesOf(sql, selection, term.key, term.value);
    return sources === null ? term : { ...term, sources };
  }));
  return { ...selection, terms };
}

async function sourcesOf(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
  key: string,
  value: string | null,
): Promise<SourcesOfTag | null> {
  const has = value === null
    ? sql`resource ? ${storable(key)}`
    : sql`resource->>${storable(key)} ilike ${textPattern(value)}`;
  const rows = await sql<{ sourceId: string; service: string }[]>`
    select distinct source_id as "sourceId", service from span_sources
    where project_id = ${projectId} and "timestamp" >= ${dayBefore(start)} and "timestamp" < ${end}
      and ${has}
    limit ${MAX_SOURCES}
  `;
  if (rows.length === 0) return null;
  return {
    sourceIds: rows.map(({ sourceId }) => sourceId),
    services: [...new Set(rows.map(({ service }) => service))],
  };
}

/** Sources stand at the start of the day of their spans, which may begin the day before their entry ends. */
function dayBefore(start: Date): Date {
  return new Date(Date.parse(dayOf(start)) - DAY_MS);
}

/** How many rows tell which keys there are. */
const SAMPLE = { transactions: 1_000, batches: 500, sources: 500 };

/** Keys by which some traces of the time are found: of resources, and of the newest entries and spans. */
export async function traceKeys(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
): Promise<string[]> {
  const within =
    sql`project_id = ${projectId} and "timestamp" >= ${start} and "timestamp" < ${end}`;
  const rows = await sql<{ key: string }[]>`
    select jsonb_object_keys(resource) as key from (
      select resource from span_sources
      where project_id = ${projectId} and "timestamp" >= ${
    dayBefore(start)
  } and "timestamp" < ${end}
      order by "timestamp" desc limit ${SAMPLE.sources}
    ) as newest
    union
    select jsonb_object_keys(tags) from (
      select tags from transactions where ${within} order by "timestamp" desc
      limit ${SAMPLE.transactions}
    ) as newest
    union
    select jsonb_object_keys(facts) from (
      select facts from span_batches
      where (project_id, trace_id) in (
        select project_id, trace_id from transactions where ${within} order by "timestamp" desc
        limit ${SAMPLE.batches}
      ) and "timestamp" >= ${dayBefore(start)} and "timestamp" < ${end}
    ) as below
    order by key
  `;
  return rows.map(({ key }) => key);
}
