/**
 * Releases that were made elsewhere, as an import brings them: what is missing here is added, and what is there stays.
 * They are history: no issue is resolved by what their commits say.
 */
import { storable } from "../core/errors.ts";
import { sortableVersion } from "../records/version.ts";
import type { Queryable, Sql, Transaction } from "../store/database.ts";
import { MAX_COMMITS, type NewCommit, NO_REPOSITORY, saveFiles } from "./commits.ts";
import type { NewDeploy } from "./deploys.ts";
import { findRelease, type Release, type ReleaseStatus } from "./releases.ts";
import { ensureRepositories } from "./repositories.ts";

export type PastDeploy = Omit<NewDeploy, "version">;

/** A release as it stood; one with a lot of commits or deploys comes in several. */
export interface PastRelease
  extends Pick<Release, "version" | "madeBy" | "ref" | "url" | "createdAt" | "releasedAt"> {
  readonly status: ReleaseStatus;
  /** As tools told them. */
  readonly refs: readonly object[];
  readonly firstEvent: Date | null;
  readonly lastEvent: Date | null;
  /** The newest first. */
  readonly commits: readonly NewCommit[];
  /** So many newer ones came before. */
  readonly commitsFrom: number;
  readonly deploys: readonly PastDeploy[];
}

export interface KeptRelease {
  /** Whether it is new, or more is known of it now. */
  readonly isChanged: boolean;
  /** How many are new to the release. */
  readonly commits: number;
  readonly deploys: number;
}

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Keeps a release of a project, and nothing of other projects but the names of repositories. */
export async function keepPastRelease(
  sql: Sql,
  { organizationId, projectId }: Place,
  past: PastRelease,
): Promise<KeptRelease> {
  return await sql.begin(async (tx) => {
    const before = await findRelease(tx, projectId, past.version);
    const lacksCommits = past.commits.length > 0 &&
      (before?.commitCount ?? 0) === past.commitsFrom;
    // Before the release is locked, as whoever gives it commits does.
    const repositories = lacksCommits
      ? await ensureRepositories(tx, organizationId, repositoriesOf(past))
      : null;
    await saveRelease(tx, projectId, past);
    const after = await findRelease(tx, projectId, past.version);
    const place = { organizationId, projectId };
    return {
      isChanged: JSON.stringify(before) !== JSON.stringify(after),
      commits: repositories !== null && after?.commitCount === past.commitsFrom
        ? await addCommits(tx, place, past, repositories)
        : 0,
      deploys: await addDeploys(tx, projectId, past),
    };
  });
}

/** Of a release that events alone have named, nobody has said anything yet. */
async function saveRelease(tx: Transaction, projectId: string, past: PastRelease): Promise<void> {
  await tx`
    insert into releases as known (
      project_id, version, sort_key, made_by, ref, url, status, refs, created_at, released_at,
      first_event, last_event
    ) values (
      ${projectId}, ${past.version}, ${sortableVersion(past.version)}, ${past.madeBy}, ${past.ref},
      ${past.url}, ${past.status}, ${JSON.stringify(past.refs)}::text::jsonb, ${past.createdAt},
      ${past.releasedAt}, ${past.firstEvent}, ${past.lastEvent}
    )
    on conflict (project_id, version) do update set
      made_by = case when excluded.made_by = 'tool' then excluded.made_by else known.made_by end,
      ref = coalesce(nullif(known.ref, ''), excluded.ref),
      url = coalesce(nullif(known.url, ''), excluded.url),
      status = case when known.made_by = 'event' then excluded.status else known.status end,
      refs = case when known.refs = '[]' then excluded.refs else known.refs end,
      created_at = case
        when known.made_by = 'tool' then known.created_at
        when excluded.made_by = 'tool' then excluded.created_at
        else least(known.created_at, excluded.created_at)
      end,
      released_at = coalesce(known.released_at, excluded.released_at),
      first_event = least(known.first_event, excluded.first_event),
      last_event = greatest(known.last_event, excluded.last_event)
  `;
}

function repositoriesOf({ commits }: PastRelease): string[] {
  return [...new Set(commits.map(({ repository }) => storable(repository)))].filter(Boolean);
}

interface CommitRow extends NewCommit {
  readonly repositoryId: string;
}

