/** By what transactions are found in segments of them; see store/search_index. */
import { storable } from "../../core/errors.ts";
import { bucketOfValue } from "../../store/search_index/buckets.ts";
import type { Indexed } from "../../store/search_index/build_segments.ts";
import type { Comparison, TraceSelection, TraceTerm } from "./trace_terms.ts";

interface TransactionRow {
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly op: string;
  readonly status: string;
  readonly durationMs: number;
  /** As texts. */
  readonly tags: Readonly<Record<string, string | null>>;
}

/** The least and the most milliseconds of a block. */
type Durations = readonly [least: number, most: number];

/** Columns by whose whole values blocks are found. */
const COLUMNS = ["platform", "environment", "release", "op", "status"] as const;

export const INDEXED_TRANSACTIONS: Indexed<TransactionRow> = {
  name: "transaction",
  table: "transactions",
  columns: (sql) =>
    sql`
    platform, environment, release, op, status, duration_ms as "durationMs", coalesce((
      select jsonb_object_agg(key, value)
      from jsonb_each_text(case when jsonb_typeof(tags) = 'object' then tags end)
    ), '{}') as tags
  `,
  addRow(row, add) {
    for (const column of COLUMNS) add(bucketOfValue(column, row[column]));
    for (const [key, value] of Object.entries(row.tags)) {
      if (value === null) continue;
      add(bucketOfValue(tag(key), null));
      add(bucketOfValue(tag(key), value));
    }
  },
  factsOf(rows): Durations | null {
    if (rows.length === 0) return null;
    const all = rows.map(({ durationMs }) => durationMs);
    return [Math.min(...all), Math.max(...all)];
  },
};

function tag(key: string): string {
  return `@${key}`;
}

/** How segments tell where entries may be that are searched for; null where they do not. */
export function conditionsOfBlocks({ terms, environments, releases }: TraceSelection) {
  const wanted = terms.filter(({ isNegated }) => !isNegated);
  const buckets = [
    ...wanted.flatMap(bucketOfTerm),
    ...onlyOne("environment", environments),
    ...onlyOne("release", releases),
  ];
  const compared = wanted.flatMap((term) =>
    term.kind === "number" && term.column === "duration" ? term.comparisons : []
  );
  if (buckets.length === 0 && compared.length === 0) return null;
  if (compared.length === 0) return { buckets };
  const mayHave = (facts: unknown) =>
    !isDurations(facts) || compared.every((each) => mayHold(each, facts));
  return { buckets, mayHave };
}

/** Of several, each is in buckets of its own. */
function onlyOne(column: string, values: readonly string[]): number[] {
  const [value] = values;
  return value === undefined || values.length > 1 ? [] : [bucketOfValue(column, storable(value))];
}

function bucketOfTerm(term: TraceTerm): number[] {
  if (term.kind === "text") {
    const column = COLUMNS.find((name) => name === term.column);
    if (column === undefined || term.value.includes("*")) return [];
    return [bucketOfValue(column, storable(term.value))];
  }
  if (term.kind !== "tag") return [];
  const { key, value, sources, facts } = term;
  // Spans or senders have it, of which entries do not tell.
  if (sources !== undefined || facts !== undefined) return [];
  const isWhole = value !== null && !value.includes("*");
  return [bucketOfValue(tag(storable(key)), isWhole ? storable(value) : null)];
}

function isDurations(facts: unknown): facts is Durations {
  return Array.isArray(facts) && facts.every((each) => typeof each === "number");
}

function mayHold([operator, value]: Comparison, [least, most]: Durations): boolean {
  switch (operator) {
    case ">":
      return most > value;
    case ">=":
      return most >= value;
    case "<":
      return least < value;
    case "<=":
      return least <= value;
    case "=":
      return least <= value && value <= most;
  }
}
