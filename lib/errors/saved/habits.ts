/** What a person searches for over and over: the search that their list begins with, and those of late. */
import { storable } from "../../core/errors.ts";
import { MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import {
  checkedQuery,
  MAX_QUERY,
  type PersonalPlace,
  type SearchContent,
} from "./saved_searches.ts";

/** In place of a project: all of the organization. */
export const EVERY_PROJECT = "0";

export interface PinnedSearch extends SearchContent {
  /** Decimal, of the same sequence as those of saved searches. */
  readonly id: string;
  readonly pinnedAt: Date;
}

/** What somebody's list of a project begins with: what is pinned there, else what is for all projects; null: nothing. */
export async function pinnedSearch(
  sql: Sql,
  { organizationId, userId }: PersonalPlace,
  projectId: string,
): Promise<PinnedSearch | null> {
  const [row] = await sql<PinnedSearch[]>`
    select id, query, sort, pinned_at as "pinnedAt" from pinned_searches
    where project_id = any (${[projectId, EVERY_PROJECT]}::bigint[])
      and organization_id = ${organizationId} and user_id = ${userId}
    order by project_id desc
    limit 1
  `;
  return row ?? null;
}

/** Pins a search in place of what was. @throws {InvalidInput} for a query that is too long */
export async function pinSearch(
  sql: Sql,
  { organizationId, userId }: PersonalPlace,
  projectId: string,
  { query, sort }: SearchContent,
): Promise<PinnedSearch> {
  const [row] = await sql<[PinnedSearch]>`
    insert into pinned_searches (project_id, organization_id, user_id, query, sort)
    values (${projectId}, ${organizationId}, ${userId}, ${checkedQuery(query)}, ${sort})
    on conflict (project_id, organization_id, user_id)
      do update set query = excluded.query, sort = excluded.sort, pinned_at = excluded.pinned_at
    returning id, query, sort, pinned_at as "pinnedAt"
  `;
  return row;
}

/** Takes a pin away; of a project, that for all projects too, which would come back in its place. */
export async function unpinSearch(
  sql: Sql,
  { organizationId, userId }: PersonalPlace,
  projectId: string,
): Promise<void> {
  await sql`
    delete from pinned_searches
    where project_id = any (${[projectId, EVERY_PROJECT]}::bigint[])
      and organization_id = ${organizationId} and user_id = ${userId}
  `;
}

export interface RecentSearch {
  readonly id: string;
  readonly query: string;
  readonly createdAt: Date;
  readonly searchedAt: Date;
}

/** Of each person and organization; older ones are forgotten. */
export const MAX_RECENT = 30;
/** A page that is loaded again is not another search. */
const QUIET_MS = MINUTE_MS;

/** The last searches of somebody, the newest first. @param part what is in them, in either case; "" for any */
export async function recentSearches(
  sql: Sql,
  { organizationId, userId }: PersonalPlace,
  limit: number,
  part = "",
): Promise<RecentSearch[]> {
  const rows = await sql<RecentSearch[]>`
    select id, query, created_at as "createdAt", searched_at as "searchedAt" from recent_searches
    where organization_id = ${organizationId} and user_id = ${userId}
      and strpos(lower(query), lower(${storable(part)})) > 0
    order by searched_at desc, id desc
    limit ${limit}
  `;
  return [...rows];
}

/**
 * Remembers what somebody has searched for, and forgets what they searched for long ago.
 *
 * @returns null for what was known, and for what is nothing or too much to remember
 */
export async function rememberSearch(
  sql: Sql,
  { organizationId, userId }: PersonalPlace,
  asked: string,
  now: Date = new Date(),
): Promise<RecentSearch | null> {
  if (asked.length > MAX_QUERY) return null;
  const query = checkedQuery(asked);
  if (query === "") return null;
  const [row] = await sql<(RecentSearch & { readonly isNew: boolean })[]>`
    with forgotten as (
      delete from recent_searches
      where organization_id = ${organizationId} and user_id = ${userId} and query <> ${query}
        and id in (
          select id from recent_searches
          where organization_id = ${organizationId} and user_id = ${userId} and query <> ${query}
          order by searched_at desc, id desc
          offset ${MAX_RECENT - 1}
        )
    )
    insert into recent_searches as known
      (organization_id, user_id, query, created_at, searched_at)
    values (${organizationId}, ${userId}, ${query}, ${now}, ${now})
    on conflict (organization_id, user_id, query) do update set searched_at = excluded.searched_at
      where known.searched_at < ${new Date(now.getTime() - QUIET_MS)}
    returning id, query, created_at as "createdAt", searched_at as "searchedAt",
      xmax = 0 as "isNew"
  `;
  return row?.isNew ? row : null;
}
