/** Makes records of what is imported, by the decoders that requests go through. */
import { createHash } from "node:crypto";
import { Refusal } from "../../core/refusal.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import { isBeforeRetention, readTime } from "../../formats/event_time.ts";
import { asObject, type Raw, readText } from "../../formats/fields.ts";
import { blobKey, readEventId } from "../../formats/ids.ts";
import { decodeLogs, decodeTraces } from "../../formats/otlp/decode.ts";
import { logBatch } from "../../formats/otlp/logs.ts";
import { MetricTaker } from "../../formats/otlp/metric_taker.ts";
import { decodeMetrics } from "../../formats/otlp/metrics_decode.ts";
import { traceBatch } from "../../formats/otlp/traces.ts";
import { eventOfApi } from "../../formats/sentry/api_event.ts";
import { decodeItems } from "../../formats/sentry/items.ts";
import type { Batch, LogRecord, Outcome, TelemetryRecord } from "../../records/mod.ts";
import { type CameFrom, type Counts, LOG_ID, readSourceId, sumOf } from "../../transfers/mod.ts";
import { importedProfile } from "./imported_profile.ts";
import type { Item, ItemKind } from "./items.ts";
import { restored, spanParts } from "./restore_spans.ts";

/** What an item turns into. */
export interface Taken {
  readonly records: readonly TelemetryRecord[];
  /** What is not among the records. */
  readonly counts: Counts;
  readonly cameFrom: readonly CameFrom[];
}

/** What items are decoded with. */
export interface ItemScene {
  /** Of a moment; of each kind of data the days that are kept of it. */
  readonly context: (kind: ItemKind, requestId: string, receivedAt: Date) => DecodeContext;
  readonly now: Date;
  /** The bytes of another file of the same archive; null: there is none. */
  readonly file: (name: string) => Promise<Uint8Array | null>;
  /** What is imported has its errors in a file of their own: none are made of logs and spans. */
  readonly hasErrors: boolean;
}

const NOTHING: Taken = { records: [], counts: {}, cameFrom: [] };
const UNREADABLE: Taken = { ...NOTHING, counts: { unreadable: 1 } };
const TOO_OLD: Taken = { ...NOTHING, counts: { too_old: 1 } };

/** Never throws for what is in an item. */
export async function takeItem(item: Item, scene: ItemScene): Promise<Taken> {
  try {
    return await decodeItem(item, scene);
  } catch (error) {
    if (error instanceof Refusal) return UNREADABLE;
    throw error;
  }
}

async function decodeItem({ kind, raw }: Item, scene: ItemScene): Promise<Taken> {
  switch (kind) {
    case "event":
      return eventItem(raw, scene);
    case "transaction":
      return envelopeItem("transaction", raw, raw.received, scene);
    case "attachment":
      return await attachmentItem(raw, scene);
    case "spans":
      return spanItems(raw, scene);
    case "logs":
      return logItems(raw, scene);
    case "metrics":
      return metricItems(raw, scene);
    case "profile":
      return await profileItem(raw, scene);
    case "feedback":
      return feedbackItem(raw, scene);
    case "release":
    case "check_in":
    case "sessions":
    case "artifacts":
    case "issue":
    case "settings":
    case "history":
      return NOTHING;
  }
}

const encoder = new TextEncoder();

function bytesOf(raw: Raw): Uint8Array {
  return encoder.encode(JSON.stringify(raw));
}

