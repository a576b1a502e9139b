import { brushedIn } from "../../ui/charts/axis.ts";
import { storable } from "../../core/errors.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import { inScope, nullIfSlow, type QueryScope, withinTime } from "../../store/query_limits.ts";
import {
  type Grouped,
  readSeriesOverTime,
  readStatsByEach,
  type StatsAt,
} from "../../store/stats/read_stats.ts";
import { Sketch } from "../../store/stats/sketch.ts";
import { alongInterval, before, stepOf, type Steps } from "../../store/stats/steps.ts";
import { readTotals, type VitalStats } from "./load_vitals.ts";
import { type Vital, VITALS } from "./vital_scores.ts";

/** What the page of one page's vitals is asked for. */
export interface PageVitalsParams {
  readonly name: string;
  /** The vital that is looked at closely; null: the first that was measured. */
  readonly vital: Vital | null;
  /** Chosen in the distribution, in the vital's unit; null: all. */
  readonly range: { readonly min: number; readonly max: number } | null;
}

/** By what visits are told apart. */
export const CLIENT_COLUMNS = ["browser", "device", "country"] as const;
export type ClientColumn = (typeof CLIENT_COLUMNS)[number];

export interface PageVitals {
  readonly params: PageVitalsParams;
  readonly vitals: VitalStats;
  /** In the time before. */
  readonly previous: VitalStats;
  /** By name of the vital. */
  readonly steps: ReadonlyMap<string, Steps>;
  /** The one that is looked at closely. */
  readonly vital: Vital;
  readonly clients: { readonly [column in ClientColumn]: readonly Grouped<column>[] };
  /** The visits with the largest values; null when reading them took too long. */
  readonly samples: readonly VitalSample[] | null;
  /** Where no visit can be told: when it was slow, with a trace of then. */
  readonly moments: readonly SlowMoment[];
}

const MAX_NAME = 200;
const SAMPLES = 20;

/** Reads the parameters of the page; null without a name. */
export function readPageVitalsParams(search: URLSearchParams): PageVitalsParams | null {
  const name = (search.get("name") ?? "").slice(0, MAX_NAME);
  if (name === "") return null;
  return {
    name,
    vital: VITALS.find((vital) => vital.name === search.get("vital")) ?? null,
    range: brushedIn(search),
  };
}

/** Reads all that is known of the vitals of one page. */
export async function loadPageVitals(
  sql: Sql,
  pageScope: PageScope,
  params: PageVitalsParams,
): Promise<PageVitals> {
  const { interval, now } = pageScope;
  const where = { name: params.name };
  const stepMs = stepOf(interval, now);
  const first = params.vital ?? VITALS[0];
  if (first === undefined) throw new Error("There are no vitals");
  const [vitals, previous, points, clients] = await Promise.all([
    readTotals(sql, pageScope, { where }),
    readTotals(sql, pageScope, { where, ...before(interval) }),
    readSeriesOverTime(sql, selectionOf(pageScope, "vital", { where }), ["op"], stepMs),
    readClients(sql, pageScope, params.name, first),
  ]);
  const byVital = Map.groupBy(points, ({ group }) => group.op);
  const vital = params.vital ?? VITALS.find(({ name }) => vitals.has(name)) ?? first;
  return {
    params,
    vitals,
    previous,
    steps: new Map(VITALS.map(({ name }) => [
      name,
      alongInterval(byVital.get(name) ?? [], interval, stepMs, now),
    ])),
    vital,
    clients: vital === first ? clients : await readClients(sql, pageScope, params.name, vital),
    ...await loadSamples(sql, pageScope, params, vital, byVital.get(vital.name) ?? [], stepMs),
  };
}

async function readClients(
  sql: Sql,
  pageScope: PageScope,
  name: string,
  vital: Vital,
): Promise<PageVitals["clients"]> {
  const selection = selectionOf(pageScope, "visit", { where: { name, op: vital.name } });
  return await readStatsByEach(sql, selection, CLIENT_COLUMNS);
}

async function loadSamples(
  sql: Sql,
  pageScope: PageScope,
  { name, range }: PageVitalsParams,
  vital: Vital,
  points: readonly StatsAt[],
  stepMs: number,
): Promise<Pick<PageVitals, "samples" | "moments">> {
  const { project, scope, interval } = pageScope;
  const selection: VitalSelection = {
    projectId: project.id,
    ...scope,
    ...interval,
    name,
    vital: vital.name,
    min: range?.min ?? 0,
    max: range?.max ?? null,
  };
  const largest = range === null
    ? await loadLargest(sql, selection, points, stepMs, SAMPLES)
    : null;
  const samples = largest ?? await nullIfSlow(listVitalSamples(sql, selection, SAMPLES));
  if (samples?.length !== 0 || range !== null) return { samples, moments: [] };
  const visits = selectionOf(pageScope, "visit", { where: { name, op: vital.name } });
  const seen = await readSeriesOverTime(sql, visits, ["browser", "device"], stepMs);
  return { samples, moments: slowMoments(seen) };
}

