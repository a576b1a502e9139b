import type { SpanKind } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_status.ts";
import { numberIn, textIn } from "../attributes.ts";
import { clip } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { NO_ROUTE } from "./endpoint.ts";
import { type EntryName, type EntryRequest, isOtelRoute, nameOtelEntry } from "./entry_name.ts";
import { httpMethodOf, pathIn, splitMethod } from "./http_request.ts";
import { templatePath } from "./path_template.ts";
import { isSentryRoute, nameSentryEntry } from "./transaction_name.ts";

export interface EntrySource {
  readonly name: string;
  /** Sentry's source of a transaction's name; `""` for OTLP. */
  readonly source: string;
  readonly op: string;
  readonly kind: SpanKind;
  readonly status: string;
  /** With their current names. */
  readonly attributes: JsonObject;
  /** What is known from elsewhere than the attributes: it wins. */
  readonly httpMethod?: string;
  readonly httpStatus?: number | null;
  /** As requested, where known. */
  readonly path?: string;
}

export interface EntryFacts {
  /** Never empty. */
  readonly name: string;
  readonly source: string;
  /** In capitals, or `""`. */
  readonly httpMethod: string;
  /** 100 to 599, or null. */
  readonly httpStatus: number | null;
  /** Of an HTTP server's endpoint, as its framework writes it, else with our placeholders; `""` for others. */
  readonly route: string;
  readonly isFailed: boolean;
}

/** What the lists say of a local root, whichever SDK or protocol tells of it. Names hold no ids. */
export function entryFacts(entry: EntrySource): EntryFacts {
  const { attributes, op, kind, status } = entry;
  const httpMethod = httpMethodOf(entry.httpMethod || textIn(attributes, "http.request.method")) ||
    methodInName(entry);
  const isHttpServer = op.startsWith("http.server") || (kind === "server" && httpMethod !== "");
  const path = entry.path || pathIn(attributes);
  const request = { httpMethod, isHttpServer, path };
  const httpStatus = statusCode(
    entry.httpStatus ?? numberIn(attributes, "http.response.status_code"),
  );
  const isLost = isHttpServer && httpStatus === 404 && !hasRoute(entry, request);
  const named = isLost ? nameLost(request) : nameOf(entry, request);
  return {
    name: clip(named.name, TEXT.name),
    source: named.source,
    httpMethod,
    httpStatus,
    route: isHttpServer ? clip(named.route || templatePath(path), TEXT.name) : "",
    isFailed: isHttpServer && httpStatus !== null ? httpStatus >= 500 : isFailedStatus(status),
  };
}

function nameOf(entry: EntrySource, request: EntryRequest): EntryName {
  return entry.source === "" ? nameOtelEntry(entry, request) : nameSentryEntry(entry, request);
}

/** Who scans a server for holes asks for hundreds of paths: they are one name for each method. */
function nameLost({ httpMethod }: EntryRequest): EntryName {
  return { name: `${httpMethod || "HTTP"} ${NO_ROUTE}`, source: "sanitized", route: NO_ROUTE };
}

/** Whether something tells that the request came to a route, which may well answer that there is no such order. */
function hasRoute(entry: EntrySource, request: EntryRequest): boolean {
  if (textIn(entry.attributes, "http.route") !== "") return true;
  return entry.source === "" ? isOtelRoute(entry, request) : isSentryRoute(entry);
}

/** SQL has a `DELETE` as well: there must be a path, unless it is sure that HTTP is meant. */
function methodInName({ name, op }: EntrySource): string {
  const split = splitMethod(name);
  const isMethod = op.startsWith("http.server") || (split?.rest.includes("/") ?? false);
  return isMethod ? split?.method ?? "" : "";
}

function statusCode(code: number | null): number | null {
  return code !== null && code >= 100 && code < 600 ? Math.trunc(code) : null;
}