/** The same for the same content: what is imported twice is recognised. */
function idOf(bytes: Uint8Array): string {
  const hex = createHash("md5").update(bytes).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function eventItem(raw: Raw, scene: ItemScene): Taken {
  const api = eventOfApi(raw);
  const { issue, ...own } = raw;
  const event = api?.event ?? own;
  const eventId = readEventId(event.event_id);
  if (eventId === undefined || raw.type === "transaction") return UNREADABLE;
  const taken = envelopeItem("event", event, api === null ? raw.received : api.received, scene);
  const sourceId = readSourceId(api === null ? asObject(issue)?.id : api.issueId);
  return sourceId !== undefined && taken.records.length > 0
    ? { ...taken, cameFrom: [{ eventId, sourceId }] }
    : taken;
}

const HEADER = { eventId: null, dsn: null, sentAt: null, sdk: null, trace: null };

/** @param received when it was received for the first time, as somebody says */
function envelopeItem(
  type: "event" | "transaction" | "feedback",
  raw: Raw,
  received: unknown,
  { context, now }: ItemScene,
): Taken {
  const payload = bytesOf(raw);
  const time = readTime(raw.timestamp);
  const at = new Date(Math.min((readTime(received) ?? time ?? Infinity) * 1_000, now.getTime()));
  const decoder = context(type, idOf(payload), at);
  const { retentionDays } = decoder;
  if (time !== undefined && isBeforeRetention(time, { receivedAt: now, retentionDays })) {
    return TOO_OLD;
  }
  const items = [{ type, header: {}, payload }];
  return takenOf(decodeItems({ header: HEADER, items, lost: 0 }, decoder));
}

/** Whoever read it there need not do so again. */
function feedbackItem({ is_resolved: isResolved, ...raw }: Raw, scene: ItemScene): Taken {
  const taken = envelopeItem("feedback", raw, raw.received, scene);
  if (isResolved !== true) return taken;
  return {
    ...taken,
    records: taken.records.map((record) =>
      record.kind === "feedback" ? { ...record, isResolved } : record
    ),
  };
}

async function attachmentItem(raw: Raw, { context, now, file }: ItemScene): Promise<Taken> {
  const [eventId, attachmentId] = [readEventId(raw.eventId), readEventId(raw.attachmentId)];
  const payload = await file(readText(raw.file) ?? "");
  if (eventId === undefined || attachmentId === undefined || payload === null) return UNREADABLE;
  const at = new Date(Math.min((readTime(raw.timestamp) ?? Infinity) * 1_000, now.getTime()));
  const decoder = context("attachment", idOf(bytesOf(raw)), at);
  const { projectId, retentionDays } = decoder;
  if (isBeforeRetention(at.getTime() / 1_000, { receivedAt: now, retentionDays })) return TOO_OLD;
  const header = {
    filename: readText(raw.filename) ?? "",
    content_type: readText(raw.contentType) ?? "",
    attachment_type: readText(raw.attachmentType) ?? "event.attachment",
  };
  const items = [{ type: "attachment", header, payload }];
  const batch = decodeItems({ header: { ...HEADER, eventId }, items, lost: 0 }, decoder);
  const key = blobKey("attachments", projectId, at, attachmentId);
  const records = batch.records.map((record) =>
    record.kind === "attachment"
      ? { ...record, attachmentId, blob: { ...record.blob, key } }
      : record
  );
  return takenOf({ ...batch, records });
}

const JSON_TYPE = "application/json";

function spanItems(raw: Raw, scene: ItemScene): Taken {
  const { plain, others } = spanParts(raw);
  const decode = (resourceSpans: readonly Raw[]) => {
    const bytes = bytesOf({ resourceSpans });
    const context = scene.context("spans", idOf(bytes), scene.now);
    return takenOf(traceBatch(decodeTraces(bytes, JSON_TYPE), context), scene);
  };
  const parts = others.map(({ request, rest }) => {
    const taken = decode([request]);
    return { ...taken, records: restored(taken.records, rest) };
  });
  return joined(plain.length === 0 ? parts : [decode(plain), ...parts]);
}

function logItems(raw: Raw, scene: ItemScene): Taken {
  const bytes = bytesOf(raw);
  const context = scene.context("logs", idOf(bytes), scene.now);
  const taken = takenOf(logBatch(decodeLogs(bytes, JSON_TYPE), context), scene);
  return {
    ...taken,
    records: taken.records.map((record) => record.kind === "log" ? withOwnId(record) : record),
  };
}

/** Whoever exported a log record has given it an id, which does not belong to what it says. */
function withOwnId(log: LogRecord): LogRecord {
  if (!log.attributes.includes(LOG_ID)) return log;
  const { [LOG_ID]: id, ...attributes } = JSON.parse(log.attributes);
  const logId = readEventId(id);
  return logId === undefined ? log : { ...log, logId, attributes: JSON.stringify(attributes) };
}

function metricItems(raw: Raw, scene: ItemScene): Taken {
  const bytes = bytesOf(raw);
  const taker = new MetricTaker(scene.context("metrics", idOf(bytes), scene.now));
  decodeMetrics(bytes, JSON_TYPE, taker);
  return takenOf(taker.finish());
}

async function profileItem(raw: Raw, { context, now, file }: ItemScene): Promise<Taken> {
  const bytes = await file(readText(raw.file) ?? "");
  if (bytes === null) return UNREADABLE;
  const decoder = context("profile", idOf(bytesOf(raw)), now);
  const sent = readText(raw.original);
  const original = sent === undefined ? null : await file(sent);
  const profile = importedProfile(raw, bytes, original, decoder);
  if (profile === null) return UNREADABLE;
  if (profile === "too old") return TOO_OLD;
  const unwanted = decoder.policy.filterOther(profile.release, decoder);
  return unwanted === null
    ? { ...NOTHING, records: [profile] }
    : { ...NOTHING, counts: { dropped: 1 } };
}

function takenOf({ records, outcomes }: Batch, scene?: ItemScene): Taken {
  return {
    records: scene?.hasErrors ? records.filter(({ kind }) => kind !== "error") : records,
    counts: outcomes.map(countOfOutcome).reduce(sumOf, {}),
    cameFrom: [],
  };
}

function countOfOutcome({ kind, reason, quantity }: Outcome): Counts {
  if (kind === "duplicate") return { there_already: quantity };
  return /time|old|retention/.test(reason) ? { too_old: quantity } : { dropped: quantity };
}

function joined(parts: readonly Taken[]): Taken {
  return {
    records: parts.flatMap(({ records }) => records),
    counts: parts.map(({ counts }) => counts).reduce(sumOf, {}),
    cameFrom: [],
  };
}
