/** What traces are searched by: conditions that one entry of a trace meets all at once. */
import { DAY_MS } from "../../core/time.ts";
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import type { Queryable } from "../../store/database.ts";
import { dayOf, inScope, isLike, type QueryScope } from "../../store/query_limits.ts";
import { SERIES_KINDS } from "../../store/stats/series.ts";
import { likePattern } from "../../store/values.ts";

export type Comparison = readonly [operator: ">" | ">=" | "<" | "<=" | "=", value: number];

/** Texts are compared without regard to case, and `*` in them stands for anything. */
export type TraceTerm =
  | { readonly kind: "text"; readonly column: TextColumn; readonly value: string }
  | {
    readonly kind: "number";
    /** Milliseconds, or the code of an HTTP answer. */
    readonly column: "duration" | "httpStatus";
    /** All of them hold. */
    readonly comparisons: readonly Comparison[];
  }
  | { readonly kind: "failed" }
  /** As `id:7`; without its kind any kind of user. */
  | { readonly kind: "user"; readonly value: string }
  /** Of the entry, of spans below it, or of a sender. A null value asks for any. */
  | {
    readonly kind: "tag";
    readonly key: string;
    readonly value: string | null;
    /** See `withSources()`. */
    readonly sources?: SourcesOfTag;
    readonly facts?: FactsOfTag;
  };

/** Senders whose resource has an attribute. */
export interface SourcesOfTag {
  readonly sourceIds: readonly string[];
  /** Of them all: entries of other services need no second look. */
  readonly services: readonly string[];
}

/** What batches of spans say that have an attribute. */
export interface FactsOfTag {
  /** Those that stand by themselves; null: too many to name. */
  readonly factsIds: readonly string[] | null;
  /** Batches of the time may have been stored with their facts within them, as earlier versions did. */
  readonly isWithin: boolean;
}

/** Which traces: those of which one entry meets all conditions. Empty lists ask for all. */
export interface TraceSelection extends QueryScope {
  readonly projectId: string;
  readonly services: readonly string[];
  /** Parts of the entry's name, without regard to case; `*` stands for anything. */
  readonly words: readonly string[];
  readonly terms: readonly (TraceTerm & { readonly isNegated: boolean })[];
}

export type TextColumn =
  | "name"
  | "op"
  | "service"
  | "status"
  | "environment"
  | "release"
  | "platform"
  | "httpMethod"
  | "route";

const COLUMNS_OF_TRANSACTIONS: Readonly<Record<TextColumn, (sql: Queryable) => postgres.Fragment>> =
  {
    name: (sql) => sql`name`,
    op: (sql) => sql`op`,
    // As pages name what has no service.
    service: (sql) => sql`coalesce(nullif(service, ''), platform)`,
    status: (sql) => sql`status`,
    environment: (sql) => sql`environment`,
    release: (sql) => sql`release`,
    platform: (sql) => sql`platform`,
    httpMethod: (sql) => sql`http_method`,
    route: (sql) => sql`route`,
  };

const NUMBERS = { duration: "duration_ms", httpStatus: "http_status" } as const;

/**
 * The condition that an entry is what is searched for. Columns stand without the name of their table: they are those
 * of the innermost query.
 */
export function matching(sql: Queryable, selection: TraceSelection): postgres.Fragment {
  const { projectId, start, end, services, words, terms } = selection;
  const conditions = [
    ...words.map((word) => partOfName(sql, word)),
    ...terms.map((term) => {
      const condition = termCondition(sql, selection, term);
      return term.isNegated ? sql`not coalesce(${condition}, false)` : sql`(${condition})`;
    }),
  ];
  return sql`
    project_id = ${projectId} and "timestamp" >= ${start} and "timestamp" < ${end}
    ${inScope(sql, selection)}
    ${services.length === 0 ? sql`` : sql`and service = any (${services.map(storable)}::text[])`}
    ${conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql``)}
  `;
}

/** The condition that a word is part of the column `name`. */
function partOfName(sql: Queryable, word: string): postgres.Fragment {
  return isLike(sql, sql`name`, `%${likePattern(storable(word))}%`);
}

/** The condition on columns of `transactions` that a term stands for; null where it does not apply. */
function termCondition(
  sql: Queryable,
  selection: TraceSelection,
  term: TraceTerm,
): postgres.Fragment {
  switch (term.kind) {
    case "text":
      return sql`${COLUMNS_OF_TRANSACTIONS[term.column](sql)} ilike ${textPattern(term.value)}`;
    case "number":
      return compared(sql, NUMBERS[term.column], term.comparisons);
    case "failed":
      return sql`is_failed`;
    case "user":
      return sql`user_key ilike any (${userKeys(term.value).map(textPattern)}::text[])`;
    case "tag":
      return tagCondition(sql, selection, term);
  }
}

