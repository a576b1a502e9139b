/** At which commit of each repository a release stands. */
import { storable } from "../core/errors.ts";
import type { Queryable } from "../store/database.ts";

/**
 * The newest commit of a release in each of its repositories: as a tool has said, else of the commits that it listed.
 *
 * @returns full hashes by the repository's name in lower case; none when nobody told of any
 */
export async function releaseHeads(
  sql: Queryable,
  projectId: string,
  version: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ repository: string; commitId: string }[]>`
    select lower(repositories.name) as repository, linked.commit_id as "commitId"
    from release_commits as linked
      join commits using (project_id, repository_id, commit_id)
      join repositories on repositories.organization_id = commits.organization_id
        and repositories.id = commits.repository_id
    where linked.project_id = ${projectId} and linked.version = ${storable(version)}
      and not exists (
        select from release_commits as newer
        where newer.project_id = linked.project_id and newer.version = linked.version
          and newer.repository_id = linked.repository_id and newer.place < linked.place
      )
    union all
    select lower(told->>'repository'), told->>'commit'
    from releases, jsonb_array_elements(refs) as tools (told)
    where project_id = ${projectId} and version = ${storable(version)}
      and told->>'repository' <> '' and told->>'commit' <> ''
  `;
  return new Map(rows.map(({ repository, commitId }) => [repository, commitId]));
}