/** @returns how many; commits that another release has stay as they are, with their files */
async function addCommits(
  tx: Transaction,
  { organizationId, projectId }: Place,
  { version, commits, commitsFrom }: PastRelease,
  repositories: ReadonlyMap<string, string>,
): Promise<number> {
  const distinct = new Map<string, CommitRow>();
  for (const commit of commits) {
    const repositoryId = repositories.get(storable(commit.repository)) ?? NO_REPOSITORY;
    const row = { ...commit, id: storable(commit.id), repositoryId };
    if (!distinct.has(keyOf(row))) distinct.set(keyOf(row), row);
  }
  const rows = [...distinct.values()].slice(0, Math.max(0, MAX_COMMITS - commitsFrom));
  const ids = rows.map(({ repositoryId }) => repositoryId);
  const names = rows.map(({ id }) => id);
  const made = await tx<{ repositoryId: string; id: string }[]>`
    insert into commits (
      project_id, organization_id, repository_id, commit_id, author_name, author_email, message,
      committed_at
    )
    select ${projectId}, ${organizationId}, * from unnest(
      ${ids}::bigint[], ${names}::text[],
      ${rows.map(({ authorName }) => storable(authorName))}::text[],
      ${rows.map(({ authorEmail }) => storable(authorEmail))}::text[],
      ${rows.map(({ message }) => storable(message))}::text[],
      ${rows.map(({ committedAt }) => committedAt.toISOString())}::text[]::timestamptz[]
    ) as brought (repository_id, commit_id, author_name, author_email, message, committed_at)
    order by repository_id, commit_id
    on conflict (project_id, repository_id, commit_id) do nothing
    returning repository_id::text as "repositoryId", commit_id as id
  `;
  const isMade = new Set(made.map(keyOf));
  await saveFiles(tx, projectId, rows.filter((row) => isMade.has(keyOf(row))));
  await tx`
    insert into release_commits (project_id, version, place, repository_id, commit_id)
    select ${projectId}, ${version}, * from unnest(
      ${rows.map((_, index) => commitsFrom + index)}::integer[], ${ids}::bigint[], ${names}::text[]
    ) as brought (place, repository_id, commit_id)
  `;
  await tx`
    update releases set commit_count = ${commitsFrom + rows.length}
    where project_id = ${projectId} and version = ${version}
  `;
  return rows.length;
}

function keyOf({ repositoryId, id }: Pick<CommitRow, "repositoryId" | "id">): string {
  return `${repositoryId}/${id}`;
}

/** Deploys have no ids that hold elsewhere: one that says the same of the same moment is the same. */
async function addDeploys(
  tx: Transaction,
  projectId: string,
  { version, deploys }: PastRelease,
): Promise<number> {
  if (deploys.length === 0) return 0;
  const known = await knownDeploys(tx, projectId, version, deploys);
  const seen = new Set(known.map(textOf));
  const rows = deploys.toReversed().filter((deploy) => {
    const isNew = !seen.has(textOf(deploy));
    seen.add(textOf(deploy));
    return isNew;
  });
  await tx`
    insert into deploys (project_id, version, environment, name, url, started_at, finished_at)
    select ${projectId}, ${version}, * from unnest(
      ${rows.map(({ environment }) => environment)}::text[],
      ${rows.map(({ name }) => name)}::text[], ${rows.map(({ url }) => url)}::text[],
      ${rows.map(({ startedAt }) => startedAt?.toISOString() ?? null)}::text[]::timestamptz[],
      ${rows.map(({ finishedAt }) => finishedAt.toISOString())}::text[]::timestamptz[]
    ) as brought (environment, name, url, started_at, finished_at)
  `;
  return rows.length;
}

async function knownDeploys(
  tx: Queryable,
  projectId: string,
  version: string,
  deploys: readonly PastDeploy[],
): Promise<PastDeploy[]> {
  const times = deploys.map(({ finishedAt }) => finishedAt.toISOString());
  return await tx<PastDeploy[]>`
    select environment, name, url, started_at as "startedAt", finished_at as "finishedAt"
    from deploys
    where project_id = ${projectId} and version = ${version}
      and finished_at = any (${times}::text[]::timestamptz[])
  `;
}

function textOf({ environment, name, url, startedAt, finishedAt }: PastDeploy): string {
  return JSON.stringify([environment, name, url, startedAt, finishedAt]);
}
