/** The releases of projects: what is known of each, made by tools or by the first event that names one. */
import type postgres from "postgres";
import { storable } from "../core/errors.ts";
import { packageOf, sortableVersion } from "../records/version.ts";
import { auditChange, type AuditedKind, inTransaction } from "../store/audit.ts";
import type { Queryable, Sql } from "../store/database.ts";

export type ReleaseStatus = "open" | "archived";

/** A release of one project. */
export interface Release {
  readonly projectId: string;
  readonly id: string;
  readonly version: string;
  /** Versions in their order, as text; null where the name has none. */
  readonly sortKey: string | null;
  readonly ref: string;
  readonly url: string;
  readonly status: ReleaseStatus;
  readonly madeBy: "tool" | "event";
  readonly commitCount: number;
  readonly createdAt: Date;
  readonly releasedAt: Date | null;
  /** To the hour. */
  readonly firstEvent: Date | null;
  readonly lastEvent: Date | null;
}

/** What a tool says of a release; what is absent stays as it is. */
export interface ReleaseChanges {
  readonly ref?: string;
  readonly url?: string;
  readonly status?: ReleaseStatus;
  readonly releasedAt?: Date | null;
  readonly refs?: readonly object[];
}

const MAX_VERSION = 200;

/** Whether tools may make a release of this name: addresses have to be able to name it. */
export function isReleaseName(version: string): boolean {
  return version.length > 0 && version.length <= MAX_VERSION && version.trim() === version &&
    !/[\p{Cc}/\\]/u.test(version) && ![".", "..", "latest"].includes(version);
}

export function releaseColumns(sql: Queryable): postgres.Fragment {
  return sql`
    project_id as "projectId", id, version, sort_key as "sortKey", ref, url, status, made_by as "madeBy",
    commit_count as "commitCount", created_at as "createdAt", released_at as "releasedAt",
    first_event as "firstEvent", last_event as "lastEvent"
  `;
}

/** A release of a project, or null. */
export async function findRelease(
  sql: Queryable,
  projectId: string,
  version: string,
): Promise<Release | null> {
  const [release] = await sql<Release[]>`
    select ${releaseColumns(sql)} from releases
    where project_id = ${projectId} and version = ${storable(version)}
  `;
  return release ?? null;
}

/** Whether a project has a release of this name. */
export async function releaseExists(
  sql: Queryable,
  projectId: string,
  version: string,
): Promise<boolean> {
  return await findRelease(sql, projectId, version) !== null;
}

/** Versions far above all others come from modified programs, unless a tool made them: only so many jump. */
const MAX_JUMP = 100;

/** A condition on `version`: of the package of a release, where that names one. A project may have several programs. */
export function likePackageOf(sql: Queryable, release: string): postgres.Fragment {
  const name = packageOf(release);
  return name === null ? sql`true` : sql`starts_with(version, ${`${storable(name)}@`})`;
}

/**
 * The release of a project that "the next release" counts from: the highest version where the newest have versions, the
 * one that was made last where they have none. A major version more than a hundred above the next is left out when
 * nothing but an event named it.
 *
 * @param like a release: only those of its package count, where it names one
 * @returns null when there are no releases
 */
export async function newestRelease(
  sql: Queryable,
  projectId: string,
  like = "",
): Promise<Release | null> {
  const [newest] = await sql<Release[]>`
    select ${releaseColumns(sql)} from releases
    where project_id = ${projectId} and status = 'open' and ${likePackageOf(sql, like)}
    order by created_at desc, id desc limit 1
  `;
  if (newest === undefined || newest.sortKey === null) return newest ?? null;
  const highest = await sql<Release[]>`
    select ${releaseColumns(sql)} from releases
    where project_id = ${projectId} and status = 'open' and sort_key is not null
      and ${likePackageOf(sql, like)}
    order by sort_key desc limit 20
  `;
  return highest.find((release, place) => !isStray(release, highest[place + 1])) ?? newest;
}

function isStray({ madeBy, sortKey }: Release, next: Release | undefined): boolean {
  const major = (key: string | null | undefined) => Number(key?.split(".")[0] ?? 0);
  return madeBy === "event" && next !== undefined &&
    major(sortKey) > major(next.sortKey) + MAX_JUMP;
}

