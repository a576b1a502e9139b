import type { Ingest } from "../accounts/ingest_lookup.ts";
import { settingsOf } from "../accounts/projects.ts";
import type { RateLimiter } from "../accounts/rates.ts";
import { Refusal } from "../core/refusal.ts";
import { overSeriesLimit } from "../formats/metrics/limits.ts";
import type { SeriesLimits } from "../metrics/series_limits.ts";
import {
  type Batch,
  countOf,
  type MetricBatch,
  type Outcome,
  type TelemetryRecord,
} from "../records/mod.ts";

/**
 * Spends a permit of the key's own rate, one of the project's, and one of its organization's month.
 *
 * @param instanceRatePerSec requests a second that no project may exceed; twice that in a burst
 * @throws {Refusal} 429 when there is none left
 */
export async function admit(
  target: Ingest,
  instanceRatePerSec: number,
  rates: RateLimiter,
): Promise<void> {
  const { project, key, monthlyQuota } = target;
  if (key.ratePerSec) {
    const own = await rates.take(keyBucket(target), key.ratePerSec);
    if (!own.ok) throw overRate(project.id, "key", own.retryAfterSec);
  }
  const ratePerSec = Math.min(settingsOf(project).ratePerSec ?? Infinity, instanceRatePerSec);
  const rate = await rates.take(project.id, ratePerSec);
  if (!rate.ok) throw overRate(project.id, "project", rate.retryAfterSec);
  const quota = await rates.takeMonthly(project.organizationId, monthlyQuota, 1);
  if (!quota.ok) throw overQuota(project.id, quota.retryAfterSec);
}

/**
 * Spends what a body takes of its organization's bytes of the month.
 *
 * @param bytes as it was sent
 * @throws {Refusal} 429 when there are not so many left: a smaller one may still be taken
 */
export async function admitBytes(
  { project, monthlyBytes = 0 }: Pick<Ingest, "project" | "monthlyBytes">,
  bytes: number,
  rates: RateLimiter,
): Promise<void> {
  if (bytes === 0) return;
  const quota = await rates.takeMonthly(project.organizationId, monthlyBytes, bytes, "bytes");
  if (!quota.ok) throw overQuota(project.id, quota.retryAfterSec, "monthly_bytes");
}

/** A refusal that holds until the project's next permits come, of everything that asks in the same way. */
interface SpentRate {
  readonly bucket: string;
  readonly target: Ingest;
  readonly refusal: Refusal;
}

/** Beyond that many ways to ask, what is known is forgotten: it is asked for anew. */
const MAX_KNOWN = 1_000;

/**
 * What is known to be over its rate. Nothing is read for such a request: permits come up to ten times a second, and until
 * then the answer stays the same, whoever sends the request.
 */
export class SpentRates {
  readonly #known = new Map<string, SpentRate>();

  constructor(private readonly rates: Pick<RateLimiter, "isSpent">) {}

  /** The refusal of a claim that was refused a moment ago; null when there may be a permit, or nobody knows. */
  find(way: string): Pick<SpentRate, "target" | "refusal"> | null {
    const known = this.#known.get(way);
    if (known === undefined) return null;
    if (this.rates.isSpent(known.bucket)) return known;
    this.#known.delete(way);
    return null;
  }

  /** Keeps a refusal of `admit()`. */
  note(way: string, target: Ingest, refusal: Refusal): void {
    const { reason } = refusal.outcome;
    if (reason !== "project_rate" && reason !== "key_rate") return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const bucket = reason === "key_rate" ? keyBucket(target) : target.project.id;
    this.#known.set(way, { bucket, target, refusal });
  }
}

function keyBucket({ project, key }: Ingest): string {
  return `${project.id}:${key.id}`;
}

function overRate(
  projectId: string,
  scope: "project" | "key",
  retryAfterSec: number,
): Refusal {
  return new Refusal(
    429,
    `This ${scope} sends more requests a second than it may`,
    { kind: "rate_limited", reason: `${scope}_rate`, projectId },
    limitHeaders(retryAfterSec, scope, "rate_limit"),
  );
}

function overQuota(
  projectId: string,
  retryAfterSec: number,
  reason: "monthly_quota" | "monthly_bytes" = "monthly_quota",
): Refusal {
  const end = new Date(Date.now() + retryAfterSec * 1000).toISOString().slice(0, 10);
  return new Refusal(
    429,
    `This organization has used up its quota for the month: the next one begins on ${end}`,
    { kind: "over_quota", reason, projectId },
    limitHeaders(retryAfterSec, "organization", reason),
  );
}

