import type { Sql } from "../../store/database.ts";
import {
  type Grouped,
  readSeriesOverTime,
  readStatsByEach,
  type StatsAt,
} from "../../store/stats/read_stats.ts";
import { QueryTooSlow } from "../../store/statement_timeout.ts";
import {
  listVitalSamples,
  type VitalSample,
  type VitalSelection,
} from "./vital_samples.ts";
import { selectionOf, type Tracing } from "../../releases/load_tracing.ts";
import { alongInterval, before, stepOf, type Steps } from "../../store/stats/steps.ts";
import { loadLargest } from "./load_largest.ts";
import { readTotals, type VitalStats } from "./load_vitals.ts";
import { type Vital, VITALS } from "./ratings.ts";
import { type SlowMoment, slowMoments } from "./slow_moments.ts";

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
  const [min, max] = [Number(search.get("min") ?? NaN), Number(search.get("max") ?? NaN)];
  return {
    name,
    vital: VITALS.find((vital) => vital.name === search.get("vital")) ?? null,
    range: min >= 0 && max > min && Number.isFinite(max) ? { min, max } : null,
  };
}

/** Reads all that is known of the vitals of one page. */
export async function loadPageVitals(
  sql: Sql,
  tracing: Tracing,
  params: PageVitalsParams,
): Promise<PageVitals> {
  const { interval, now } = tracing;
  const where = { name: params.name };
  const stepMs = stepOf(interval, now);
  const first = params.vital ?? VITALS[0];
  if (first === undefined) throw new Error("There are no vitals");
  const [vitals, previous, points, clients] = await Promise.all([
    readTotals(sql, tracing, { where }),
    readTotals(sql, tracing, { where, ...before(interval) }),
    readSeriesOverTime(sql, selectionOf(tracing, "vital", { where }), ["op"], stepMs),
    readClients(sql, tracing, params.name, first),
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
    clients: vital === first ? clients : await readClients(sql, tracing, params.name, vital),
    ...await loadSamples(sql, tracing, params, vital, byVital.get(vital.name) ?? [], stepMs),
  };
}

async function readClients(
  sql: Sql,
  tracing: Tracing,
  name: string,
  vital: Vital,
): Promise<PageVitals["clients"]> {
  const selection = selectionOf(tracing, "visit", { where: { name, op: vital.name } });
  return await readStatsByEach(sql, selection, CLIENT_COLUMNS);
}

async function loadSamples(
  sql: Sql,
  tracing: Tracing,
  { name, range }: PageVitalsParams,
  vital: Vital,
  points: readonly StatsAt[],
  stepMs: number,
): Promise<Pick<PageVitals, "samples" | "moments">> {
  const { project, scope, interval } = tracing;
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
  const visits = selectionOf(tracing, "visit", { where: { name, op: vital.name } });
  const seen = await readSeriesOverTime(sql, visits, ["browser", "device"], stepMs);
  return { samples, moments: slowMoments(seen) };
}

async function nullIfSlow<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof QueryTooSlow) return null;
    throw error;
  }
}
