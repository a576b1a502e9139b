/** Along which steps a question is answered. */
import { t } from "../../core/language/translate.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { seriesOf, type StoredMetric } from "../catalog.ts";
import { InvalidQuery } from "../query_types.ts";
import { readRaw, type ReadServices } from "../read/raw.ts";

/** The steps that are chosen from; each is a multiple of the one before it that matters to rollups. */
const LADDER_MS: readonly number[] = [
  ...[1, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR_MS),
];
const USUAL_STEPS = 240;
const MAX_STEPS = 2_000;
/** Steps begin at multiples: of a longer one, most would lie in years of which nothing is known. */
const MAX_STEP_MS = 366 * DAY_MS;

/** Steps side by side, from the first one's beginning on; `start` and `end` are its edges. */
export interface Steps {
  readonly startMs: number;
  /** Excluded. */
  readonly endMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** Beginnings of the steps, ascending. */
export function timesOf({ startMs, stepMs, count }: Steps): number[] {
  return Array.from({ length: count }, (_, place) => startMs + place * stepMs);
}

/**
 * The steps that cover a range wholly: multiples of the step, in UTC. A range of exactly one step is that step, wherever
 * it begins.
 *
 * @param asked null: the one of the ladder that makes about 240 steps
 * @param leastMs never below: how often points come
 * @throws {InvalidQuery} for a range or step that cannot be
 */
export function stepsFor(
  { start, end }: { readonly start: Date; readonly end: Date },
  asked: number | null,
  leastMs: number,
): Steps {
  const [from, to] = [start.getTime(), end.getTime()];
  if (Number.isNaN(from) || Number.isNaN(to)) throw new InvalidQuery(t("The time is not a date."));
  if (from >= to) {
    throw new InvalidQuery(t("The time range is empty: its start must lie before its end."));
  }
  if (asked !== null) checkStep(asked);
  if (asked === to - from) return { startMs: from, endMs: to, stepMs: asked, count: 1 };
  const stepMs = atLeast(asked ?? chosenStep(to - from), leastMs);
  const startMs = Math.floor(from / stepMs) * stepMs;
  const endMs = Math.ceil(to / stepMs) * stepMs;
  const count = Math.round((endMs - startMs) / stepMs);
  if (count > MAX_STEPS) {
    throw new InvalidQuery(
      t(
        "A step of {seconds} s makes {count} steps; choose a longer step or a shorter time: there are at most {most}.",
        { seconds: stepMs / SECOND_MS, count, most: MAX_STEPS },
      ),
    );
  }
  return { startMs, endMs, stepMs, count };
}

/** The same steps, earlier by a whole number of them that is at least their time. */
export function stepsBefore(steps: Steps): Steps {
  const length = steps.count * steps.stepMs;
  return { ...steps, startMs: steps.startMs - length, endMs: steps.endMs - length };
}

/** One step over the whole time. */
export function wholeOf({ startMs, endMs }: Steps): Steps {
  return { startMs, endMs, stepMs: endMs - startMs, count: 1 };
}

function checkStep(stepMs: number): void {
  const isWhole = Number.isSafeInteger(stepMs) && stepMs % SECOND_MS === 0;
  if (isWhole && stepMs >= SECOND_MS && stepMs <= MAX_STEP_MS) return;
  throw new InvalidQuery(t("A step is a whole number of seconds, at least 1 and at most a year."));
}

function chosenStep(lengthMs: number): number {
  const [longest = DAY_MS] = LADDER_MS.slice(-1);
  return LADDER_MS.find((step) => lengthMs / step <= USUAL_STEPS) ??
    Math.ceil(lengthMs / USUAL_STEPS / longest) * longest;
}

/** Onto the ladder, when points come less often than the step. */
function atLeast(stepMs: number, leastMs: number): number {
  if (stepMs >= leastMs) return stepMs;
  return LADDER_MS.find((step) => step >= leastMs) ?? Math.ceil(leastMs / DAY_MS) * DAY_MS;
}

const SERIES = 20;
const SPAN_MS = 10 * MINUTE_MS;
/** Of less nobody can tell what is usual. */
const MIN_DISTANCES = 3;
const JITTER = 0.9;

/**
 * How often the points of a metric come, in milliseconds; 0: unknown. Of a metric that is too young to have been
 * measured, by its newest points before a time.
 */
export async function usualIntervalOf(
  services: ReadServices,
  projectId: string,
  metric: StoredMetric | null,
  endMs: number,
): Promise<number> {
  if (metric === null) return 0;
  if (metric.usualIntervalMs > 0) return metric.usualIntervalMs;
  const series = await seriesOf(services.sql, projectId, metric.metricId);
  if (series.length === 0) return 0;
  const read = await readRaw(services, projectId, {
    metricId: metric.metricId,
    kind: metric.kind,
    seriesIds: series.slice(0, SERIES).map(({ seriesId }) => seriesId),
    startMs: endMs - SPAN_MS,
    endMs,
  });
  return medianOf(
    read.series.flatMap(({ times }) => distancesOf(times)),
  );
}

/** The shortest step that makes sense where points come in such intervals; points come a little early or late. */
export function leastStep(intervalsMs: readonly number[]): number {
  return Math.min(Math.max(0, ...intervalsMs) * JITTER, HOUR_MS);
}

function distancesOf(times: ArrayLike<number>): number[] {
  return Array.from(
    { length: Math.max(0, times.length - 1) },
    (_, place) => (times[place + 1] ?? 0) - (times[place] ?? 0),
  );
}

function medianOf(values: number[]): number {
  if (values.length < MIN_DISTANCES) return 0;
  return values.sort((some, other) => some - other)[Math.floor(values.length / 2)] ?? 0;
}
