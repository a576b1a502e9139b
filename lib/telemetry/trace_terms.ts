/** What traces are searched by: conditions that one entry of a trace meets all at once. */
import type postgres from "postgres";
import type { Queryable } from "./database.ts";
import { likePattern } from "./like_pattern.ts";
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

/** The condition on columns of `transactions` that a term stands for; null where it does not apply. */
export function termCondition(sql: Queryable, term: TraceTerm): postgres.Fragment {
  switch (term.kind) {
    case "text":
      return sql`${TEXTS[term.column](sql)} ilike ${pattern(term.value)}`;
    case "number":
      return compared(sql, NUMBERS[term.column], term.comparisons);
    case "failed":
      return sql`is_failed`;
    case "user":
      return term.value.includes(":")
        ? sql`user_key ilike ${pattern(term.value)}`
        : sql`user_key ilike ${`%:${pattern(term.value)}`}`;
    case "tag":
      return term.value === null
        ? sql`tags->>${storable(term.key)} is not null`
        : sql`tags->>${storable(term.key)} ilike ${pattern(term.value)}`;
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

function pattern(text: string): string {
  return likePattern(storable(text));
}
