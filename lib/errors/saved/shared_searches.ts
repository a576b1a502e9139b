/** Searches that an organization shares, as a project's settings take them along. */
import type { Sql } from "../../store/database.ts";
import { SORT_NAMES, sortOf } from "../api/issue_query.ts";
import { parseIssueSearch } from "../search/parse.ts";
import { termsOf } from "../search/terms.ts";
import { listSearches, type PersonalPlace, saveSearch } from "./saved_searches.ts";

/** In the words of the API. */
export interface SharedSearch {
  readonly name: string;
  readonly query: string;
  readonly sort: string;
}

interface Home {
  readonly id: string;
  readonly slug: string;
  readonly organizationId: string;
}

/** Those that everybody in the organization sees, without those that name another of its projects. */
export async function sharedSearches(sql: Sql, project: Home): Promise<SharedSearch[]> {
  const { organizationId } = project;
  const all = await listSearches(sql, { organizationId, userId: null });
  return all.filter(({ query }) => !namesAnother(query, project))
    .map(({ name, query, sort }) => ({ name, query, sort: SORT_NAMES[sort] }));
}

function namesAnother(query: string, { id, slug }: Home): boolean {
  const isOther = (name: string) => name !== id && name.toLowerCase() !== slug.toLowerCase();
  return [...termsOf(parseIssueSearch(query).filter)].some((term) =>
    term.kind === "project"
      ? term.names.some(isOther)
      : term.kind === "number" && isOther(term.slug)
  );
}

/** Makes a search that is shared. @throws {InvalidInput} as `saveSearch()` */
export async function shareSearch(
  sql: Sql,
  place: PersonalPlace,
  { name, query, sort }: SharedSearch,
): Promise<void> {
  await saveSearch(sql, place, { name, query, sort: sortOf(sort), isShared: true });
}
