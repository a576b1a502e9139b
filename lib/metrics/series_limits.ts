/** How many series a project has: those beyond what it may have are told, whichever metric they are of. */
import { MINUTE_MS } from "../core/time.ts";
import { withTimeLimit } from "../core/waiting.ts";
import type {
  MetricBatch,
  MetricSeries,
  SeriesIdentity,
  SeriesLayout,
} from "../records/metric_batch.ts";
import type { Sql } from "../store/database.ts";
import { idsOf } from "./ids.ts";

export interface SeriesLimits {
  /**
   * Which series of a batch may be stored; they count as seen from now on. While Postgres is away, those pass that
   * this process cannot know to be too many.
   */
  admit(projectId: string, batch: MetricBatch): Promise<AdmittedSeries>;
}

interface AdmittedSeries {
  /** "all": none is too many. */
  readonly admitted: "all" | readonly MetricSeries[];
  /** They are too many. */
  readonly rejected: readonly MetricSeries[];
}

const ALL_ADMITTED: AdmittedSeries = { admitted: "all", rejected: [] };

interface SeriesCaps {
  readonly ofMetric: number;
  readonly ofProject: number;
}

/** What other isolates have stored is looked up this often. */
const REFRESH_MS = 5 * MINUTE_MS;
/** After Postgres was away. */
const RETRY_MS = 10_000;
/** Requests wait for it. */
const LOOK_LIMIT_MS = 2_000;
const MAX_PROJECTS = 200;
/** Series in memory, over all projects; some 100 bytes each. */
const MAX_REMEMBERED = 3_000_000;

interface ProjectSeries {
  /** Series by metric. */
  readonly metrics: Map<string, Set<string>>;
  /** Of which every series is among these. */
  layouts: WeakSet<SeriesLayout>;
  total: number;
  staleAt: number;
  loading: Promise<void> | null;
}

/**
 * @param caps @default 10,000 series of a metric, 100,000 of a project
 * @param maxRemembered series in memory, over all projects
 */
export function openSeriesLimits(
  sql: Sql,
  caps: SeriesCaps = { ofMetric: MAX_SERIES_OF_METRIC, ofProject: MAX_SERIES_OF_PROJECT },
  maxRemembered = MAX_REMEMBERED,
): SeriesLimits {
  const projects = new Map<string, ProjectSeries>();

  return {
    async admit(projectId, batch) {
      const known = await seriesOf(projectId);
      if (fitsWhole(known, batch)) return ALL_ADMITTED;
      const admitted: MetricSeries[] = [];
      const rejected: MetricSeries[] = [];
      for (const each of batch.series) (fits(known, each) ? admitted : rejected).push(each);
      return rejected.length === 0 ? ALL_ADMITTED : { admitted, rejected };
    },
  };

  /** Whether all of a batch in columns fits; some may be too many, and then have no place yet. */
  function fitsWhole(known: ProjectSeries, { columns }: MetricBatch): boolean {
    if (columns === undefined) return false;
    const { numbers: { layout }, others } = columns;
    if (!known.layouts.has(layout)) {
      if (!layout.series.every((series) => fits(known, series))) return false;
      known.layouts.add(layout);
    }
    return others.every((series) => fits(known, series));
  }

  function fits(known: ProjectSeries, series: MetricSeries | SeriesIdentity): boolean {
    const { metricId, seriesId } = idsOf(series);
    let ofMetric = known.metrics.get(metricId);
    if (ofMetric?.has(seriesId)) return true;
    const count = ofMetric?.size ?? 0;
    if (count >= caps.ofMetric || known.total >= caps.ofProject) return false;
    if (ofMetric === undefined) known.metrics.set(metricId, ofMetric = new Set());
    ofMetric.add(seriesId);
    known.total++;
    return true;
  }

  /** Waits for the first look only; later ones go on beside. */
  async function seriesOf(projectId: string): Promise<ProjectSeries> {
    const known = projects.get(projectId);
    if (known === undefined) {
      if (projects.size >= MAX_PROJECTS || isFull()) projects.clear();
      const fresh: ProjectSeries = {
        metrics: new Map(),
        layouts: new WeakSet(),
        total: 0,
        staleAt: 0,
        loading: null,
      };
      projects.set(projectId, fresh);
      await load(projectId, fresh);
      return fresh;
    }
    if (known.loading !== null && known.staleAt === 0) await known.loading;
    else if (Date.now() > known.staleAt) {
      // What is forgotten is looked up again; a project by itself always has room.
      if (projects.size > 1 && isFull()) projects.delete(projectId);
      else void load(projectId, known);
    }
    return known;
  }

  function isFull(): boolean {
    let count = 0;
    for (const { total } of projects.values()) count += total;
    return count > maxRemembered;
  }

  function load(projectId: string, known: ProjectSeries): Promise<void> {
    return known.loading ??= refresh(projectId, known).finally(() => known.loading = null);
  }

  /** What was seen since the day before yesterday ended, which is what counts. */
  async function refresh(projectId: string, known: ProjectSeries): Promise<void> {
    try {
      const rows = await withTimeLimit(activeSeries(sql, projectId), LOOK_LIMIT_MS);
      // Those that nobody has sent for long no longer count; those of this process come again when they are sent.
      known.metrics.clear();
      known.layouts = new WeakSet();
      known.total = rows.length;
      for (const { metricId, seriesId } of rows) {
        const ofMetric = known.metrics.get(metricId) ?? new Set();
        known.metrics.set(metricId, ofMetric.add(seriesId));
      }
      known.staleAt = Date.now() + REFRESH_MS;
    } catch {
      // The store is away: the writer says so, and what is spooled is looked at when it is replayed.
      known.staleAt = Date.now() + RETRY_MS;
    }
  }
}

async function activeSeries(
  sql: Sql,
  projectId: string,
): Promise<{ metricId: string; seriesId: string }[]> {
  return await sql<{ metricId: string; seriesId: string }[]>`
    select metric_id as "metricId", series_id as "seriesId" from metric_series
    where project_id = ${projectId} and seen_on >= (now() at time zone 'UTC')::date - 1
    limit ${MAX_SERIES_OF_PROJECT * 2}
  `;
}

/** Series of a metric that are seen today or yesterday. */
const MAX_SERIES_OF_METRIC = 10_000;
/** Of a whole project. */
const MAX_SERIES_OF_PROJECT = 100_000;
/** Exemplars that are kept of a series and minute. */
export const EXEMPLARS_A_MINUTE = 4;
