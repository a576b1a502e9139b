import type { Feedback } from "../../records/mod.ts";
import { recordId } from "../record_id.ts";
import { asObject, clip, clippedName, readText } from "../fields.ts";
import { readEventId } from "../ids.ts";
import { decoded, type ItemDecoder, ItemError, jsonOf, refuseFiltered } from "./item_decoder.ts";
import { TEXT } from "../limits.ts";
import { userKey } from "./user.ts";
import { readEventLike } from "./event_like.ts";

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
  const raw = asObject(jsonOf(item));
  if (raw === undefined) throw new ItemError("invalid", "not_an_object");
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
