/** By what logs are found in segments of them; see store/search_index. */
import { storable } from "../core/errors.ts";
import { LOG_LEVELS, type LogLevel } from "../records/mod.ts";
import type { QueryScope } from "../store/query_limits.ts";
import { addText, bucketOfValue, bucketsOfPart } from "../store/search_index/buckets.ts";
import type { Indexed } from "../store/search_index/build_segments.ts";

interface LogRow {
  readonly level: string;
  readonly body: string;
  readonly logger: string;
  readonly server: string;
  readonly environment: string;
  readonly release: string;
  /** As texts. */
  readonly attributes: Readonly<Record<string, string | null>> | null;
}

/** One condition of a search: `logger:shop.*`, or `!user.id:7` for what has it not. */
export interface LogTerm {
  readonly key: string;
  readonly value: string;
  readonly isNegated: boolean;
}

/** Columns that terms name; other keys are those of attributes. */
export const COLUMNS = ["logger", "server", "level", "environment", "release"] as const;

export const INDEXED_LOGS: Indexed<LogRow> = {
  name: "log",
  table: "logs",
  columns: (sql) =>
    sql`
    level, body, logger, server, environment, release, (
      select jsonb_object_agg(key, value)
      from jsonb_each_text(case when jsonb_typeof(attributes) = 'object' then attributes end)
    ) as attributes
  `,
  addRow(row, add) {
    addText(row.body, add);
    for (const column of COLUMNS) add(bucketOfValue(column, row[column]));
    for (const [key, value] of Object.entries(row.attributes ?? {})) {
      add(bucketOfValue(attribute(key), null));
      if (value !== null) add(bucketOfValue(attribute(key), value));
    }
  },
  factsOf: countsOf,
};

function attribute(key: string): string {
  return `@${key}`;
}

/** Buckets that all logs are in which have these words and terms. */
export function bucketsOf(
  { words, terms }: { readonly words: readonly string[]; readonly terms: readonly LogTerm[] },
): number[] {
  return [
    ...words.flatMap((word) => word.split("*").flatMap((part) => bucketsOfPart(storable(part)))),
    ...terms.flatMap((term) => term.isNegated ? [] : bucketOfTerm(term)),
  ];
}

function bucketOfTerm({ key, value }: LogTerm): number[] {
  // Traces have an index of their own.
  if (key === "trace") return [];
  const isColumn = COLUMNS.some((column) => column === key);
  if (value.includes("*")) return isColumn ? [] : [bucketOfValue(attribute(storable(key)), null)];
  return [bucketOfValue(isColumn ? key : attribute(storable(key)), storable(value))];
}

/** How many logs of a block have which level, environment and release. */
export type LogCounts = readonly (readonly [
  level: number,
  environment: string,
  release: string,
  count: number,
])[];

/** Blocks of more kinds of logs are counted one log after the other. */
const MAX_KINDS = 50;

function countsOf(rows: readonly LogRow[]): LogCounts | null {
  const kinds = new Map<string, [number, string, string, number]>();
  for (const { level, environment, release } of rows) {
    const key = `${level}\0${environment}\0${release}`;
    const kind = kinds.get(key) ?? [levelAt(level), environment, release, 0];
    kind[3]++;
    kinds.set(key, kind);
  }
  return kinds.size > MAX_KINDS ? null : [...kinds.values()];
}

function levelAt(level: string): number {
  return LOG_LEVELS.findIndex((name) => name === level);
}

/** One level, environment and release of logs. */
type LogKind = readonly [level: number, environment: string, release: string];

/** The counts of a block in little memory: all blocks of a segment share the names of its kinds. */
class BlockCounts {
  constructor(
    readonly kinds: readonly LogKind[],
    /** The place of a kind and its count, in turns. */
    readonly pairs: Uint32Array,
  ) {}
}

/** Counts of the blocks of a segment, as `countsIn()` reads them. */
export function compactCounts(facts: readonly unknown[]): readonly unknown[] {
  const kinds: LogKind[] = [];
  const places = new Map<string, number>();
  const placeOf = (kind: LogKind) => {
    const key = kind.join("\0");
    const place = places.get(key) ?? kinds.push(kind) - 1;
    places.set(key, place);
    return place;
  };
  return facts.map((block) => {
    if (!Array.isArray(block)) return null;
    const pairs = (block as LogCounts).flatMap((
      [level, environment, release, count],
    ) => [placeOf([level, environment, release]), count]);
    return new BlockCounts(kinds, Uint32Array.from(pairs));
  });
}

/** Those of a block that are in a scope, by level; null: the block does not tell. @param facts of `compactCounts()` */
export function countsIn(
  facts: unknown,
  { environments, releases }: Pick<QueryScope, "environments" | "releases">,
): Map<LogLevel, number> | null {
  if (!(facts instanceof BlockCounts)) return null;
  const { kinds, pairs } = facts;
  const counts = new Map<LogLevel, number>();
  for (let at = 0; at < pairs.length; at += 2) {
    const [place = -1, environment = "", release = ""] = kinds[pairs[at] ?? -1] ?? [];
    const count = pairs[at + 1] ?? 0;
    const level = LOG_LEVELS[place];
    if (level === undefined) return null;
    if (environments.length > 0 && !environments.includes(environment)) continue;
    if (releases.length > 0 && !releases.includes(release)) continue;
    counts.set(level, (counts.get(level) ?? 0) + count);
  }
  return counts;
}
