import type postgres from "postgres";
import { inflatePprof } from "../../formats/pprof/compression.ts";
import { decodePprof } from "../../formats/pprof/decode.ts";
import { PprofError } from "../../formats/pprof/faults.ts";
import type { PprofProfile } from "../../formats/pprof/profile.ts";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import {
  type Cursor,
  type CursorPage,
  cutPage,
  isHexId,
  isId,
  isIsoTime,
  readCursor,
} from "../../store/query_limits.ts";
import { type ProfileQuery, type ProfileRow, selected } from "./profile_query.ts";

/** The greatest first. */
export const PROFILE_ORDERS = ["newest", "longest", "largest"] as const;
export type ProfileOrder = (typeof PROFILE_ORDERS)[number];

/** Which page of a list of profiles. */
interface ProfilePage {
  /** Of the page before or after; null for the first. */
  readonly cursor?: string | null | undefined;
  readonly limit: number;
  readonly sort?: ProfileOrder | undefined;
}

const VALUES: Readonly<Record<ProfileOrder, (row: ProfileRow) => string>> = {
  newest: ({ timestamp }) => timestamp.toISOString(),
  longest: ({ durationMs }) => String(durationMs),
  largest: ({ sizeBytes }) => String(sizeBytes),
};

/** One page of profiles. Sample filters are not looked at; a cursor of another order leads to the first page. */
export async function listProfiles(
  sql: Sql,
  query: ProfileQuery,
  { cursor: text = null, limit, sort = "newest" }: ProfilePage,
): Promise<CursorPage<ProfileRow>> {
  const cursor = readProfileCursor(text, sort);
  const isBackwards = cursor?.direction === "previous";
  const column = columnOf(sql, sort);
  const direction = isBackwards ? sql`asc` : sql`desc`;
  const found = await sql<StoredProfile[]>`
    select ${profileColumns(sql)} from profiles
    where ${selected(sql, query)} ${cursor === null ? sql`` : beyond(sql, column, sort, cursor)}
    order by ${column} ${direction}, profile_id ${direction}
    limit ${limit + 1}
  `;
  return cutPage(
    found.map(profileOf),
    limit,
    cursor,
    (row) => ({ value: VALUES[sort](row), id: row.profileId }),
  );
}

const IS_VALUE: Readonly<Record<ProfileOrder, (value: string) => boolean>> = {
  newest: isIsoTime,
  longest: (value) => /^\d{1,18}(\.\d{1,20})?$/.test(value),
  largest: isId,
};

/** A cursor of a list in an order; null for what is none. */
export function readProfileCursor(text: string | null, sort: ProfileOrder): Cursor | null {
  return readCursor(text, (value, id) => isHexId(id) && IS_VALUE[sort](value));
}

function columnOf(sql: Sql, sort: ProfileOrder): postgres.Fragment {
  switch (sort) {
    case "newest":
      return sql`"timestamp"`;
    case "longest":
      return sql`duration_ms`;
    case "largest":
      return sql`size_bytes`;
  }
}

function beyond(sql: Sql, column: postgres.Fragment, sort: ProfileOrder, cursor: Cursor) {
  const { direction, id } = cursor;
  const value = sort === "newest"
    ? sql`${new Date(cursor.value)}::timestamptz`
    : sort === "longest"
    ? sql`${cursor.value}::double precision`
    : sql`${cursor.value}::bigint`;
  const side = direction === "previous" ? sql`>` : sql`<`;
  return sql`and (${column}, profile_id) ${side} (${value}, ${id}::uuid)`;
}

/**
 * What the index tells of one profile, or null when there is none of this id in the project.
 *
 * @param profileId 32 hex digits
 */
export async function findProfile(
  sql: Sql,
  projectId: string,
  profileId: string,
): Promise<ProfileRow | null> {
  const [row] = await sql<StoredProfile[]>`
    select ${profileColumns(sql)} from profiles
    where project_id = ${projectId} and profile_id = ${profileId}
  `;
  return row === undefined ? null : profileOf(row);
}

/** A row as it comes from {@linkcode profileColumns}. */
interface StoredProfile extends Omit<ProfileRow, "totals" | "period" | "sizeBytes"> {
  readonly period: string;
  readonly types: readonly string[];
  readonly totals: readonly string[];
  readonly sizeBytes: string;
}

