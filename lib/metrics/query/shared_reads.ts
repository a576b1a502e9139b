/** Reads of series that several questions share: panels of a page often ask one metric in several ways. */
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import {
  type CatalogSeries,
  findMetrics,
  seenSince,
  seriesOf,
  type StoredMetric,
} from "../catalog.ts";
import type { Sql } from "../../store/database.ts";
import type { Labels } from "../filter.ts";
import type { GaugeColumn } from "../gauge_cells.ts";
import type { SeriesSteps } from "../points.ts";
import type { PointRead, ReadServices, StepRequest } from "../read/raw.ts";
import { readSteps } from "../read/steps.ts";
import { SLOT_MS } from "../slots.ts";
import type { Steps } from "./steps.ts";

/** What questions are answered from. */
export interface QueryServices extends ReadServices {
  /** What the questions of one page remember together; absent: everything is read for itself. */
  readonly shared?: SharedReads;
  /** What counts as now; the clock's time when it is absent. */
  readonly now?: Date;
}

interface Entry {
  /** Null: all of the metric's. */
  readonly seriesIds: ReadonlySet<string> | null;
  readonly read: Promise<PointRead<SeriesSteps>>;
}

/** Values in memory at once, of some 8 bytes each. */
const MAX_HELD = 2_000_000;
/** Values of a step of a histogram, about. */
const HISTOGRAM_SIZE = 30;

/**
 * Remembers series by step for as long as a page is made. Larger answers than there is room for are shared only by
 * those who ask while they are read.
 */
export class SharedReads {
  /** By metric and steps. */
  readonly #entries = new Map<string, Entry[]>();
  #held = 0;
  /** What a page that is being made knows of the catalog. */
  readonly #metrics = new Map<string, Promise<readonly StoredMetric[]>>();
  readonly #series = new Map<string, Promise<readonly CatalogSeries[]>>();

  /** As `findMetrics()`. */
  metricsNamed(sql: Sql, projectId: string, name: string): Promise<readonly StoredMetric[]> {
    const key = `${projectId} ${name}`;
    const found = this.#metrics.get(key) ?? findMetrics(sql, projectId, name);
    this.#metrics.set(key, found);
    return found;
  }

  /** As `seriesOf()`. */
  seriesOf(sql: Sql, projectId: string, metricId: string): Promise<readonly CatalogSeries[]> {
    const key = `${projectId} ${metricId}`;
    const found = this.#series.get(key) ?? seriesOf(sql, projectId, metricId);
    this.#series.set(key, found);
    return found;
  }

