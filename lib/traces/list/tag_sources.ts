/**
 * Finds senders of spans by attributes of their resource, and what their spans work with: a few rows a day, while spans
 * are millions.
 */
import { storable } from "../../core/errors.ts";
import { DAY_MS } from "../../core/time.ts";
import { isSpanFact } from "../../records/span_rules.ts";
import type { Sql } from "../../store/database.ts";
import { dayOf } from "../../store/query_limits.ts";
import {
  type FactsOfTag,
  hasFact,
  type SourcesOfTag,
  textPattern,
  type TraceSelection,
} from "./trace_terms.ts";

/** More senders are told apart by something else. */
const MAX_SOURCES = 2_000;

/** The selection with the senders and facts that each of its tags means; those of tags of entries alone have none. */
export async function withSources<Selection extends TraceSelection>(
  sql: Sql,
  selection: Selection,
): Promise<Selection> {
  const terms = await Promise.all(selection.terms.map(async (term) => {
    if (term.kind !== "tag") return term;
    const [sources, facts] = await Promise.all([
      sourcesOf(sql, selection, term.key, term.value),
      factsOf(sql, selection, term.key, term.value),
    ]);
    return { ...term, ...(sources !== null && { sources }), ...(facts !== null && { facts }) };
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

/** The migration since which facts stand by themselves, and how long processes of before may have gone on. */
const FACTS_MIGRATION = "%_span_chunks.sql";
const OVERLAP = "1 day";
/** More are looked up for each batch. */
const MAX_FACTS = 10_000;

/** @returns null when no span of the time can say it */
async function factsOf(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
  key: string,
  value: string | null,
): Promise<FactsOfTag | null> {
  if (!isSpanFact(key, value ?? "any")) return null;
  const [rows, [{ isWithin = true } = {}]] = await Promise.all([
    sql<{ factsId: string }[]>`
      select distinct facts_id as "factsId" from span_facts
      where project_id = ${projectId} and "timestamp" >= ${
      dayBefore(start)
    } and "timestamp" < ${end}
        and ${hasFact(sql, key, value)}
      limit ${MAX_FACTS + 1}
    `,
    sql<{ isWithin: boolean }[]>`
      select applied_at + ${OVERLAP}::interval > ${dayBefore(start)} as "isWithin"
      from schema_migrations where name like ${FACTS_MIGRATION}
    `,
  ]);
  if (rows.length === 0 && !isWithin) return null;
  const areFew = rows.length <= MAX_FACTS;
  return { factsIds: areFew ? rows.map(({ factsId }) => factsId) : null, isWithin };
}

/** Sources and facts stand at the start of the day of their spans, which may begin the day before their entry ends. */
function dayBefore(start: Date): Date {
  return new Date(Date.parse(dayOf(start)) - DAY_MS);
}

/** How many rows tell which keys there are. */
const SAMPLE = { transactions: 1_000, batches: 500, sources: 500, facts: 500 };

/** Keys by which some traces of the time are found: of resources, and of the newest entries and spans. */
export async function traceKeys(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
): Promise<string[]> {
  const within =
    sql`project_id = ${projectId} and "timestamp" >= ${start} and "timestamp" < ${end}`;
  const since = dayBefore(start);
  const rows = await sql<{ key: string }[]>`
    with newest as materialized (
      select trace_id, started_at from transactions where ${within}
      order by "timestamp" desc limit ${SAMPLE.batches}
    )
    select jsonb_object_keys(resource) as key from (
      select resource from span_sources
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${end}
      order by "timestamp" desc limit ${SAMPLE.sources}
    ) as newest_sources
    union
    select jsonb_object_keys(tags) from (
      select tags from transactions where ${within} order by "timestamp" desc
      limit ${SAMPLE.transactions}
    ) as newest_entries
    union
    select jsonb_object_keys(facts) from (
      select facts from span_facts
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${end}
      order by "timestamp" desc limit ${SAMPLE.facts}
    ) as newest_facts
    union
    select jsonb_object_keys(facts) from (
      select facts from span_batches
      where project_id = ${projectId} and trace_id in (select trace_id from newest)
        and facts_id is null and "timestamp" < ${end}
        and "timestamp" >= (select min(started_at) from newest) - interval '1 hour'
    ) as of_earlier_versions
    order by key
  `;
  return rows.map(({ key }) => key);
}
