/** The repositories of an organization, by the names that tools give them. */
import { insertAudit, inTransaction } from "../store/audit.ts";
import type { Queryable } from "../store/database.ts";
import { storable } from "../core/errors.ts";

export interface Repository {
  readonly id: string;
  readonly name: string;
  /** `""` when unknown. */
  readonly url: string;
  readonly createdAt: Date;
}

interface RepositoryQuery {
  /** A part of the name; `""` for all. */
  readonly query: string;
  readonly offset: number;
  readonly limit: number;
}

/** Repositories by name. */
export async function listRepositories(
  sql: Queryable,
  organizationId: string,
  { query, offset, limit }: RepositoryQuery,
): Promise<Repository[]> {
  return await sql<Repository[]>`
    select id, name, url, created_at as "createdAt" from repositories
    where organization_id = ${organizationId}
      and (${storable(query)} = '' or position(lower(${storable(query)}) in lower(name)) > 0)
    order by name limit ${limit} offset ${offset}
  `;
}

/**
 * Makes repositories unless they are there.
 *
 * @param names distinct
 * @returns their ids by name
 */
export async function ensureRepositories(
  sql: Queryable,
  organizationId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const sortedNames = names.map(storable).sort();
  await sql`
    insert into repositories (organization_id, name)
    select ${organizationId}, name from unnest(${sortedNames}::text[]) as name
    on conflict (organization_id, name) do nothing
  `;
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from repositories
    where organization_id = ${organizationId} and name = any (${sortedNames}::text[])
  `;
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Makes a repository, or gives the one of that name an address. */
export async function saveRepository(
  sql: Queryable,
  organizationId: string,
  name: string,
  url: string | null,
): Promise<Repository> {
  return await inTransaction(sql, (tx) => storeRepository(tx, organizationId, name, url));
}

async function storeRepository(
  sql: Queryable,
  organizationId: string,
  name: string,
  url: string | null,
): Promise<Repository> {
  const [row] = await sql<Repository[]>`
    insert into repositories as known (organization_id, name, url)
    values (${organizationId}, ${storable(name)}, ${url ?? ""})
    on conflict (organization_id, name) do update set url = coalesce(${url}, known.url)
    returning id, name, url, created_at as "createdAt"
  `;
  if (row === undefined) throw new Error("Postgres returned no repository");
  await insertAudit(sql, {
    event: "repository.edit",
    organizationId,
    target: { kind: "repository", id: row.id, label: row.name },
    changes: { url: [null, row.url] },
  });
  return row;
}

/** Forges whose addresses of commits are the repository's with `/commit/<id>`, GitLab with a dash before it. */
const HTTP = /^https?:\/\/[^\s"<>]+$/i;

/** The page of a commit at its forge; null when the repository has no address. */
export function commitHref(repositoryUrl: string, commitId: string): string | null {
  if (!HTTP.test(repositoryUrl)) return null;
  const base = repositoryUrl.replace(/(?:\.git)?\/*$/, "");
  const between = /gitlab/i.test(new URL(base).hostname) ? "/-/commit/" : "/commit/";
  return `${base}${between}${encodeURIComponent(commitId)}`;
}