  /** As `readSteps()`. @throws what `postgres` throws */
  async read(
    services: ReadServices,
    projectId: string,
    request: StepRequest,
  ): Promise<PointRead<SeriesSteps>> {
    const { metricId, startMs, endMs, stepMs } = request;
    const key = [projectId, metricId, startMs, endMs, stepMs].join(" ");
    const entries = this.#entries.get(key) ?? [];
    this.#entries.set(key, entries);
    const known = entries.find((entry) => holds(entry, request.seriesIds));
    if (known !== undefined) return narrowed(await known.read, known, request.seriesIds);
    const entry: Entry = {
      seriesIds: request.seriesIds && new Set(request.seriesIds),
      read: readSteps(services, projectId, request),
    };
    entries.push(entry);
    const forget = () => void entries.splice(entries.indexOf(entry), 1);
    try {
      const read = await entry.read;
      const size = sizeOf(read.series);
      if (this.#held + size > MAX_HELD) forget();
      else this.#held += size;
      return read;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

function holds({ seriesIds: held }: Entry, wanted: readonly string[] | null): boolean {
  return held === null || wanted !== null && wanted.every((seriesId) => held.has(seriesId));
}

function narrowed(
  { series, damaged }: PointRead<SeriesSteps>,
  { seriesIds: held }: Entry,
  wanted: readonly string[] | null,
): PointRead<SeriesSteps> {
  if (wanted === null || held?.size === wanted.length) return { series, damaged };
  const ids = new Set(wanted);
  return { series: series.filter(({ seriesId }) => ids.has(seriesId)), damaged };
}

function sizeOf(series: readonly SeriesSteps[]): number {
  return series.reduce(
    (sum, { kind, times }) => sum + times.length * (kind === "histogram" ? HISTOGRAM_SIZE : 6),
    0,
  );
}

/** Which series of a metric are read, and along which steps. */
export interface SeriesRead<S extends Steps = Steps> {
  readonly projectId: string;
  readonly metric: StoredMetric;
  /** By ascending id. */
  readonly series: readonly CatalogSeries[];
  /** Whether these are all series of the metric. */
  readonly isAll: boolean;
  readonly steps: S;
  /** What is asked of a gauge, as {@linkcode StepRequest} has it. */
  readonly columns?: readonly GaugeColumn[];
}

/** The series of a metric that may have points within steps and are meant. */
export async function readOf<S extends Steps>(
  { sql, shared }: QueryServices,
  projectId: string,
  metric: StoredMetric,
  isMeant: (labels: Labels) => boolean,
  steps: S,
): Promise<SeriesRead<S>> {
  const stored = await (shared?.seriesOf(sql, projectId, metric.metricId) ??
    seriesOf(sql, projectId, metric.metricId));
  const all = seenSince(stored, steps.startMs);
  const series = all.filter(({ labels }) => isMeant(labels));
  return { projectId, metric, series, isAll: series.length === all.length, steps };
}

/** Points in memory at once, some 20 bytes each. */
const MAX_POINTS = 2_000_000;
/** The same of gauges, of which points stay only as long as they are not settled. */
const MAX_GAUGE_POINTS = 4_000_000;
/** A step of a gauge takes as much as so many points. */
const GAUGE_STEP = 2.5;
/** The same of long series of histograms, which are some hundreds of bytes each. */
const MAX_HISTOGRAMS = 500_000;
/** Points of a series: the minutes of a week. */
const LONG_SERIES = 10_000;
/** So few series do not make a difference, and blocks hold more. */
const MIN_BATCH = 256;
/** Points that are not rolled up yet are read as they were written. */
const RAW_MS = 4 * HOUR_MS;
const USUAL_INTERVAL_MS = 15_000;

/**
 * Reads series and hands them out one after the other, as many in memory at once as there is room for.
 *
 * @returns how many stored blocks could not be read
 */
export async function eachSeries(
  services: QueryServices,
  { projectId, metric, series, isAll, steps, columns }: SeriesRead,
  visit: (series: SeriesSteps, labels: Labels) => void,
): Promise<number> {
  const labelsOf = new Map(series.map(({ seriesId, labels }) => [seriesId, labels]));
  const seriesIds = [...labelsOf.keys()];
  const size = batchSize(steps, metric);
  let damaged = 0;
  for (let from = 0; from < seriesIds.length; from += size) {
    const isWhole = isAll && size >= seriesIds.length;
    const request = {
      metricId: metric.metricId,
      kind: metric.kind,
      seriesIds: isWhole ? null : seriesIds.slice(from, from + size),
      startMs: steps.startMs,
      endMs: steps.endMs,
      stepMs: steps.stepMs,
      usualIntervalMs: metric.usualIntervalMs,
      counted: metric,
      // Others may ask for other columns.
      ...services.shared === undefined && columns !== undefined && { columns },
    };
    const read = await (services.shared?.read(services, projectId, request) ??
      readSteps(services, projectId, request));
    damaged += read.damaged;
    for (const each of read.series) {
      const labels = labelsOf.get(each.seriesId);
      if (labels !== undefined) visit(each, labels);
    }
  }
  return damaged;
}

/** How many series are read at once. */
export function batchSize(
  { startMs, endMs, stepMs }: Pick<Steps, "startMs" | "endMs" | "stepMs">,
  { kind, usualIntervalMs }: Pick<StoredMetric, "kind" | "usualIntervalMs">,
): number {
  const length = endMs - startMs;
  const interval = usualIntervalMs || USUAL_INTERVAL_MS;
  if (kind === "gauge") {
    const points = Math.min(length, RAW_MS) / interval + GAUGE_STEP * length / stepMs;
    return Math.max(MIN_BATCH, Math.floor(MAX_GAUGE_POINTS / points));
  }
  const raw = stepMs % MINUTE_MS === 0 ? Math.min(length, RAW_MS) : length;
  const points = raw / interval + (length - raw) / MINUTE_MS;
  if (kind === "histogram" && points > LONG_SERIES) {
    // Those of minutes become those of steps while their block is read.
    const joined = raw / interval + (length - raw) / clamp(stepMs, MINUTE_MS, SLOT_MS);
    return Math.max(1, Math.floor(MAX_HISTOGRAMS / joined));
  }
  return Math.max(MIN_BATCH, Math.floor(MAX_POINTS / points));
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
