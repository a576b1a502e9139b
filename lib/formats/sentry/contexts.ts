import { asBag, asObject, type Raw, repairFields } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { type JsonObject, put } from "../json.ts";
import { TEXT } from "../limits.ts";
import type { Contexts, RequestInfo } from "./normalized_event.ts";
import { type Product, readUserAgent } from "./user_agent.ts";

/** Named facts about the surroundings, completed by what the `User-Agent` tells; undefined when there are none. */
export function normalizeContexts(
  value: unknown,
  request: RequestInfo | undefined,
): Contexts | undefined {
  const contexts: Record<string, JsonObject> = {};
  for (const [name, sent] of Object.entries(asObject(value) ?? {})) {
    const context = asBag(sent);
    if (context) put(contexts, name.slice(0, TEXT.path).toWellFormed(), context);
  }
  for (const name of VERSIONED) if (contexts[name]) trimNameAndVersion(contexts[name]);
  repairTrace(contexts);
  addUserAgent(contexts, request);
  return Object.keys(contexts).length > 0 ? contexts as Contexts : undefined;
}

const VERSIONED = ["os", "client_os", "runtime", "browser"];

/** Node's `os.version` ends in a newline. */
function trimNameAndVersion(context: JsonObject): void {
  repairFields(
    context,
    ["name", "version"],
    (value) => typeof value === "string" ? value.trim() : value,
  );
}

function repairTrace(contexts: Record<string, JsonObject>): void {
  const trace: Raw | undefined = contexts.trace;
  if (!trace) return;
  repairFields(trace, ["trace_id"], readTraceId);
  repairFields(trace, ["span_id", "parent_span_id"], readSpanId);
}

/** On a server the `os` is its own, so the browser's goes under `client_os`, as at Sentry. */
function addUserAgent(
  contexts: Record<string, JsonObject>,
  request: RequestInfo | undefined,
): void {
  const header = request?.headers?.find(([name]) => name.toLowerCase() === "user-agent")?.[1];
  if (!header) return;
  const { browser, os, device } = readUserAgent(header);
  if (browser) contexts.browser ??= contextOf(browser);
  if (os) contexts[contexts.os ? "client_os" : "os"] ??= contextOf(os);
  if (device) contexts.device ??= { model: device };
}

function contextOf({ name, version }: Product): JsonObject {
  return version === undefined ? { name } : { name, version };
}
