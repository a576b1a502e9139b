import type { Sql } from "../../store/database.ts";
import { type PinnedSearch, pinnedSearch, type RecentSearch, recentSearches } from "./habits.ts";
import { listSearches, type SavedSearch, type SearchPlace } from "./saved_searches.ts";

/** What a person has kept of their searches. */
export interface SavedView {
  readonly searches: readonly SavedSearch[];
  readonly recent: readonly RecentSearch[];
  /** What the project's list begins with. */
  readonly pin: PinnedSearch | null;
}

const RECENT_SHOWN = 5;

/** Reads what somebody has kept of their searches, for the list of a project. */
export async function loadSaved(
  sql: Sql,
  { organizationId, userId }: SearchPlace,
  projectId: string,
): Promise<SavedView> {
  const searches = listSearches(sql, { organizationId, userId });
  if (userId === null) return { searches: await searches, recent: [], pin: null };
  const place = { organizationId, userId };
  const [all, recent, pin] = await Promise.all([
    searches,
    recentSearches(sql, place, RECENT_SHOWN),
    pinnedSearch(sql, place, projectId),
  ]);
  return { searches: all, recent, pin };
}
