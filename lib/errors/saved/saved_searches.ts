/**
 * Searches of issues under a name: a person's own, and those that are shared with the organization. They stand in
 * Postgres beside dashboards, where what people make of telemetry is kept and backed up; KV holds who may do what.
 */
import { InvalidInput, storable } from "../../core/errors.ts";
import { auditChange, type AuditedKind, inTransaction } from "../../store/audit.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import type { IssueSort } from "../issues.ts";
import { t } from "../../core/language/translate.ts";

/** Whose searches are meant. */
export interface SearchPlace {
  readonly organizationId: string;
  /** Null for a token that is nobody's: it sees what is shared. */
  readonly userId: string | null;
}

/** The same of somebody. */
export interface PersonalPlace extends SearchPlace {
  readonly userId: string;
}

/** What a search of issues asks for, and in which order. */
export interface SearchContent {
  readonly query: string;
  readonly sort: IssueSort;
}

export interface SavedSearch extends SearchContent {
  /** Decimal. */
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** Whether everybody in the organization sees it. */
  readonly isShared: boolean;
  readonly createdAt: Date;
}

/** What is kept of a search, as somebody has written it. */
export type NewSearch = SearchContent & Pick<SavedSearch, "name" | "isShared">;

export const MAX_NAME = 100;
export const MAX_QUERY = 1_000;
/** More are found no more in a list. */
const MAX_SEARCHES = 100;

/** The searches that somebody sees: their own and those that are shared, by name. */
export async function listSearches(sql: Sql, place: SearchPlace): Promise<SavedSearch[]> {
  const { organizationId, userId } = place;
  const rows = await sql<SavedSearch[]>`
    select ${columns(sql)} from saved_searches
    where organization_id = ${organizationId} and (is_shared or owner_id = ${userId ?? ""})
    order by lower(name), id
  `;
  return [...rows];
}

/**
 * Keeps a search.
 *
 * @throws {InvalidInput} for a name or query that cannot be kept, and for too many
 */
export async function saveSearch(
  sql: Sql,
  { organizationId, userId }: PersonalPlace,
  search: NewSearch,
): Promise<SavedSearch> {
  const { name, query, sort, isShared } = checked(search);
  const made = await inTransaction(sql, async (tx) => {
    const [row] = await tx<SavedSearch[]>`
      insert into saved_searches (organization_id, owner_id, is_shared, name, query, sort)
      select ${organizationId}, ${userId}, ${isShared}, ${name}, ${query}, ${sort}
      where ${MAX_SEARCHES} > (
        select count(*) from saved_searches
        where organization_id = ${organizationId} and owner_id = ${userId}
      )
      returning ${columns(tx)}
    `;
    await auditChange(tx, "saved-search.create", AUDITED, null, row ?? null);
    return row ?? null;
  });
  if (made !== null) return made;
  throw new InvalidInput(
    "name",
    t("{n} search is the most: delete it first.|{n} searches are the most: delete one first.", {
      n: MAX_SEARCHES,
    }),
  );
}

const AUDITED: AuditedKind<SavedSearch> = {
  kind: "saved-search",
  of: ({ id, name }) => ({ id, label: name }),
  shown: ({ name, query, sort, isShared }) => ({ name, query, sort, isShared }),
};

/** Who changes a search. */
interface Changer extends PersonalPlace {
  /** Whether they may change what others have shared. */
  readonly mayChangeShared: boolean;
}

/**
 * Changes a search of one's own, or, for who may, one that is shared.
 *
 * @param id what a client sent, whatever it is
 * @returns null when there is no such search
 * @throws {InvalidInput} as `saveSearch()`
 */
export async function changeSearch(
  sql: Sql,
  by: Changer,
  id: string,
  changes: Partial<NewSearch>,
): Promise<SavedSearch | null> {
  if (!isId(id)) return null;
  const part = checkedPart(changes);
  return await inTransaction(sql, async (tx) => {
    const before = await findSearch(tx, by, id);
    const [row] = await tx<SavedSearch[]>`
    update saved_searches set
      name = coalesce(${part.name ?? null}, name), query = coalesce(${part.query ?? null}, query),
      sort = coalesce(${part.sort ?? null}, sort),
      is_shared = coalesce(${part.isShared ?? null}, is_shared)
    where organization_id = ${by.organizationId} and id = ${id} and ${isTheirs(tx, by)}
    returning ${columns(tx)}
  `;
    await auditChange(tx, "saved-search.edit", AUDITED, before, row ?? null);
    return row ?? null;
  });
}

async function findSearch(tx: Queryable, by: Changer, id: string): Promise<SavedSearch | null> {
  const [row] = await tx<SavedSearch[]>`
    select ${columns(tx)} from saved_searches
    where organization_id = ${by.organizationId} and id = ${id} and ${isTheirs(tx, by)}
  `;
  return row ?? null;
}

/** Deletes a search as `changeSearch()` changes it. @returns false when there is no such search */
export async function deleteSearch(sql: Sql, by: Changer, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  return await inTransaction(sql, async (tx) => {
    const before = await findSearch(tx, by, id);
    const { count } = await tx`
      delete from saved_searches
      where organization_id = ${by.organizationId} and id = ${id} and ${isTheirs(tx, by)}
    `;
    await auditChange(tx, "saved-search.remove", AUDITED, before, null);
    return count > 0;
  });
}

function isTheirs(sql: Queryable, { userId, mayChangeShared }: Changer) {
  return sql`(owner_id = ${userId} or (is_shared and ${mayChangeShared}))`;
}

function columns(sql: Queryable) {
  return sql`
    id, name, query, sort, owner_id as "ownerId", is_shared as "isShared", created_at as "createdAt"
  `;
}

function checked<Search extends NewSearch>(search: Search): Search {
  return { ...search, ...checkedPart(search) };
}

function checkedPart(part: Partial<NewSearch>): Partial<NewSearch> {
  return {
    ...part,
    ...part.name === undefined ? {} : { name: checkedName(part.name) },
    ...part.query === undefined ? {} : { query: checkedQuery(part.query) },
  };
}

function checkedName(text: string): string {
  const name = storable(text).trim();
  if (name === "") throw new InvalidInput("name", t("Name the search."));
  if (name.length <= MAX_NAME) return name;
  throw new InvalidInput(
    "name",
    t("A name has at most {n} character.|A name has at most {n} characters.", { n: MAX_NAME }),
  );
}

/** A query as it can be kept. @throws {InvalidInput} */
export function checkedQuery(text: string): string {
  const query = storable(text).trim();
  if (query.length <= MAX_QUERY) return query;
  throw new InvalidInput(
    "query",
    t(
      "A search that is kept has at most {n} character.|A search that is kept has at most {n} characters.",
      { n: MAX_QUERY },
    ),
  );
}