function tagCondition(
  sql: Queryable,
  selection: TraceSelection,
  { key, value, sources, facts }: Extract<TraceTerm, { kind: "tag" }>,
): postgres.Fragment {
  const name = storable(key);
  const ofEntry = value === null
    ? sql`tags->>${name} is not null`
    : isLike(sql, sql`tags->>${name}`, textPattern(value));
  return sql`(
    ${ofEntry}
    ${
    facts === undefined
      ? sql``
      : sql`or ${someBatch(sql, selection, saying(sql, selection, facts, { key, value }))}`
  }
    ${
    sources === undefined ? sql`` : sql`
      or service = any (${[...sources.services]}::text[]) and ${
      someBatch(sql, selection, sql`source_id = any (${[...sources.sourceIds]}::bigint[])`)
    }`
  }
  )`;
}

/** The condition that a batch has such facts. */
function saying(
  sql: Queryable,
  { projectId, start, end }: TraceSelection,
  { factsIds, isWithin }: FactsOfTag,
  { key, value }: { readonly key: string; readonly value: string | null },
): postgres.Fragment {
  const named = factsIds !== null
    ? sql`facts_id = any (${[...factsIds]}::bigint[])`
    : sql`facts_id in (
        select facts_id from span_facts
        where project_id = ${projectId} and "timestamp" >= ${new Date(start.getTime() - 2 * DAY_MS)}
          and "timestamp" < ${end} and ${hasFact(sql, key, value)}
      )`;
  return isWithin ? sql`(${named} or facts_id is null and ${hasFact(sql, key, value)})` : named;
}

/** The condition that the column `facts` has an attribute, with such a value when there is one. */
export function hasFact(sql: Queryable, key: string, value: string | null): postgres.Fragment {
  const name = storable(key);
  return value === null ? sql`facts ? ${name}` : sql`exists (
    select 1 from jsonb_array_elements_text(facts->${name}) as fact (value)
    where fact.value ilike ${textPattern(value)}
  )`;
}

/**
 * Whether the trace of an entry has such a batch of spans within an hour of it: a day's partition or two are looked at, where
 * all of the time would be eight. Columns are named apart, since those of the entry have no table's name.
 */
function someBatch(
  sql: Queryable,
  { projectId, start, end }: TraceSelection,
  condition: postgres.Fragment,
): postgres.Fragment {
  return sql`exists (
    select 1 from (
      select trace_id as batch_trace_id, "timestamp" as batch_began, facts, facts_id, source_id
      from span_batches
      where project_id = ${projectId}
        and "timestamp" >= ${new Date(start.getTime() - DAY_MS)}
        and "timestamp" < ${new Date(end.getTime() + DAY_MS)}
    ) as batch
    where batch_trace_id = trace_id
      and batch_began >= started_at - interval '1 hour'
      and batch_began <= "timestamp" + interval '1 hour'
      and ${condition}
  )`;
}

function compared(
  sql: Queryable,
  column: string,
  comparisons: readonly Comparison[],
): postgres.Fragment {
  return comparisons.reduce(
    (all, [operator, value]) =>
      sql`${all} and ${sql(column)} ${sql.unsafe(operator)} ${value}::double precision`,
    sql`true`,
  );
}

/** The `ilike` pattern of a value that is searched for. */
export function textPattern(text: string): string {
  return likePattern(storable(text));
}

/** The kinds of user that records name. */
const USER_KINDS = ["id", "username", "email", "ip"];

/** The keys that users may have whom a value means. */
function userKeys(value: string): string[] {
  return value.includes(":") ? [value] : USER_KINDS.map((kind) => `${kind}:${value}`);
}

// Which indexes of transactions help with a search: conditions that follow from its terms, as the indexes have them.

/** Statuses that are in no index, since most transactions have them; so is HTTP's 200. */
const USUAL_STATUSES = ["", "ok"];
const USUAL_HTTP_STATUS = 200;
/** Of a column of two bytes. */
const MAX_SMALLINT = 32_767;

/** Conditions that hold for whatever meets the terms, none where no index helps. */
export function indexConditions(
  sql: Queryable,
  terms: readonly (TraceTerm & { readonly isNegated: boolean })[],
): postgres.Fragment[] {
  return terms.flatMap((term) => {
    const condition = term.isNegated ? null : indexCondition(sql, term);
    return condition ?? [];
  });
}

function indexCondition(sql: Queryable, term: TraceTerm): postgres.Fragment | null {
  switch (term.kind) {
    case "user":
      return ofUser(sql, term.value);
    case "text":
      return term.column === "status" ? ofStatus(sql, term.value) : null;
    case "number":
      return term.column === "httpStatus" ? ofHttpStatus(sql, term.comparisons) : null;
    default:
      return null;
  }
}

