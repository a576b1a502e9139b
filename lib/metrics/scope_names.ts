import { MINUTE_MS } from "../core/time.ts";
import type { Sql } from "../store/database.ts";
import type { ReleaseStart } from "../store/stats/series_names.ts";

/** The environments, releases and services that a project's metrics come from. */
interface ScopeNames {
  /** By name. */
  readonly environments: readonly string[];
  /** The one seen last first. */
  readonly releases: readonly string[];
  /** By name. */
  readonly services: readonly string[];
}

interface Remembered {
  readonly atMs: number;
  readonly names: Promise<ScopeNames>;
}

interface OriginRow {
  readonly environment: string;
  readonly release: string;
  readonly service: string;
}

const MAX_ORIGINS = 2_000;
const MAX_NAMES = 200;
/** All series are looked at: once a minute is enough. */
const REMEMBERED_MS = MINUTE_MS;
const MAX_PROJECTS = 1_000;

const memories = new WeakMap<Sql, Map<string, Remembered>>();

/** Up to 200 names of each, as they were at most a minute ago; a project without any is looked at every time. */
export async function scopeNamesOf(sql: Sql, projectId: string): Promise<ScopeNames> {
  const memory = memories.get(sql) ?? new Map<string, Remembered>();
  memories.set(sql, memory);
  const known = memory.get(projectId);
  if (known && Date.now() - known.atMs < REMEMBERED_MS) return await known.names;
  const names = readNames(sql, projectId);
  memory.delete(projectId);
  memory.set(projectId, { atMs: Date.now(), names });
  const [oldest] = memory.keys();
  if (memory.size > MAX_PROJECTS && oldest !== undefined) memory.delete(oldest);
  try {
    const found = await names;
    if (Object.values(found).every((list) => list.length === 0)) memory.delete(projectId);
    return found;
  } catch (error) {
    memory.delete(projectId);
    throw error;
  }
}

async function readNames(sql: Sql, projectId: string): Promise<ScopeNames> {
  const rows = await sql<OriginRow[]>`
    select environment, release, service from metric_series
    where project_id = ${projectId}
    group by environment, release, service
    order by max(seen_on) desc, max(first_seen) desc
    limit ${MAX_ORIGINS}
  `;
  const all = (name: keyof OriginRow) =>
    [...new Set(rows.map((row) => row[name]))].filter((value) => value !== "").slice(0, MAX_NAMES);
  return {
    environments: all("environment").sort(),
    releases: all("release"),
    services: all("service").sort(),
  };
}

/** More lines than a chart can show apart. */
const MAX_STARTS = 20;

/** The releases whose first series of some metrics came within a stretch of time, the newest first. */
export async function releaseFirsts(
  sql: Sql,
  projectId: string,
  metricIds: readonly string[],
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<ReleaseStart[]> {
  if (metricIds.length === 0) return [];
  return await sql<ReleaseStart[]>`
    select release, min(first_seen) as at
    from metric_series
    where project_id = ${projectId} and metric_id = any (${[...metricIds]}::bigint[])
      and release <> ''
    group by release
    having min(first_seen) > ${start} and min(first_seen) < ${end}
    order by 2 desc
    limit ${MAX_STARTS}
  `;
}
