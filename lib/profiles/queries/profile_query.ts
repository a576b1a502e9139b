/** Profiles as they are asked for and read back, and the conditions that choose rows of the table `profiles`. */
import { foldedUnit } from "../../core/value_units.ts";
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";
import { typeId } from "../../formats/pprof/sample_types.ts";
import type { Profile, ProfileKind, ProfileTotal } from "../../records/mod.ts";
import type { Queryable } from "../../store/database.ts";
import { inScope, type QueryScope } from "../../store/query_limits.ts";

/** Which profiles, and which of their samples. Empty lists ask for all. */
export interface ProfileScope extends QueryScope {
  readonly projectId: string;
  readonly services: readonly string[];
  /** Name of a transaction. */
  readonly transaction?: string | undefined;
  /** Values of labels; of a key that is named twice any value will do. */
  readonly labels?: readonly (readonly [key: string, value: string])[] | undefined;
  /** 32 hex digits each. */
  readonly profileIds?: readonly string[] | undefined;
  /** Of a continuous profiler, 32 hex digits. */
  readonly profilerId?: string | undefined;
  /** Samples of this thread only. */
  readonly threadId?: string | undefined;
  /** 32 lower-case hex digits; samples of this trace only, but for profiles that belong to it as a whole. */
  readonly traceId?: string | undefined;
  /** 16 lower-case hex digits; samples of this span only. Profiles are found by the trace, which it wants beside it. */
  readonly spanId?: string | undefined;
  /**
   * Samples between `start` and `end` only, of all profiles that cover any of that time and are no longer than an hour.
   * Otherwise a profile belongs where it began, with all its samples.
   */
  readonly clip?: boolean | undefined;
}

/** Profiles of any kind, or of one, or those that have values of one type. */
export interface ProfileQuery extends ProfileScope {
  readonly kind?: ProfileKind | undefined;
  readonly type?: ValueType | undefined;
}

/** Values of one type, of profiles of one kind. */
export interface ProfileSelection extends ProfileScope {
  readonly kind: ProfileKind;
  /** Found by its name; units of time or of bytes may differ between profiles. */
  readonly type: ValueType;
  /** Samples of threads that served only, see {@linkcode withServed}; has no meaning where samples are chosen otherwise. */
  readonly servedOnly?: boolean | undefined;
}

/** What the index tells of a profile. Ids are hex digits, texts `""` when nobody told. */
export interface ProfileRow {
  readonly profileId: string;
  /** When it began. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly source: Profile["source"];
  readonly kind: ProfileKind;
  readonly service: string;
  readonly instance: string;
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly transaction: string;
  readonly transactionId: string | null;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly profilerId: string | null;
  readonly durationMs: number;
  /** In the unit of `periodType`; 0 when unknown. */
  readonly period: bigint;
  /** As `cpu:nanoseconds`. */
  readonly periodType: string;
  /** Stacks with their labels. */
  readonly samples: number;
  readonly totals: readonly ProfileTotal[];
  readonly isDelta: boolean;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly sizeBytes: number;
  readonly blobKey: string;
  /** `""` when it came as pprof. */
  readonly originalKey: string;
}

/** How far before a time profiles may begin that cover it: a longer look back reads more rows for nothing. */
export const LONGEST_COVERED = "1 hour";
/** Values of a label that the index keeps of one profile; beyond them it cannot tell. */
const MAX_INDEXED_VALUES = 100;

/** What `where` says of a query, for statements that read no other table with such columns. */
export function selected(sql: Queryable, query: ProfileQuery): postgres.Fragment {
  const { projectId, services, kind, type, transaction, profileIds, profilerId } = query;
  return sql`
    project_id = ${projectId}
    ${inTime(sql, query)}
    ${inScope(sql, query)}
    ${services.length === 0 ? sql`` : sql`and service = any (${services.map(storable)}::text[])`}
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${type === undefined ? sql`` : sql`and ${placeOf(sql, type)} is not null`}
    ${transaction === undefined ? sql`` : ofTransaction(sql, transaction)}
    ${profileIds === undefined ? sql`` : sql`and profile_id = any (${[...profileIds]}::uuid[])`}
    ${profilerId === undefined ? sql`` : sql`and profiler_id = ${profilerId}`}
    ${withLabels(sql, query)}
    ${ofTrace(sql, query)}
  `;
}

/** Those without a name are not in the index: a plan for any name must be told that this is none of them. */
function ofTransaction(sql: Queryable, transaction: string): postgres.Fragment {
  return sql`and transaction = ${storable(transaction)} ${
    transaction === "" ? sql`` : sql`and transaction <> ''`
  }`;
}

function inTime(sql: Queryable, { start, end, clip }: ProfileQuery): postgres.Fragment {
  if (!clip) return sql`and "timestamp" >= ${start} and "timestamp" < ${end}`;
  return sql`
    and "timestamp" >= ${start}::timestamptz - ${LONGEST_COVERED}::interval and "timestamp" < ${end}
    and "timestamp" + duration_ms * interval '1 millisecond' >= ${start}
  `;
}

function withLabels(sql: Queryable, { labels = [] }: ProfileQuery): postgres.Fragment {
  const byKey = Map.groupBy(labels, ([key]) => storable(key));
  return [...byKey].reduce((before, [key, pairs]) => {
    const values = pairs.map(([, value]) => storable(value));
    return sql`
      ${before} and (labels -> ${key}::text ?| ${values}::text[]
        or jsonb_array_length(labels -> ${key}::text) >= ${MAX_INDEXED_VALUES})
    `;
  }, sql``);
}

function ofTrace(
  sql: Queryable,
  { projectId, traceId, spanId }: ProfileQuery,
): postgres.Fragment {
  if (traceId === undefined) return sql``;
  // Of the samples that name the trace only, nobody can tell the span.
  const ofSpan = spanId === undefined ? sql`` : sql`and span_id = ${spanId}`;
  return sql`
    and profile_id = any (array(
      select profile_id from profiles where project_id = ${projectId} and trace_id = ${traceId}
      union
      select profile_id from profile_traces
      where project_id = ${projectId} and trace_id = ${traceId} ${ofSpan}
    ))
  `;
}

/**
 * The place of a type in `types` and `totals`, from 1: of the very type, else of one of that name, whose unit may
 * differ; null where there is none.
 */
export function placeOf(sql: Queryable, type: ValueType): postgres.Fragment {
  const name = foldedUnit(type.type);
  const names = [name, `${name}s`].map((each) =>
    storable(typeId({ type: each, unit: "" })).slice(0, -1)
  );
  // The second is looked at for what lacks the first only: it costs ten times as much.
  return sql`
    coalesce(array_position(types, ${storable(typeId(type))}), (
      select place::integer from unnest(types) with ordinality as value (id, place)
      where lower(split_part(id, ':', 1)) = any (${names}::text[])
      order by place limit 1
    ))
  `;
}
