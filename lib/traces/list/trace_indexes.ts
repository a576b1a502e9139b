/** Which indexes of transactions help with a search: conditions that follow from its terms, as the indexes have them. */
import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import { storable } from "../../core/storable.ts";
import { type Comparison, textPattern, type TraceTerm, userKeys } from "./trace_terms.ts";

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
