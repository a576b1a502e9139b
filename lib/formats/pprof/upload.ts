import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { createHash } from "node:crypto";
import type { DecodeContext } from "../decode_context.ts";
import type { Batch, Profile } from "../../records/mod.ts";
import { readTime } from "../event_time.ts";
import { clippedName } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { gzipProfile, inflatePprof, isGzip } from "./compression.ts";
import { type DecodedPprof, decodePprof } from "./decode.ts";
import { badParameter, PprofError, repairsInWords, unreadableProfile } from "./faults.ts";
import { LabelValues, type SenderFacts, traceLabelOf, withLabels } from "./labels.ts";
import { type ProfileFacts, profileRecord, startOf } from "./profile_record.ts";
import type { ValueType } from "./profile.ts";

/** One profile on its way in. */
export interface Upload extends DecodedPprof {
  /** The message itself. */
  readonly plain: Uint8Array;
  /** What is stored: gzip-compressed. */
  readonly bytes: Uint8Array;
}

/** A batch of one profile. */
export interface UploadBatch extends Batch {
  readonly answer: UploadAnswer;
}

/**
 * Reads a pprof, compressed or not.
 *
 * @throws {Refusal} 400 with what is wrong and where, 413 when it is larger than any that is taken
 */
export function readUpload(body: Uint8Array): Upload {
  try {
    const plain = inflatePprof(body);
    return { ...decodePprof(plain), plain, bytes: compressed(body, plain) };
  } catch (error) {
    if (error instanceof PprofError) throw unreadableProfile(error);
    throw error;
  }
}

/** What is said of an upload beside what the upload itself decides. */
type UploadFacts =
  & Omit<
    ProfileFacts,
    "bytes" | "original" | "platform" | "profileId" | "source" | keyof Surroundings
  >
  & { readonly platform?: string };

type Surroundings = Pick<DecodeContext, "projectId" | "receivedAt" | "retentionDays" | "policy">;

/** Makes the record of an upload, unless the project does not want it. */
export function uploadBatch(
  upload: Upload,
  facts: UploadFacts,
  context: DecodeContext,
): UploadBatch {
  const { projectId, receivedAt, retentionDays, policy } = context;
  const profileId = uploadId(upload, facts);
  const record = profileRecord(upload.profile, {
    platform: "",
    ...facts,
    ...{ projectId, receivedAt, retentionDays, policy },
    source: "pprof",
    bytes: upload.bytes,
    profileId,
  });
  const { isReplaced } = startOf(upload.profile, { ...facts, receivedAt, retentionDays });
  const unwanted = policy.filterOther(facts.release, context);
  return {
    records: unwanted === null ? [record] : [],
    outcomes: unwanted === null
      ? []
      : [{ category: "profile", kind: "filtered", reason: unwanted, quantity: 1 }],
    eventId: profileId,
    answer: uploadAnswer(upload, record, isReplaced),
  };
}

/** The same for the same upload: clients send again what they got no answer for. */
function uploadId({ plain }: Upload, { service, environment, from }: UploadFacts): string {
  const said = [service, environment, from?.toISOString() ?? ""].join("\0");
  return createHash("sha256").update(plain).update(`\0${said}`).digest("hex").slice(0, 32);
}

function compressed(body: Uint8Array, plain: Uint8Array): Uint8Array {
  return isOneGzipOf(plain.length, body) ? body : gzipProfile(plain);
}

/** Its last four bytes say how long the content of its last member is: they tell two layers or two members from one. */
function isOneGzipOf(length: number, body: Uint8Array): boolean {
  if (body.length < 18 || !isGzip(body)) return false;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  return view.getUint32(body.length - 4, true) === length;
}

/** What an upload is answered with. */
interface UploadAnswer {
  readonly id: string;
  readonly sample_types: readonly ValueType[];
  readonly samples: number;
  readonly duration_ms: number;
  /** What could not be used as it was sent, each in words. Absent when nothing was repaired. */
  readonly repaired?: readonly string[];
}

/** @param isTimeReplaced the profile's own time could not be used */
function uploadAnswer(
  { profile, repairs }: DecodedPprof,
  { profileId, samples, durationMs }: Profile,
  isTimeReplaced: boolean,
): UploadAnswer {
  const repaired = repairsInWords(repairs);
  if (isTimeReplaced) repaired.push("no usable time: it is that of receipt");
  return {
    id: profileId,
    sample_types: profile.sampleTypes.map(({ type, unit }) => ({ type, unit })),
    samples,
    duration_ms: durationMs,
    ...(repaired.length > 0 && { repaired }),
  };
}

