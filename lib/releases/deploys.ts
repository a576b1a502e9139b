/** Deploys: a release that was brought to an environment. */
import { storable } from "../core/errors.ts";
import type { Interval } from "../core/time.ts";
import { insertAudit, inTransaction } from "../store/audit.ts";
import type { Queryable } from "../store/database.ts";
import type { ChartMarker } from "../ui/charts/mod.ts";
import { releaseHref } from "../ui/links.ts";
import { EVERYTHING, type Scope } from "../ui/scope.ts";
import { likePackageOf } from "./releases.ts";

export interface Deploy {
  readonly id: string;
  readonly version: string;
  readonly environment: string;
  readonly name: string;
  readonly url: string;
  readonly startedAt: Date | null;
  readonly finishedAt: Date;
}

export type NewDeploy = Omit<Deploy, "id">;

function deployColumns(sql: Queryable) {
  return sql`
    id, version, environment, name, url, started_at as "startedAt", finished_at as "finishedAt"
  `;
}

/** Notes a deploy of a release. */
export async function createDeploy(
  sql: Queryable,
  projectId: string,
  deploy: NewDeploy,
): Promise<Deploy> {
  return await inTransaction(sql, (tx) => storeDeploy(tx, projectId, deploy));
}

async function storeDeploy(
  sql: Queryable,
  projectId: string,
  { version, environment, name, url, startedAt, finishedAt }: NewDeploy,
): Promise<Deploy> {
  const [row] = await sql<Deploy[]>`
    insert into deploys (project_id, version, environment, name, url, started_at, finished_at)
    values (
      ${projectId}, ${storable(version)}, ${storable(environment)}, ${storable(name)}, ${
    storable(url)
  },
      ${startedAt}, ${finishedAt}
    )
    returning ${deployColumns(sql)}
  `;
  if (row === undefined) throw new Error("Postgres returned no deploy");
  await insertAudit(sql, {
    event: "release.deploy",
    projectId,
    target: { kind: "release", id: storable(version), label: storable(version) },
    changes: { environment: [null, environment], name: [null, name], url: [null, url] },
  });
  return row;
}

export const MAX_DEPLOYS = 1_000;

/** The deploys of a release in projects, the newest first. */
export async function deploysOf(
  sql: Queryable,
  projectIds: readonly string[],
  version: string,
  { offset = 0, limit = MAX_DEPLOYS }: { offset?: number; limit?: number } = {},
): Promise<Deploy[]> {
  return await sql<Deploy[]>`
    select ${deployColumns(sql)} from deploys
    where project_id = any (${[...projectIds]}::bigint[]) and version = ${storable(version)}
    order by finished_at desc, id desc limit ${limit} offset ${offset}
  `;
}

/** The newest deploy of each of these releases, and how many there are, by version. */
export async function lastDeploys(
  sql: Queryable,
  projectIds: readonly string[],
  versions: readonly string[],
): Promise<Map<string, Deploy & { readonly count: number }>> {
  const rows = await sql<(Deploy & { count: number })[]>`
    select distinct on (version) ${deployColumns(sql)},
      (count(*) over (partition by version))::int as count
    from deploys
    where project_id = any (${[...projectIds]}::bigint[])
      and version = any (${versions.map(storable)}::text[])
    order by version, finished_at desc, id desc
  `;
  return new Map(rows.map((row) => [row.version, row]));
}

/** More would hide the chart. */
const MAX_MARKERS = 20;

/**
 * The newest deploys within a time, in these environments or in all.
 *
 * @param like a release: only those of its package, where it has one
 */
export async function deploysWithin(
  sql: Queryable,
  projectId: string,
  { start, end }: Interval,
  environments: readonly string[] = [],
  like = "",
): Promise<Deploy[]> {
  return await sql<Deploy[]>`
    select ${deployColumns(sql)} from deploys
    where project_id = ${projectId} and finished_at >= ${start} and finished_at < ${end}
      ${
    environments.length === 0
      ? sql``
      : sql`and environment = any (${environments.map(storable)}::text[])`
  }
      and ${likePackageOf(sql, like)}
    order by finished_at desc limit ${MAX_MARKERS}
  `;
}

/** How charts show deploys: each leads to the page of its release. */
export function markersOf(
  deploys: readonly Deploy[],
  projectId: string,
  scope: Scope,
): ChartMarker[] {
  return deploys.map(({ version, environment, finishedAt }) => ({
    at: finishedAt.getTime(),
    label: `${version} to ${environment}`,
    href: releaseHref(projectId, scope, version),
  }));
}

/** The marks of the newest deploys within a time. @param like as of `deploysWithin()` */
export async function deployMarkers(
  sql: Queryable,
  projectId: string,
  interval: Interval,
  scope: Scope = EVERYTHING,
  like = "",
): Promise<ChartMarker[]> {
  const deploys = await deploysWithin(sql, projectId, interval, scope.environments, like);
  return markersOf(deploys, projectId, scope);
}