/**
 * Tells SDKs to keep quiet for so many whole seconds, in the two headers that they read. The categories are left empty, which means
 * all of them, since the limit is on requests. No blanks: PHP's SDK would not understand the number.
 */
function limitHeaders(
  retryAfterSec: number,
  scope: "project" | "organization" | "key",
  reason: string,
): Record<string, string> {
  return {
    "retry-after": String(retryAfterSec),
    "x-sentry-rate-limits": `${retryAfterSec}::${scope}:${reason}`,
  };
}

/**
 * Takes the series out of `batch` that are more than a project may have, and counts their points as refused, by metric.
 */
export async function limitSeries<B extends Batch>(
  batch: B,
  projectId: string,
  limits: SeriesLimits,
): Promise<B> {
  if (!batch.records.some(({ kind }) => kind === "metrics")) return batch;
  const records: TelemetryRecord[] = [];
  const outcomes: Outcome[] = [...batch.outcomes];
  for (const record of batch.records) {
    if (record.kind !== "metrics") {
      records.push(record);
      continue;
    }
    const { admitted, rejected } = await limits.admit(projectId, record);
    for (const refusal of refusals(rejected)) outcomes.push(refusal);
    if (admitted === "all") records.push(record);
    else if (admitted.length > 0) records.push(withSeries(record, admitted));
  }
  return { ...batch, records, outcomes };
}

function withSeries(
  { kind, batchId, timestamp, receivedAt }: MetricBatch,
  series: MetricBatch["series"],
): MetricBatch {
  return { kind, batchId, timestamp, receivedAt, series, pointCount: countPoints(series) };
}

function refusals(rejected: MetricBatch["series"]): Outcome[] {
  return [...Map.groupBy(rejected, ({ metric }) => metric.name)].map(([name, series]) => ({
    category: "trace_metric",
    kind: "refused",
    reason: overSeriesLimit(name),
    quantity: countPoints(series),
  }));
}

function countPoints(series: MetricBatch["series"]): number {
  return series.reduce((sum, { points }) => sum + points.length, 0);
}

/**
 * Whether a trace is kept at `rate`. The answer depends on the trace id alone, so that a trace is kept
 * or dropped whole, whichever protocol, request or instance its parts arrive through.
 *
 * @param traceId 32 lower-case hex digits
 * @param rate share of traces to keep, 0 to 1
 */
export function keep(traceId: string, rate: number): boolean {
  return rate >= 1 || unitHash(traceId) < rate;
}

/**
 * Takes the records out of `batch` that their trace's sampling drops, and counts them as sampled. Only performance
 * data is sampled: a trace's transactions, spans and SDK profiles are kept or dropped together.
 */
export function sample(batch: Batch, rate: number): Batch {
  if (rate >= 1) return batch;
  const records: TelemetryRecord[] = [];
  const outcomes = [...batch.outcomes];
  for (const record of batch.records) {
    if (isKept(record, rate)) records.push(stamped(record, rate));
    else outcomes.push({ ...countOf(record), kind: "sampled", reason: "sample_rate" });
  }
  return { ...batch, records, outcomes };
}

/** Tells performance data what share of it is kept, so that counts can be extrapolated. */
function stamped(record: TelemetryRecord, rate: number): TelemetryRecord {
  return record.kind === "transaction" || record.kind === "spans"
    ? { ...record, serverSampleRate: rate }
    : record;
}

function isKept(record: TelemetryRecord, rate: number): boolean {
  switch (record.kind) {
    case "transaction":
    case "spans":
      return keep(record.traceId, rate);
    case "profile":
      // Chunks of a continuous profiler belong to no single trace; what is uploaded was meant to be kept.
      return !record.source.startsWith("sentry") || record.traceId === null ||
        keep(record.traceId, rate);
    default:
      return true;
  }
}

const TWO_POW_32 = 2 ** 32;
const TWO_POW_53 = 2 ** 53;

/**
 * Hashes 32 hex digits to [0, 1) evenly, with 53 bits. The digits themselves would not do: UUID-made
 * trace ids have fixed version bits.
 */
function unitHash(traceId: string): number {
  let low = 0;
  let high = 0x9e3779b9; // Another start than `low`, so that the two halves differ.
  for (let i = 0; i < 32; i += 8) {
    const word = parseInt(traceId.slice(i, i + 8), 16);
    low = mix(low ^ word);
    high = mix(high ^ word);
  }
  return ((high & 0x1fffff) * TWO_POW_32 + (low >>> 0)) / TWO_POW_53;
}

/** The finalizer of MurmurHash3: every input bit changes every output bit with even odds. */
function mix(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
