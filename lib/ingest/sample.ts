import { type Batch, countOf, type TelemetryRecord } from "../records/mod.ts";

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
