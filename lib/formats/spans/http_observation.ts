import { readText } from "../fields.ts";
import type { JsonObject } from "../json.ts";

/** Only clients' observations have one of these. */
const CLIENT_KEYS = ["client.name", "target.host"] as const;
const NO_EXCEPTION: ReadonlySet<string> = new Set(["", "none", "None"]);
/** What Spring MVC matches when nothing else does: its files. */
const CATCH_ALL = "/**";

/**
 * Gives the attributes of an HTTP observation of Micrometer, which Spring makes of each request served and sent, the
 * names of OpenTelemetry's conventions, in place: `method`, `status`, `uri`, which is the route, and `exception`. What
 * is no route (`UNKNOWN`, `REDIRECTION`) and no code (`CLIENT_ERROR`) stays where it is. Anything else is left alone.
 */
export function renameObservation(attributes: JsonObject): void {
  const { method, uri, outcome } = attributes;
  const isOne = typeof method === "string" && typeof uri === "string" &&
    typeof outcome === "string" && "exception" in attributes;
  if (!isOne) return;
  delete attributes.method;
  attributes["http.request.method"] ??= method;
  const isClient = CLIENT_KEYS.some((key) => key in attributes);
  const status = renameStatus(attributes);
  if (isClient) renameTemplate(attributes, uri);
  else renameRoute(attributes, uri, status);
  const exception = readText(attributes.exception) ?? "";
  const isFault = status === null || status >= (isClient ? 400 : 500);
  if (isFault && !NO_EXCEPTION.has(exception)) attributes["error.type"] ??= exception;
}

/** The code answered with, or null. */
function renameStatus(attributes: JsonObject): number | null {
  const code = Number(readText(attributes.status) || NaN);
  if (!(code >= 100 && code < 600)) return null;
  delete attributes.status;
  attributes["http.response.status_code"] ??= code;
  return code;
}

function renameTemplate(attributes: JsonObject, uri: string): void {
  if (!uri.startsWith("/")) return;
  delete attributes.uri;
  attributes["url.template"] ??= uri;
}

function renameRoute(attributes: JsonObject, uri: string, status: number | null): void {
  const url = attributes["url.full"];
  if (typeof url === "string" && url.startsWith("/")) {
    delete attributes["url.full"];
    attributes["url.path"] ??= url;
  }
  const route = uri === "root" ? "/" : uri;
  if (!route.startsWith("/") || (route === CATCH_ALL && status === 404)) return;
  delete attributes.uri;
  attributes["http.route"] ??= route;
}
