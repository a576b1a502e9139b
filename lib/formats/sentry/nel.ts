import type { LogRecord, Outcome } from "../../records/mod.ts";
import { attributesJson } from "../attributes.ts";
import { asObject, clip, clippedName, type Raw, readText } from "../fields.ts";
import {
  type Decoded,
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  refuseFiltered,
} from "./item_decoder.ts";
import { type Json, type JsonObject, put } from "../json.ts";
import { TEXT } from "../limits.ts";

const MAX_REPORTS = 200;
const MAX_ATTRIBUTES_LENGTH = 16_384;

/** Reports of browsers about failed requests (Network Error Logging), forwarded. */
export const decodeNel: ItemDecoder = (item, context) => decodeNelReports(jsonOf(item), context);

/**
 * Turns reports into log records.
 *
 * @throws {ItemError} when there is none
 */
export function decodeNelReports(sent: Json, context: ItemContext): Decoded {
  refuseFiltered("", context);
  const list = Array.isArray(sent)
    ? sent.slice(0, context.work.takeElements(Math.min(sent.length, MAX_REPORTS)))
    : [sent];
  const records = list.flatMap((each, index) => {
    const raw = asObject(each);
    const body = asObject(raw?.body);
    return raw?.type === "network-error" && body !== undefined
      ? [logOf(raw, body, index, context)]
      : [];
  });
  if (records.length === 0) throw new ItemError("invalid", "no_nel_report");
  const invalid = list.length - records.length;
  const outcomes: Outcome[] = invalid === 0
    ? []
    : [{ category: "log_item", kind: "invalid", reason: "no_nel_report", quantity: invalid }];
  return { records, outcomes };
}

function logOf(raw: Raw, body: Raw, index: number, context: ItemContext): LogRecord {
  const type = clippedName(body.type, TEXT.word) ?? "unknown";
  const url = clip(readText(raw.url) ?? "", TEXT.url).toWellFormed();
  const attributes: JsonObject = { "nel.url": url };
  for (const [name, value] of Object.entries(body).slice(0, 50)) {
    const text = typeof value === "object" ? undefined : readText(value);
    if (text !== undefined) put(attributes, `nel.${clippedName(name, TEXT.word)}`, text);
  }
  const agent = readText(raw.user_agent) ?? context.userAgent;
  if (agent) put(attributes, "user_agent.original", agent.slice(0, TEXT.line).toWellFormed());
  context.policy.scrubObject(attributes);
  // How long the report waited in the browser, in milliseconds.
  const age = typeof raw.age === "number" && raw.age >= 0 ? Math.min(raw.age, 86_400_000) : 0;
  return {
    kind: "log",
    logId: idIn(context, `nel ${index}`),
    timestamp: new Date(context.receivedAt.getTime() - age),
    nanos: 0,
    place: index,
    receivedAt: context.receivedAt,
    level: type === "ok" ? "info" : "error",
    body: context.policy.scrubText(`${type} ${url}`),
    logger: "nel",
    server: clippedName(body.server_ip, TEXT.word) ?? "",
    sdk: "",
    environment: "",
    release: "",
    traceId: null,
    spanId: null,
    attributes: attributesJson(attributes, MAX_ATTRIBUTES_LENGTH),
  };
}
