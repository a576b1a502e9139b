/** What traces are searched by: conditions that one entry of a trace meets all at once. */
import type postgres from "postgres";
import type { Queryable } from "./database.ts";
import { likePattern } from "./like_pattern.ts";
import { inScope, type QueryScope } from "./scope_filter.ts";
import { storable } from "./storable.ts";

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
  /** A null value asks for any. */
  | { readonly kind: "tag"; readonly key: string; readonly value: string | null };

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

const TEXTS: Readonly<Record<TextColumn, (sql: Queryable) => postgres.Fragment>> = {
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
      const condition = termCondition(sql, term);
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
export function partOfName(sql: Queryable, word: string): postgres.Fragment {
  return sql`name ilike ${`%${likePattern(storable(word))}%`}`;
}

/** The condition on columns of `transactions` that a term stands for; null where it does not apply. */
export function termCondition(sql: Queryable, term: TraceTerm): postgres.Fragment {
  switch (term.kind) {
    case "text":
      return sql`${TEXTS[term.column](sql)} ilike ${textPattern(term.value)}`;
    case "number":
      return compared(sql, NUMBERS[term.column], term.comparisons);
    case "failed":
      return sql`is_failed`;
    case "user":
      return sql`user_key ilike any (${userKeys(term.value).map(textPattern)}::text[])`;
    case "tag":
      return term.value === null
        ? sql`tags->>${storable(term.key)} is not null`
        : sql`tags->>${storable(term.key)} ilike ${textPattern(term.value)}`;
  }
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
export function userKeys(value: string): string[] {
  return value.includes(":") ? [value] : USER_KINDS.map((kind) => `${kind}:${value}`);
}
