/** The commits of releases: what tools list, who wrote them, which files they changed. */
import { storable } from "../core/errors.ts";
import type { Queryable, Sql, Transaction } from "../store/database.ts";
import { fixesIn } from "./fixes.ts";
import { ensureRepositories } from "./repositories.ts";
import { type Release, releaseColumns } from "./releases.ts";

export interface Commit {
  readonly commitId: string;
  readonly repositoryId: string;
  /** `""` when the tool named none. */
  readonly repository: string;
  /** `""` when unknown. */
  readonly repositoryUrl: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly message: string;
  readonly committedAt: Date;
}

export type FileChange = "A" | "M" | "D";

/** A commit as a tool tells it. */
export interface NewCommit {
  readonly id: string;
  /** `""` for none. */
  readonly repository: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly message: string;
  readonly committedAt: Date;
  readonly files: readonly { readonly path: string; readonly change: FileChange }[];
}

/** A commit says that it fixes an issue. */
export interface Fix {
  readonly shortId: string;
  readonly commitId: string;
}

/** Commits that name this word are left out of releases. */
const SKIPPED = "#skipsentry";
/** Of one release. */
export const MAX_COMMITS = 1_000;
const MAX_FILES = 20_000;
/** Stands for no repository. */
export const NO_REPOSITORY = "0";

/**
 * Gives a release its commits in place of those it had.
 *
 * @param commits the newest first
 * @returns the issues that they say they fix
 */
export async function setCommits(
  sql: Sql,
  organizationId: string,
  projectId: string,
  version: string,
  commits: readonly NewCommit[],
): Promise<Fix[]> {
  const distinct = new Map<string, NewCommit>();
  for (const commit of commits) {
    const key = `${commit.repository}\n${commit.id}`;
    if (!commit.message.includes(SKIPPED) && !distinct.has(key)) distinct.set(key, commit);
  }
  const kept = [...distinct.values()].slice(0, MAX_COMMITS);
  return await sql.begin(async (tx) => {
    const names = [...new Set(kept.map(({ repository }) => repository))].filter(Boolean);
    const ids = await ensureRepositories(tx, organizationId, names);
    const rows = kept.map((commit, place) => ({
      ...commit,
      place,
      repositoryId: ids.get(storable(commit.repository)) ?? NO_REPOSITORY,
    }));
    // Whoever sets the same release waits here.
    await tx`
      update releases set commit_count = ${rows.length}
      where project_id = ${projectId} and version = ${storable(version)}
    `;
    await saveCommits(tx, organizationId, projectId, rows);
    await saveFiles(tx, projectId, rows);
    await linkCommits(tx, projectId, version, rows);
    return await saveFixes(tx, projectId, version, rows);
  });
}

interface CommitRow extends NewCommit {
  readonly place: number;
  readonly repositoryId: string;
}

async function saveCommits(
  tx: Transaction,
  organizationId: string,
  projectId: string,
  rows: readonly CommitRow[],
): Promise<void> {
  await tx`
    insert into commits as known (
      project_id, organization_id, repository_id, commit_id, author_name, author_email, message, committed_at
    )
    select ${projectId}, ${organizationId}, * from unnest(
      ${rows.map(({ repositoryId }) => repositoryId)}::bigint[], ${
    rows.map(({ id }) => storable(id))
  }::text[],
      ${rows.map(({ authorName }) => storable(authorName))}::text[],
      ${rows.map(({ authorEmail }) => storable(authorEmail))}::text[],
      ${rows.map(({ message }) => storable(message))}::text[],
      ${rows.map(({ committedAt }) => committedAt.toISOString())}::text[]::timestamptz[]
    ) as incoming (repository_id, commit_id, author_name, author_email, message, committed_at)
    order by repository_id, commit_id
    on conflict (project_id, repository_id, commit_id) do update set
      author_name = coalesce(nullif(excluded.author_name, ''), known.author_name),
      author_email = coalesce(nullif(excluded.author_email, ''), known.author_email),
      message = coalesce(nullif(excluded.message, ''), known.message),
      committed_at = case when excluded.message = '' then known.committed_at else excluded.committed_at end
  `;
}

