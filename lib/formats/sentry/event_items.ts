import type { ErrorEvent, Feedback, Outcome, TelemetryRecord } from "../../records/mod.ts";
import { type EventTime, eventTime } from "../event_time.ts";
import { asObject, clip, clippedName, readText } from "../fields.ts";
import { readEventId, recordId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { readSecurityReport, type SecurityReport } from "./csp.ts";
import type { Item } from "./envelope.ts";
import { toErrorEvent } from "./error_event.ts";
import {
  clockOf,
  decoded,
  eventJsonOf,
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  objectOf,
  refuseFiltered,
} from "./item_decoder.ts";
import { normalizeEvent } from "./normalize.ts";
import type { NormalizedEvent } from "./normalized_event.ts";
import { userKey } from "./surroundings.ts";

/** An error or a message. */
export const decodeEvent: ItemDecoder = (item, context) =>
  decoded(errorRecord(eventJsonOf(item, context.policy), context, item.payload.length));

/**
 * The record of an event, after all that the project's settings make of it.
 *
 * @param raw a parsed event, which is taken over and changed in place
 * @param rawBytes its size as it was sent
 * @throws {ItemError} when it is no event, or one that the project does not want
 */
function errorRecord(raw: unknown, context: ItemContext, rawBytes: number): ErrorEvent {
  const { policy } = context;
  const result = toErrorEvent(raw, {
    ...clockOf(context),
    eventId: context.eventId,
    clientAddress: policy.keepsAddresses ? context.clientAddress : null,
    rawBytes,
    filter: (event) => policy.filterEvent(event, context),
    scrub: (event) => policy.scrubEvent(event),
    fingerprint: (event) => policy.fingerprintOf(event),
    ...context.drafts && { drafts: context.drafts },
  });
  if ("dropped" in result) throw new ItemError(result.dropped.kind, result.dropped.reason);
  return result;
}

/** Browsers queue a few dozen. */
const MAX_REPORTS = 200;

/** A report of a browser, or a list of them, forwarded by an SDK or proxy: an event each. */
export const decodeSecurity: ItemDecoder = (item, context) => {
  const sent = jsonOf(item);
  const list = Array.isArray(sent) ? sent.slice(0, MAX_REPORTS) : [sent];
  const records: TelemetryRecord[] = [];
  const outcomes: Outcome[] = [];
  let invalid = 0;
  for (const [index, each] of list.entries()) {
    const report = readSecurityReport(each);
    if (report === null) {
      invalid++;
      continue;
    }
    try {
      records.push(eventOf(report, index, context));
    } catch (error) {
      if (!(error instanceof ItemError)) throw error;
      const { kind, reason } = error;
      outcomes.push({ category: "security", kind, reason, quantity: 1 });
    }
  }
  if (records.length + outcomes.length === 0) {
    throw new ItemError("invalid", "no_security_report");
  }
  if (invalid > 0) {
    const reason = "no_security_report";
    outcomes.push({ category: "security", kind: "invalid", reason, quantity: invalid });
  }
  return { records, outcomes };
};

function eventOf({ csp, url, userAgent }: SecurityReport, index: number, context: ItemContext) {
  const query = new URL(context.address, "http://local.invalid").searchParams;
  const agent = userAgent ?? context.userAgent;
  const raw = {
    logger: "csp",
    platform: "javascript",
    level: "error",
    release: query.get("sentry_release"),
    environment: query.get("sentry_environment"),
    csp,
    request: { url, headers: agent === null ? [] : [["User-Agent", agent]] },
  };
  return errorRecord(raw, { ...context, eventId: idIn(context, `report ${index}`) }, 0);
}

const MAX_MESSAGE = 4_096;

/** What a person wrote in the feedback widget, or a program sent for them. */
export const decodeFeedback: ItemDecoder = (item, context) => {
  const { event } = readEventLike(item, context, []);
  const unwanted = context.policy.filterEvent(event, context);
  if (unwanted !== null) throw new ItemError("filtered", unwanted);
  const sent = asObject(event.contexts?.feedback) ?? {};
  const text = {
    message: messageOf(sent.message ?? event.logentry?.formatted ?? event.logentry?.message),
    name: clippedName(sent.name, TEXT.name) ?? "",
    email: clippedName(sent.contact_email, TEXT.name) ?? "",
    url: clip(readText(sent.url), TEXT.url) ?? event.request?.url ?? "",
  };
  const eventId = readEventId(sent.associated_event_id) ?? null;
  context.policy.scrubEvent(event);
  const feedback: Feedback = {
    kind: "feedback",
    feedbackId: event.event_id,
    eventId,
    ...text,
    message: context.policy.scrubText(text.message),
    url: context.policy.scrubText(text.url),
    source: clippedName(sent.source, TEXT.word) ?? "api",
    platform: event.platform,
    user: userKey(event.user),
    traceId: event.contexts?.trace?.trace_id ?? null,
    spanId: event.contexts?.trace?.span_id ?? null,
    timestamp: new Date(event.timestamp * 1000),
    receivedAt: context.receivedAt,
    environment: event.environment ?? "",
    release: event.release ?? "",
    payload: JSON.stringify(event),
  };
  return decoded(feedback);
};

/** The older form: a comment on an event. */
export const decodeUserReport: ItemDecoder = (item, context) => {
  const raw = objectOf(item);
  refuseFiltered("", context);
  const eventId = readEventId(raw.event_id) ?? context.companionId;
  if (eventId === null) throw new ItemError("invalid", "no_event_id");
  const message = messageOf(raw.comments);
  const feedback: Feedback = {
    kind: "feedback",
    // Clients repeat a report as a whole: the same words on the same event are the same.
    feedbackId: recordId(eventId, "user_report", message, readText(raw.email) ?? ""),
    eventId,
    message: context.policy.scrubText(message),
    name: clippedName(raw.name, TEXT.name) ?? "",
    email: clippedName(raw.email, TEXT.name) ?? "",
    url: "",
    source: "user_report",
    platform: "other",
    user: null,
    traceId: null,
    spanId: null,
    timestamp: context.receivedAt,
    receivedAt: context.receivedAt,
    environment: "",
    release: "",
    payload: "{}",
  };
  return decoded(feedback);
};

/** @throws {ItemError} when nothing was written */
function messageOf(sent: unknown): string {
  const message = clip(readText(sent)?.trim(), MAX_MESSAGE)?.toWellFormed();
  if (!message) throw new ItemError("invalid", "empty_message");
  return message;
}

/** An item that has an event's fields and another meaning: a transaction, feedback. */
export interface EventLike {
  readonly event: NormalizedEvent;
  /** The fields as sent that events do not have. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly time: EventTime;
}

/**
 * Normalises what is sent in an event's clothes.
 *
 * @param ownFields names of fields that normalising events would drop
 * @throws {ItemError}
 */
export function readEventLike(
  item: Item,
  context: ItemContext,
  ownFields: readonly string[],
): EventLike {
  const raw = objectOf(item);
  const own = Object.fromEntries(ownFields.map((field) => [field, raw[field]]));
  for (const field of ownFields) raw[field] = undefined;
  const time = eventTime(raw.timestamp, clockOf(context));
  raw.type = undefined;
  raw.level ??= "info";
  const result = normalizeEvent(raw, {
    ...clockOf(context),
    eventId: context.eventId,
    clientAddress: context.policy.keepsAddresses ? context.clientAddress : null,
    rawBytes: item.payload.length,
  });
  if ("invalid" in result) throw new ItemError("invalid", result.invalid);
  return { event: result.event, own, time };
}
