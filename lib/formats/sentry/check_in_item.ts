import type { CheckIn } from "../../records/mod.ts";
import { asObject, clippedName, readText } from "../fields.ts";
import { readEventId, readTraceId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import {
  decoded,
  exactTimeOf,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  objectOf,
  refuseFiltered,
} from "./item_decoder.ts";

const MAX_SLUG = 50;
const MAX_CONFIG_LENGTH = 8_192;
/** Sentry's SDKs send none; pings do, and check-ins with a `log`. */
const MAX_LOG = 10_000;

/** A cron job begins, ends, or reports a run as a whole. */
export const decodeCheckIn: ItemDecoder = (item, context) => {
  const raw = objectOf(item);
  const monitorSlug = slugOf(readText(raw.monitor_slug) ?? "");
  if (monitorSlug === "") throw new ItemError("invalid", "no_monitor_slug");
  const release = clippedName(raw.release, TEXT.name) ?? "";
  refuseFiltered(release, context);
  const trace = asObject(asObject(raw.contexts)?.trace);
  return decoded({
    kind: "check_in",
    checkInId: idOf(raw.check_in_id),
    monitorSlug,
    status: statusOf(raw.status),
    durationSec: durationOf(raw.duration),
    traceId: readTraceId(trace?.trace_id) ?? null,
    monitorConfig: configOf(raw.monitor_config),
    log: logOf(raw.log, context),
    timestamp: exactTimeOf(raw.timestamp, context).timestamp,
    receivedAt: context.receivedAt,
    environment: clippedName(raw.environment, TEXT.word) ?? "production",
    release,
  });
};

function slugOf(text: string): string {
  return text.slice(0, 4 * MAX_SLUG).toLowerCase().replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "").slice(0, MAX_SLUG);
}

/** Null for none, and for zeros, which stand for the run that is open. */
function idOf(sent: unknown): string | null {
  const text = readText(sent)?.trim() ?? "";
  const id = readEventId(text) ?? null;
  if (id === null && !/^[0-]*$/.test(text)) throw new ItemError("invalid", "bad_check_in_id");
  return id;
}

function statusOf(sent: unknown): CheckIn["status"] {
  return sent === "in_progress" || sent === "ok" || sent === "error" || sent === "log"
    ? sent
    : "unknown";
}

function durationOf(sent: unknown): number | null {
  const seconds = typeof sent === "string" && sent !== "" ? Number(sent) : sent;
  return typeof seconds === "number" && seconds >= 0 && seconds < 1e9 ? seconds : null;
}

function configOf(sent: unknown): string | null {
  const config = asObject(sent);
  if (config === undefined) return null;
  const text = JSON.stringify(config);
  return text.length <= MAX_CONFIG_LENGTH ? text : null;
}

/** The end of what a job said, without secrets and without what Postgres does not take. */
function logOf(sent: unknown, { policy }: ItemContext): string | null {
  const text = readText(sent)?.replaceAll("\0", "").trimEnd() ?? "";
  if (text === "") return null;
  // A secret that the cut goes through is no longer known as one.
  return policy.scrubText(text.slice(-2 * MAX_LOG).toWellFormed()).slice(-MAX_LOG).toWellFormed();
}