/** Saves which files commits changed, of all together at most `MAX_FILES`; what is there stays. */
export async function saveFiles(
  tx: Transaction,
  projectId: string,
  commits: readonly Omit<CommitRow, "place">[],
): Promise<void> {
  const rows = commits.flatMap(({ repositoryId, id, files }) =>
    files.map(({ path, change }) => ({
      repositoryId,
      id: storable(id),
      path: storable(path),
      change,
    }))
  ).slice(0, MAX_FILES);
  await tx`
    insert into commit_files (project_id, repository_id, commit_id, path, change)
    select ${projectId}, * from unnest(
      ${rows.map(({ repositoryId }) => repositoryId)}::bigint[], ${
    rows.map(({ id }) => id)
  }::text[],
      ${rows.map(({ path }) => path)}::text[], ${rows.map(({ change }) => change)}::text[]
    ) as incoming (repository_id, commit_id, path, change)
    order by repository_id, commit_id, path
    on conflict (project_id, repository_id, commit_id, path) do nothing
  `;
}

async function linkCommits(
  tx: Transaction,
  projectId: string,
  version: string,
  rows: readonly CommitRow[],
): Promise<void> {
  await tx`
    delete from release_commits where project_id = ${projectId} and version = ${storable(version)}
  `;
  await tx`
    insert into release_commits (project_id, version, place, repository_id, commit_id)
    select ${projectId}, ${storable(version)}, * from unnest(
      ${rows.map(({ place }) => place)}::integer[], ${
    rows.map(({ repositoryId }) => repositoryId)
  }::bigint[],
      ${rows.map(({ id }) => storable(id))}::text[]
    ) as incoming (place, repository_id, commit_id)
  `;
}

async function saveFixes(
  tx: Transaction,
  projectId: string,
  version: string,
  rows: readonly CommitRow[],
): Promise<Fix[]> {
  const fixes = new Map<string, { fix: Fix; repositoryId: string }>();
  for (const { id, message, repositoryId } of rows) {
    for (const shortId of fixesIn(message)) {
      if (!fixes.has(shortId)) fixes.set(shortId, { fix: { shortId, commitId: id }, repositoryId });
    }
  }
  const found = [...fixes.values()];
  // What was applied stays, and is not applied again.
  await tx`
    delete from release_fixes
    where project_id = ${projectId} and version = ${storable(version)}
      and short_id <> all (${found.map(({ fix }) => fix.shortId)}::text[])
  `;
  await tx`
    insert into release_fixes (project_id, version, short_id, repository_id, commit_id)
    select ${projectId}, ${storable(version)}, * from unnest(
      ${found.map(({ fix }) => fix.shortId)}::text[],
      ${found.map(({ repositoryId }) => repositoryId)}::bigint[],
      ${found.map(({ fix }) => storable(fix.commitId))}::text[]
    ) as incoming (short_id, repository_id, commit_id)
    on conflict (project_id, version, short_id) do nothing
  `;
  return found.map(({ fix }) => fix);
}

/** What commits of a release say they fix and nobody has resolved by it yet. */
export async function openFixes(
  sql: Queryable,
  projectId: string,
  version: string,
): Promise<Fix[]> {
  return await sql<Fix[]>`
    select short_id as "shortId", commit_id as "commitId" from release_fixes
    where project_id = ${projectId} and version = ${storable(version)} and applied_at is null
    order by short_id
  `;
}