/**
 * Makes a release unless it is there, and changes what is told of it. One that an event made becomes a tool's.
 *
 * @returns whether it is new
 */
export async function ensureRelease(
  sql: Queryable,
  projectId: string,
  version: string,
  changes: ReleaseChanges = {},
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const before = await findRelease(tx, projectId, version);
    const isNew = await upsertRelease(tx, projectId, version, changes);
    const after = await findRelease(tx, projectId, version);
    const event = before === null ? "release.create" : "release.edit";
    await auditChange(tx, event, audited(projectId), before, after);
    return isNew;
  });
}

function audited(projectId: string): AuditedKind<Release> {
  return {
    kind: "release",
    of: ({ version }) => ({ projectId, id: version, label: version }),
    shown: ({ version, ref, url, status, releasedAt }) => ({
      version,
      ref,
      url,
      status,
      releasedAt,
    }),
  };
}

async function upsertRelease(
  sql: Queryable,
  projectId: string,
  version: string,
  { ref, url, status, releasedAt, refs }: ReleaseChanges,
): Promise<boolean> {
  const [row] = await sql<{ isNew: boolean }[]>`
    insert into releases as known (project_id, version, sort_key, made_by, ref, url, status, released_at, refs)
    values (
      ${projectId}, ${storable(version)}, ${sortableVersion(version)}, 'tool', ${ref ?? ""}, ${
    url ?? ""
  },
      ${status ?? "open"}, ${releasedAt ?? null}, ${JSON.stringify(refs ?? [])}::text::jsonb
    )
    on conflict (project_id, version) do update set
      made_by = 'tool',
      ref = coalesce(${ref ?? null}, known.ref),
      url = coalesce(${url ?? null}, known.url),
      status = coalesce(${status ?? null}, known.status),
      released_at = ${releasedAt === undefined ? sql`known.released_at` : sql`${releasedAt}`},
      refs = ${refs === undefined ? sql`known.refs` : sql`excluded.refs`}
    returning xmax = 0 as "isNew"
  `;
  return row?.isNew ?? false;
}

/** Deletes a release with what belongs to it. Events that name it make it again. */
export async function deleteRelease(
  sql: Queryable,
  projectId: string,
  version: string,
): Promise<void> {
  const name = storable(version);
  await inTransaction(sql, async (tx) => {
    const before = await findRelease(tx, projectId, version);
    await auditChange(tx, "release.remove", audited(projectId), before, null);
    const of = tx`project_id = ${projectId} and version = ${name}`;
    await tx`delete from releases where ${of}`;
    await tx`delete from release_commits where ${of}`;
    await tx`delete from release_fixes where ${of}`;
    await tx`delete from deploys where ${of}`;
  });
}

interface ReleaseListQuery {
  /** A part of the name; `""` for all. */
  readonly query: string;
  readonly status?: ReleaseStatus | null;
  readonly sort: "date" | "semver";
  readonly offset: number;
  readonly limit: number;
}

/** Names of the releases that projects have, each once, the newest first. */
export async function listVersions(
  sql: Sql,
  projectIds: readonly string[],
  { query, status = null, sort, offset, limit }: ReleaseListQuery,
): Promise<string[]> {
  const pattern = `%${storable(query).replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")}%`;
  const rows = await sql<{ version: string }[]>`
    select version from releases
    where project_id = any (${[...projectIds]}::bigint[])
      ${query === "" ? sql`` : sql`and version ilike ${pattern}`}
      ${status === null ? sql`` : sql`and status = ${status}`}
    group by version
    order by
      ${sort === "semver" ? sql`max(sort_key) desc nulls last,` : sql``}
      max(coalesce(released_at, created_at)) desc, version
    limit ${limit} offset ${offset}
  `;
  return rows.map(({ version }) => version);
}

/** The releases of these names, of all the projects that have them. */
export async function releasesNamed(
  sql: Sql,
  projectIds: readonly string[],
  versions: readonly string[],
): Promise<Release[]> {
  return await sql<Release[]>`
    select ${releaseColumns(sql)} from releases
    where project_id = any (${[...projectIds]}::bigint[])
      and version = any (${versions.map(storable)}::text[])
  `;
}