/** With more pieces than this, reading them one by one is no gain. */
const MAX_PIECES = 24;

/**
 * The visits with the largest values, read of those steps alone that have such values: counts tell which ones.
 *
 * @param selection without limits of the value
 * @param points counts of the same vital along the same time
 * @returns null when that does not tell all of them: what was measured apart from a page load is in the counts as well
 * @throws {QueryTooSlow} as {@linkcode listVitalSamples}
 */
export async function loadLargest(
  sql: Sql,
  selection: VitalSelection,
  points: readonly StatsAt[],
  stepMs: number,
  limit: number,
): Promise<VitalSample[] | null> {
  const above = largestAbove(points, limit);
  if (above === null) return null;
  const times = points
    .filter(({ stats }) => stats.sketch.buckets().some(({ to }) => to > above))
    .map(({ time }) => time);
  if (times.length > MAX_PIECES || times.length > points.length / 2) return null;
  const pieces = await Promise.all(times.map((time) => {
    const start = new Date(Math.max(time, selection.start.getTime()));
    const end = new Date(Math.min(time + stepMs, selection.end.getTime()));
    return start < end
      ? listVitalSamples(sql, { ...selection, start, end, min: above }, limit)
      : [];
  }));
  const found = pieces.flat().sort(byValue).slice(0, limit);
  return found.length < limit ? null : found;
}

function byValue(a: VitalSample, b: VitalSample): number {
  return b.value - a.value || b.startedAt.getTime() - a.startedAt.getTime();
}

/** A value that so many are above of; null when there are not so many, or it is not known. */
function largestAbove(points: readonly StatsAt[], limit: number): number | null {
  const sketch = new Sketch();
  for (const { stats } of points) sketch.merge(stats.sketch);
  let count = 0;
  for (const bucket of sketch.buckets().reverse()) {
    count += bucket.count;
    if (count >= limit) return bucket.from > 0 ? bucket.from : null;
  }
  return null;
}

/** A stretch of time in which a vital was large for one kind of client. */
export interface SlowMoment {
  /** Start, in milliseconds since 1970. */
  readonly time: number;
  readonly browser: string;
  readonly device: string;
  readonly p75: number;
  /** Visits. */
  readonly count: number;
  /** One of them, 32 hex digits. */
  readonly traceId: string;
}

const MAX_MOMENTS = 10;

/** The stretches with the largest 75th percentile of which a trace is known. */
export function slowMoments(
  points: readonly (StatsAt & { readonly group: { browser: string; device: string } })[],
): SlowMoment[] {
  return points
    .flatMap(({ time, group, stats: { sketch, count, traceId } }): SlowMoment[] => {
      const p75 = sketch.quantile(0.75);
      return p75 === null || traceId === null ? [] : [{ time, ...group, p75, count, traceId }];
    })
    .sort((a, b) => b.p75 - a.p75)
    .slice(0, MAX_MOMENTS);
}

interface VitalSelection extends QueryScope {
  readonly projectId: string;
  readonly services: readonly string[];
  /** Name of the page. */
  readonly name: string;
  /** As `lcp`. */
  readonly vital: string;
  /** Excluded, as buckets of counts have it, but for 0; milliseconds, or a score. */
  readonly min: number;
  /** Included; null: no limit. */
  readonly max: number | null;
}

/** One visit of a page on which a vital was measured. */
export interface VitalSample {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly startedAt: Date;
  /** Milliseconds, or a score. */
  readonly value: number;
  readonly environment: string;
  readonly release: string;
  readonly user: string | null;
}

/** What is more was measured in tabs that nobody looked at, and is in no count. */
const MAX_VALUE = 60_000;
/** All visits of the busiest page are read at worst. */
const STATEMENT_TIMEOUT_MS = 8_000;

/**
 * The visits of a page with the largest values of a vital. Only those that were measured by the page's own
 * transaction: what SDKs send as spans of their own is in the counts alone.
 *
 * @throws {QueryTooSlow} when there are more visits than can be read in time
 */
export async function listVitalSamples(
  sql: Sql,
  selection: VitalSelection,
  limit: number,
): Promise<VitalSample[]> {
  const { projectId, name, vital, start, end, services, min, max } = selection;
  return await withinTime(sql, STATEMENT_TIMEOUT_MS, async (tx) =>
    await tx<VitalSample[]>`
      select
        replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", started_at as "startedAt",
        value, environment, release, user_key as "user"
      from transactions,
        lateral (select (measurements->${
      storable(vital)
    }->>'value')::double precision as value) as measured
      where project_id = ${projectId} and name = ${storable(name)}
        and "timestamp" >= ${start} and "timestamp" < ${end}
        ${inScope(tx, selection)}
        ${services.length === 0 ? tx`` : tx`and service = any (${services.map(storable)}::text[])`}
        and value ${min > 0 ? tx`>` : tx`>=`} ${min}
        and value <= ${Math.min(max ?? MAX_VALUE, MAX_VALUE)}
      order by value desc, "timestamp" desc
      limit ${limit}
    `);
}