/** `select` of all that {@linkcode profileOf} needs. */
function profileColumns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(profile_id::text, '-', '') as "profileId", "timestamp", received_at as "receivedAt",
    source, kind, service, instance, platform, environment, release, transaction,
    replace(transaction_id::text, '-', '') as "transactionId",
    replace(trace_id::text, '-', '') as "traceId", span_id as "spanId",
    replace(profiler_id::text, '-', '') as "profilerId",
    duration_ms as "durationMs", period, period_type as "periodType", samples, types, totals,
    is_delta as "isDelta", labels, size_bytes as "sizeBytes", blob_key as "blobKey",
    original_key as "originalKey"
  `;
}

/** A stored row as readers get it. */
function profileOf({ types, totals, ...row }: StoredProfile): ProfileRow {
  return {
    ...row,
    period: BigInt(row.period),
    sizeBytes: Number(row.sizeBytes),
    totals: types.map((id, place) => ({
      ...readTypeId(id) ?? { type: id, unit: "" },
      total: BigInt(totals[place] ?? 0),
    })),
  };
}

type BlobRow = Pick<ProfileRow, "blobKey">;

/** A stored profile as it lies in the object store, gzip-compressed; null when it is gone. */
export function readPprofBytes(
  objects: Pick<ObjectStore, "get">,
  { blobKey }: BlobRow,
): Promise<Uint8Array | null> {
  return objects.get(blobKey);
}

/** A stored profile; null when it is gone or damaged. */
export async function readPprof(
  objects: Pick<ObjectStore, "get">,
  row: BlobRow,
): Promise<PprofProfile | null> {
  const bytes = await readPprofBytes(objects, row);
  return bytes === null ? null : decodeStored(bytes);
}

/** The profile that stored bytes are; null when they are damaged. */
export function decodeStored(bytes: Uint8Array): PprofProfile | null {
  try {
    return decodePprof(inflatePprof(bytes)).profile;
  } catch (error) {
    if (error instanceof PprofError) return null;
    throw error;
  }
}

/** A trace that samples of a profile name. */
interface NamedTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits; null when samples name none, or several. */
  readonly spanId: string | null;
}

export interface NamedTraces {
  /** Those of the largest values first. */
  readonly traces: readonly NamedTrace[];
  /** Of all, also those that were left out. */
  readonly count: number;
}

/**
 * The traces that samples of profiles name, by the id of the profile; profiles without any are not in it.
 *
 * @param limit how many of each profile are told
 */
export async function readNamedTraces(
  sql: Queryable,
  projectId: string,
  profiles: readonly Pick<ProfileRow, "profileId" | "timestamp">[],
  limit: number,
): Promise<ReadonlyMap<string, NamedTraces>> {
  if (profiles.length === 0) return new Map();
  const times = profiles.map(({ timestamp }) => timestamp.toISOString());
  const rows = await sql<(NamedTrace & { profileId: string; count: number })[]>`
    select "profileId", replace(trace_id::text, '-', '') as "traceId", "spanId", count
    from (
      select wanted as "profileId", trace_id,
        case when count(*) = 1 then nullif(max(span_id), '') end as "spanId",
        count(*) over (partition by wanted)::integer as count,
        row_number() over (
          partition by wanted order by sum(totals[array_upper(totals, 1)]) desc nulls last, trace_id
        ) as place
      from unnest(
        ${profiles.map(({ profileId }) => profileId)}::text[],
        ${times}::text[]::timestamptz[]
      ) as profile (wanted, began)
      -- The index is one of times. Given as a list, it is taken even where many profiles begin at the same moment.
      join profile_traces on project_id = ${projectId}
        and "timestamp" = any (${times}::text[]::timestamptz[]) and "timestamp" = began
        and profile_id = wanted::uuid
      group by wanted, trace_id
    ) as named
    where place <= ${limit}
    order by "profileId", place
  `;
  const found = new Map<string, { traces: NamedTrace[]; count: number }>();
  for (const { profileId, traceId, spanId, count } of rows) {
    const entry = found.get(profileId) ?? { traces: [], count };
    entry.traces.push({ traceId, spanId });
    found.set(profileId, entry);
  }
  return found;
}