/** Notes that the issues of these short ids were resolved by a release. */
export async function markFixed(
  sql: Queryable,
  projectId: string,
  version: string,
  shortIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    update release_fixes set applied_at = ${now}
    where project_id = ${projectId} and version = ${storable(version)}
      and short_id = any (${[...shortIds]}::text[])
  `;
}

/** The commits of a release, the newest first. */
export async function commitsOf(
  sql: Queryable,
  projectId: string,
  version: string,
  { offset = 0, limit = MAX_COMMITS }: { offset?: number; limit?: number } = {},
): Promise<Commit[]> {
  return await sql<Commit[]>`
    select ${commitColumns(sql)}
    from release_commits as linked
    join commits using (project_id, repository_id, commit_id)
    left join repositories on repositories.organization_id = commits.organization_id
      and repositories.id = commits.repository_id
    where linked.project_id = ${projectId} and linked.version = ${storable(version)}
    order by linked.place limit ${limit} offset ${offset}
  `;
}

/** The newest release that has a commit, or null. @param repository its name */
export async function releaseOfCommit(
  sql: Queryable,
  projectId: string,
  repository: string,
  commitId: string,
): Promise<string | null> {
  const [found] = await sql<{ version: string }[]>`
    select linked.version
    from commits
      join repositories on repositories.organization_id = commits.organization_id
        and repositories.id = commits.repository_id
      join release_commits as linked using (project_id, repository_id, commit_id)
      join releases using (project_id, version)
    where commits.project_id = ${projectId} and commits.commit_id = ${storable(commitId)}
      and repositories.name = ${storable(repository)}
    order by coalesce(releases.released_at, releases.created_at) desc, linked.version
    limit 1
  `;
  return found?.version ?? null;
}

function commitColumns(sql: Queryable) {
  return sql`
    commits.commit_id as "commitId", commits.repository_id as "repositoryId",
    coalesce(repositories.name, '') as repository, coalesce(repositories.url, '') as "repositoryUrl",
    commits.author_name as "authorName", commits.author_email as "authorEmail", commits.message,
    commits.committed_at as "committedAt"
  `;
}

/** One change of a file by a commit of a release. */
export interface CommitFile extends Commit {
  readonly path: string;
  readonly change: FileChange;
}

/** The files that a release changed, by path. */
export async function filesOf(
  sql: Queryable,
  projectId: string,
  version: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<CommitFile[]> {
  return await sql<CommitFile[]>`
    select ${commitColumns(sql)}, files.path, files.change
    from release_commits as linked
    join commits using (project_id, repository_id, commit_id)
    join commit_files as files using (project_id, repository_id, commit_id)
    left join repositories on repositories.organization_id = commits.organization_id
      and repositories.id = commits.repository_id
    where linked.project_id = ${projectId} and linked.version = ${storable(version)}
    order by files.path, linked.place limit ${limit} offset ${offset}
  `;
}

/** The files that commits of a project changed, by path. @param most of each commit */
export async function filesOfCommits(
  sql: Queryable,
  projectId: string,
  commits: readonly Pick<Commit, "repositoryId" | "commitId">[],
  most: number,
): Promise<(Pick<CommitFile, "repositoryId" | "commitId" | "path" | "change">)[]> {
  return await sql<CommitFile[]>`
    select repository_id as "repositoryId", commit_id as "commitId", path, change
    from (
      select files.*, row_number() over (partition by repository_id, commit_id order by path) as number
      from commit_files as files
      join unnest(
        ${commits.map(({ repositoryId }) => repositoryId)}::bigint[],
        ${commits.map(({ commitId }) => commitId)}::text[]
      ) as wanted (repository_id, commit_id) using (repository_id, commit_id)
      where files.project_id = ${projectId}
    ) as numbered
    where number <= ${most} order by path
  `;
}

/** The changes by releases of files with one of these names, whatever folder they are in. */
export async function changesOfFiles(
  sql: Queryable,
  projectId: string,
  versions: readonly string[],
  /** In lower case, without folders. */
  names: readonly string[],
): Promise<CommitFile[]> {
  return await sql<CommitFile[]>`
    select distinct ${commitColumns(sql)}, files.path, files.change
    from release_commits as linked
    join commits using (project_id, repository_id, commit_id)
    join commit_files as files using (project_id, repository_id, commit_id)
    left join repositories on repositories.organization_id = commits.organization_id
      and repositories.id = commits.repository_id
    where linked.project_id = ${projectId} and linked.version = any (${
    versions.map(storable)
  }::text[])
      and lower(regexp_replace(files.path, '^.*[/\\\\]', '')) = any (${names.map(storable)}::text[])
    limit ${MAX_FILES}
  `;
}

/** The newest commits of releases, by version: what tools go on from. */
export async function lastCommits(
  sql: Queryable,
  projectIds: readonly string[],
  versions: readonly string[],
): Promise<Map<string, Commit>> {
  const rows = await sql<(Commit & { version: string })[]>`
    select ${commitColumns(sql)}, linked.version
    from release_commits as linked
    join commits using (project_id, repository_id, commit_id)
    left join repositories on repositories.organization_id = commits.organization_id
      and repositories.id = commits.repository_id
    where linked.project_id = any (${[...projectIds]}::bigint[])
      and linked.version = any (${versions.map(storable)}::text[]) and linked.place = 0
  `;
  return new Map(rows.map((row) => [row.version, row]));
}

/** The newest release with commits that was made before another, or null. */
export async function previousWithCommits(
  sql: Queryable,
  projectIds: readonly string[],
  version: string,
): Promise<Release | null> {
  const [release] = await sql<Release[]>`
    select ${releaseColumns(sql)} from releases
    where project_id = any (${[...projectIds]}::bigint[]) and commit_count > 0
      and version <> ${storable(version)}
      and created_at <= coalesce((
        select min(created_at) from releases
        where project_id = any (${[...projectIds]}::bigint[]) and version = ${storable(version)}
      ), now())
    order by created_at desc, id desc limit 1
  `;
  return release ?? null;
}