/** What keys begin with is looked up in the index. */
function ofUser(sql: Queryable, value: string): postgres.Fragment | null {
  const keys = userKeys(value);
  if (keys.some((key) => /^([^:*]*:)?\*/.test(key))) return null;
  const isAny = keys.reduce(
    (all, key) => sql`${all} or lower(user_key) like lower(${textPattern(key)}::text collate "C")`,
    sql`false`,
  );
  return sql`user_key is not null and (${isAny})`;
}

function ofStatus(sql: Queryable, value: string): postgres.Fragment | null {
  if (value.includes("*") || USUAL_STATUSES.includes(value.toLowerCase())) return null;
  return sql`status not in ('', 'ok') and lower(status) = lower(${storable(value)}::text)`;
}

function ofHttpStatus(
  sql: Queryable,
  comparisons: readonly Comparison[],
): postgres.Fragment | null {
  if (comparisons.every((each) => holds(each, USUAL_HTTP_STATUS))) return null;
  const areCodes = comparisons.every(([, value]) =>
    Number.isInteger(value) && Math.abs(value) <= MAX_SMALLINT
  );
  if (!areCodes) return null;
  return comparisons.reduce(
    (all, [operator, value]) =>
      sql`${all} and http_status ${sql.unsafe(operator)} ${value}::smallint`,
    sql`http_status <> 200`,
  );
}

function holds([operator, value]: Comparison, code: number): boolean {
  switch (operator) {
    case ">":
      return code > value;
    case ">=":
      return code >= value;
    case "<":
      return code < value;
    case "<=":
      return code <= value;
    case "=":
      return code === value;
  }
}

/** So many names can be looked up one by one. */
const MAX_NAMES = 200;

/** What series of transactions tell of them, by the columns of series. */
const COLUMNS_OF_SERIES: Partial<
  Readonly<Record<TextColumn, (sql: Queryable) => postgres.Fragment>>
> = {
  name: (sql) => sql`name`,
  op: (sql) => sql`op`,
  environment: (sql) => sql`environment`,
  release: (sql) => sql`release`,
  httpMethod: (sql) => sql`http_method`,
  // Compared as in transactions, whose column has the database's collation.
  route: (sql) => sql`route collate "default"`,
};

/** Whether a search asks for what series of transactions tell. */
export function tellsOfNames({ words, terms }: TraceSelection): boolean {
  return words.length > 0 || terms.some((term) =>
    term.kind === "text" && !term.isNegated &&
    (term.column === "service" || COLUMNS_OF_SERIES[term.column] !== undefined)
  );
}

/**
 * The names that transactions may have which match, as far as they are counted.
 *
 * @returns null when there are many, or when the search does not ask for what series tell
 */
export async function findNames(
  tx: postgres.TransactionSql,
  selection: TraceSelection,
): Promise<string[] | null> {
  if (!tellsOfNames(selection)) return null;
  const conditions = seriesConditions(tx, selection);
  const { projectId, services, start } = selection;
  const rows = await tx<{ name: string }[]>`
    select distinct name from stat_series
    where project_id = ${projectId} and kind = ${kindFor(selection)}
      and seen_on >= ${dayOf(start)}::text::date
      ${services.length === 0 ? tx`` : tx`and service = any (${services.map(storable)}::text[])`}
      ${conditions.reduce((all, each) => tx`${all} and ${each}`, tx``)}
    limit ${MAX_NAMES + 1}
  `;
  return rows.length > MAX_NAMES ? null : rows.map(({ name }) => name);
}

/** What follows for the series of a transaction that matches. */
function seriesConditions(
  sql: Queryable,
  { words, terms }: TraceSelection,
): postgres.Fragment[] {
  return [
    ...words.map((word) => partOfName(sql, word)),
    ...terms.flatMap((term) => {
      if (term.kind !== "text" || term.isNegated) return [];
      const { column, value } = term;
      // Without a service, pages name the platform, which series do not know.
      if (column === "service") {
        return sql`(service = '' or service ilike ${textPattern(value)})`;
      }
      const text = COLUMNS_OF_SERIES[column];
      return text === undefined ? [] : sql`${text(sql)} ilike ${textPattern(value)}`;
    }),
  ];
}

/** Series of all environments and releases together are fewer. */
function kindFor({ terms }: TraceSelection): number {
  const isApart = terms.some((term) =>
    term.kind === "text" && !term.isNegated &&
    (term.column === "environment" || term.column === "release")
  );
  return isApart ? SERIES_KINDS.transaction : SERIES_KINDS.transaction_whole;
}
