import {
  type Decoded,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
} from "./item_decoder.ts";
import { readSecurityReport, type SecurityReport } from "./csp.ts";
import type { Json } from "../json.ts";
import type { Outcome, TelemetryRecord } from "../../records/mod.ts";
import { idIn } from "./item_decoder.ts";
import { errorRecord } from "./event.ts";

/** Browsers queue a few dozen. */
const MAX_REPORTS = 200;

/** A report of a browser as it is, forwarded by an SDK or proxy. */
export const decodeSecurity: ItemDecoder = (item, context) => decodeReports(jsonOf(item), context);

/**
 * Turns one report, or a list of them, into an event each.
 *
 * @throws {ItemError} when there is none among them
 */
export function decodeReports(sent: Json, context: ItemContext): Decoded {
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
}

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