/** What the address of an upload says. */
export interface UploadParameters extends SenderFacts, TimeRange {
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly transaction: string;
  readonly kindHint: string;
  readonly labels: LabelValues;
}

/** Parameters of an address as the spool keeps it: path and query. */
export function queryOf({ address }: Pick<DecodeContext, "address">): URLSearchParams {
  return new URL(address, "http://localhost").searchParams;
}

/** Reads the parameters. @throws {Refusal} 400 with the name of the first that can not be read */
export function readUploadParameters(context: DecodeContext): UploadParameters {
  const query = queryOf(context);
  const labels = new LabelValues();
  const ids: LabelIds = { traceId: null, spanId: null };
  for (const [key, value] of labelsIn(query)) addLabel(key, value, labels, ids);
  const stated = {
    service: nameIn(query, "service"),
    environment: nameIn(query, "environment", TEXT.word),
    release: nameIn(query, "release"),
    instance: nameIn(query, "instance"),
  };
  return {
    ...withLabels(stated, labels),
    ...timeRange(query, context.receivedAt),
    traceId: idIn(query, "trace_id", readTraceId, 32) ?? ids.traceId,
    spanId: idIn(query, "span_id", readSpanId, 16) ?? ids.spanId,
    transaction: nameIn(query, "transaction"),
    kindHint: nameIn(query, "type", TEXT.word),
    labels,
  };
}

function nameIn(query: URLSearchParams, name: string, limit: number = TEXT.name): string {
  return clippedName(query.get(name), limit) ?? "";
}

function idIn(
  query: URLSearchParams,
  name: string,
  read: (text: string) => string | undefined,
  digits: number,
): string | null {
  const text = query.get(name)?.trim() ?? "";
  if (text === "") return null;
  const id = read(text);
  if (id === undefined) throw badParameter(name, `is no id of ${digits} hexadecimal digits`);
  return id;
}

/** `labels=a=1,b=2`, any number of times, and `label.c=3`. */
function* labelsIn(query: URLSearchParams): Iterable<readonly [key: string, value: string]> {
  for (const [name, value] of query) {
    if (name.startsWith("label.")) yield [name.slice("label.".length), value];
    if (name !== "labels") continue;
    for (const pair of value.split(",")) {
      if (pair.trim() === "") continue;
      const equals = pair.indexOf("=");
      if (equals < 1) throw badParameter("labels", `has "${pair}", which is not key=value`);
      yield [pair.slice(0, equals), pair.slice(equals + 1)];
    }
  }
}

interface LabelIds {
  traceId: string | null;
  spanId: string | null;
}

/** A label that names a trace says where the whole profile belongs. */
function addLabel(key: string, value: string, labels: LabelValues, ids: LabelIds): void {
  const meaning = traceLabelOf(key);
  if (meaning === "trace_id") ids.traceId ??= readTraceId(value) ?? null;
  else if (meaning !== null) ids.spanId ??= readSpanId(value) ?? null;
  else labels.add(key, value);
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};
const RELATIVE = /^now(?:-(\d{1,9})(ms|s|m|h|d))?$/;

/**
 * The time that a parameter names: seconds, milli-, micro- or nanoseconds since 1970, ISO 8601, `now`, or `now-1h`.
 *
 * @param now what `now` means
 * @returns null when the parameter is absent or empty
 * @throws {Refusal} 400 when it can not be read
 */
export function timeParameter(query: URLSearchParams, name: string, now: Date): Date | null {
  const text = query.get(name)?.trim() ?? "";
  if (text === "") return null;
  const relative = RELATIVE.exec(text);
  const [, count = "0", unit = "s"] = relative ?? [];
  const ms = relative === null
    ? (readTime(text) ?? NaN) * 1000
    : now.getTime() - Number(count) * (UNITS_MS[unit] ?? 0);
  // Not `<`: what is no time is no number.
  if (!(ms >= 0)) {
    throw badParameter(name, "is no time: use seconds since 1970, ISO 8601, or now-1h");
  }
  return new Date(ms);
}

/** When a profile began and ended, as the address says. */
export interface TimeRange {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** Reads `from` and `until`. @throws {Refusal} 400 when they can not be read, or are the wrong way round */
export function timeRange(query: URLSearchParams, now: Date): TimeRange {
  const from = timeParameter(query, "from", now);
  const until = timeParameter(query, "until", now);
  if (from !== null && until !== null && until < from) {
    throw badParameter("until", "is before from");
  }
  return { from, until };
}
