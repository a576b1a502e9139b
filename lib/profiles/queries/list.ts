import type postgres from "postgres";
import { type Cursor, type CursorPage, cutPage, isIsoTime, readCursor } from "../../store/cursor.ts";
import type { Sql } from "../../store/database.ts";
import { profileColumns, profileOf, type StoredProfile } from "./profile_rows.ts";
import type { ProfileQuery, ProfileRow } from "./profile_types.ts";
import { selected } from "./selected.ts";

/** The greatest first. */
export const PROFILE_ORDERS = ["newest", "longest", "largest"] as const;
export type ProfileOrder = (typeof PROFILE_ORDERS)[number];

/** Which page of a list of profiles. */
export interface ProfilePage {
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

/** A cursor of a list in an order; null for what is none. */
export function readProfileCursor(text: string | null, sort: ProfileOrder): Cursor | null {
  const isNumber = (value: string) => /^\d{1,18}(\.\d{1,20})?$/.test(value);
  return readCursor(
    text,
    (value, id) => /^[0-9a-f]{32}$/.test(id) && (sort === "newest" ? isIsoTime : isNumber)(value),
  );
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
