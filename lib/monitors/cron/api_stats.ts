import type { Sql } from "../../store/database.ts";
import { storable } from "../../core/errors.ts";
import type { Buckets } from "./api.ts";

const STATUSES = ["ok", "error", "missed", "timeout", "in_progress", "unknown"] as const;

/** How many runs began in a step of time, by how they went. */
export interface StatBucket extends Record<(typeof STATUSES)[number], number> {
  /** Seconds since 1970. */
  readonly ts: number;
  /** Mean in milliseconds; 0 without any. */
  readonly duration: number;
}

interface StatRow {
  readonly slug: string;
  readonly environment: string;
  readonly bucket: number;
  readonly status: (typeof STATUSES)[number];
  readonly runs: number;
  readonly seconds: number;
  readonly timed: number;
}

async function readStats(
  sql: Sql,
  projectId: string,
  slugs: readonly string[],
  environments: readonly string[],
  { since, until, resolutionMs }: Buckets,
): Promise<StatRow[]> {
  return await sql<StatRow[]>`
    select monitor_slug as slug, environment, status,
      floor(extract(epoch from started_at - ${since}::timestamptz) * 1000 / ${resolutionMs})::int as bucket,
      count(*)::int as runs, coalesce(sum(duration_sec), 0) as seconds,
      count(duration_sec)::int as timed
    from check_ins
    where project_id = ${projectId} and monitor_slug = any (${[...slugs]}::text[])
      and started_at >= ${since} and started_at <= ${until}
      ${
    environments.length === 0
      ? sql``
      : sql`and environment = any (${environments.map(storable)}::text[])`
  }
    group by 1, 2, 3, 4
  `;
}

/** The runs of a monitor by steps of time, every step present. */
export async function statsOf(
  sql: Sql,
  place: { readonly projectId: string; readonly slug: string },
  environments: readonly string[],
  buckets: Buckets,
): Promise<StatBucket[]> {
  const rows = await readStats(sql, place.projectId, [place.slug], environments, buckets);
  return startsOf(buckets).map((ts, index) => {
    const own = rows.filter(({ bucket }) => bucket === index);
    const sum = (part: (row: StatRow) => number) => own.reduce((all, row) => all + part(row), 0);
    const timed = sum((row) => row.timed);
    const duration = timed === 0 ? 0 : Math.round(sum((row) => row.seconds) * 1000 / timed);
    return { ts, ...countsIn(own), duration };
  });
}

type Counts = Record<(typeof STATUSES)[number], number>;

/** The same of several monitors by environment, as `[seconds, {environment: counts}]`. @returns by slug */
export async function statsByEnvironment(
  sql: Sql,
  projectId: string,
  slugs: readonly string[],
  environments: readonly string[],
  buckets: Buckets,
): Promise<Map<string, [ts: number, byEnvironment: Record<string, Counts>][]>> {
  const rows = await readStats(sql, projectId, slugs, environments, buckets);
  const starts = startsOf(buckets);
  return new Map(slugs.map((slug) => [
    slug,
    starts.map((ts, index) => {
      const own = rows.filter((row) => row.slug === slug && row.bucket === index);
      const grouped = Map.groupBy(own, ({ environment }) => environment);
      return [ts, Object.fromEntries([...grouped].map(([name, each]) => [name, countsIn(each)]))];
    }),
  ]));
}

function startsOf({ since, until, resolutionMs }: Buckets): number[] {
  const count = Math.ceil((until.getTime() - since.getTime()) / resolutionMs);
  return Array.from(
    { length: count },
    (_, index) => Math.floor((since.getTime() + index * resolutionMs) / 1000),
  );
}

function countsIn(rows: readonly StatRow[]): Counts {
  const counts = { ok: 0, error: 0, missed: 0, timeout: 0, in_progress: 0, unknown: 0 };
  for (const { status, runs } of rows) counts[status] += runs;
  return counts;
}
