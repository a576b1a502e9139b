import type { Category } from "../../records/mod.ts";
import type { Item } from "./envelope.ts";
import type { ItemDecoder } from "./item_decoder.ts";
import { decodeAttachment } from "./attachment_item.ts";
import { decodeCheckIn } from "./check_in_item.ts";
import { decodeClientReport } from "./client_report.ts";
import { decodeEvent } from "./event.ts";
import { decodeFeedback, decodeUserReport } from "./feedback.ts";
import { decodeLogs } from "./log.ts";
import { decodeNel } from "./nel.ts";
import { decodeProfile, decodeProfileChunk } from "./profile.ts";
import { decodeSecurity } from "./security_report.ts";
import { decodeSession, decodeSessions } from "./session_items.ts";
import { decodeSpanContainer } from "./span_container.ts";
import { decodeSpanV1 } from "./span_v1.ts";
import { decodeMetrics } from "./metric_item.ts";
import { decodeTransaction } from "./transaction.ts";

interface ItemType {
  readonly category: Category;
  /** Null: taken and counted, but Watchpost has no place for it. */
  readonly decode: ItemDecoder | null;
}

/** A span by itself has no content type, or JSON's; the container of spans has its own. */
const decodeSpan: ItemDecoder = (item, context) =>
  isSpanContainer(item) ? decodeSpanContainer(item, context) : decodeSpanV1(item, context);

function isSpanContainer({ header }: Item): boolean {
  return header.item_count !== undefined || String(header.content_type).includes("span.v2");
}

const TYPES: ReadonlyMap<string, ItemType> = new Map<string, ItemType>([
  ["event", { category: "error", decode: decodeEvent }],
  ["transaction", { category: "transaction", decode: decodeTransaction }],
  ["span", { category: "span", decode: decodeSpan }],
  ["attachment", { category: "attachment", decode: decodeAttachment }],
  ["session", { category: "session", decode: decodeSession }],
  ["sessions", { category: "session", decode: decodeSessions }],
  ["profile", { category: "profile", decode: decodeProfile }],
  ["profile_chunk", { category: "profile_chunk", decode: decodeProfileChunk }],
  ["profile_chunk_ui", { category: "profile_chunk", decode: decodeProfileChunk }],
  ["check_in", { category: "monitor", decode: decodeCheckIn }],
  ["feedback", { category: "feedback", decode: decodeFeedback }],
  ["user_report", { category: "feedback", decode: decodeUserReport }],
  ["log", { category: "log_item", decode: decodeLogs }],
  ["trace_metric", { category: "trace_metric", decode: decodeMetrics }],
  ["metric", { category: "trace_metric", decode: decodeMetrics }],
  ["client_report", { category: "internal", decode: decodeClientReport }],
  ["raw_security", { category: "security", decode: decodeSecurity }],
  ["security", { category: "security", decode: decodeSecurity }],
  ["nel", { category: "log_item", decode: decodeNel }],
  ["replay_event", { category: "replay", decode: null }],
  ["replay_recording", { category: "replay", decode: null }],
  ["replay_video", { category: "replay", decode: null }],
  ["statsd", { category: "metric_bucket", decode: null }],
  ["metric_buckets", { category: "metric_bucket", decode: null }],
  ["unreal_report", { category: "attachment", decode: null }],
  ["form_data", { category: "default", decode: null }],
]);

/** What is known of an item type; undefined for types that no SDK we know of sends. */
export function itemTypeOf(name: string): ItemType | undefined {
  return TYPES.get(name);
}

/** Sentry's data category of an item type; `unknown` for unknown types. */
export function categoryOf(itemType: string): Category {
  return TYPES.get(itemType)?.category ?? "unknown";
}
