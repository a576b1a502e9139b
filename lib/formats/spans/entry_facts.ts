import type { SpanKind } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_rules.ts";
import { clip, numberIn, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { NO_ROUTE } from "./entry_keys.ts";
import {
  destinationIn,
  hostIn,
  httpMethodOf,
  pathIn,
  splitMethod,
  splitUrl,
} from "./span_facts.ts";
import { templateName, templatePath } from "./templates.ts";
import { normalizeStatement } from "./statement.ts";

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

/** Names of these sources may hold ids. */
const RAW_SOURCES: ReadonlySet<string> = new Set(["url", "unknown", ""]);
const BARE_PAGE_NAME = /^(?:pageload|navigation)$/i;

/** Names a transaction, or a segment, of Sentry's SDKs: as they do, but for ids; only routes hold none. */
function nameSentryEntry(entry: EntrySource, request: EntryRequest): EntryName {
  const name = entry.name.trim() || UNLABELED;
  if (entry.source === "route") return { name, source: "route", route: routeOf(entry, name) };
  if (!RAW_SOURCES.has(entry.source)) {
    const { name: plain } = withoutIds(name, entry.source);
    const source = plain === name ? entry.source : "sanitized";
    return { name: plain, source, route: routeOf(entry, name) };
  }
  if (request.isHttpServer) return nameServed(entry, request, name);
  if (BARE_PAGE_NAME.test(name) && request.path !== "") {
    return { name: templatePath(request.path) || "/", source: "sanitized", route: "" };
  }
  return { ...withoutIds(name, entry.source), route: "" };
}

/** Whether the name is a route, or of the code behind one: WSGI's `generic WSGI request` comes as a route as well. */
function isSentryRoute({ name, source }: EntrySource): boolean {
  return !RAW_SOURCES.has(source) && (source !== "route" || pathOf(name.trim()) !== "");
}

function nameServed(
  entry: EntrySource,
  { httpMethod, path }: EntryRequest,
  name: string,
): EntryName {
  const route = textIn(entry.attributes, "http.route");
  const isBare = name === httpMethod || name === "HTTP" || name === UNLABELED;
  const template = route || templatePath(pathOf(name) || path);
  if (template !== "" && (isBare || (route !== "" && name.includes("/")))) {
    const source = route === "" ? "sanitized" : "route";
    return { name: `${httpMethod} ${template}`.trim(), source, route: template };
  }
  return { ...withoutIds(name, entry.source), route: template };
}

/** The path within a name that has one, as `GET /users/7` and `https://host/users/7`; else `""`. */
function pathOf(name: string): string {
  const rest = splitMethod(name)?.rest ?? name;
  return rest.startsWith("/") ? rest : splitUrl(rest)?.path ?? "";
}

/** A name that may be a path, or hold one, with placeholders for ids. */
function withoutIds(name: string, source: string): Pick<EntryName, "name" | "source"> {
  if (name === UNLABELED) return { name, source: source || "unknown" };
  if (pathOf(name) === "") {
    const template = templateName(name);
    return { name: template, source: template === name ? source || "unknown" : "sanitized" };
  }
  const split = splitMethod(name);
  const template = templatePath(pathOf(name)) || "/";
  return {
    name: split === null ? template : `${split.method} ${template}`,
    source: "sanitized",
  };
}

/** What its framework calls the route, if that is what the name tells. */
function routeOf({ source, attributes }: EntrySource, name: string): string {
  const route = textIn(attributes, "http.route");
  if (route !== "") return route;
  return source === "route" || source === "sanitized" ? pathOf(name) : "";
}

const UNLABELED = "<unlabeled transaction>";

/** What is known of the HTTP request that an entry serves, or makes. */
interface EntryRequest {
  readonly httpMethod: string;
  readonly isHttpServer: boolean;
  /** As requested, or `""`. */
  readonly path: string;
}

interface EntryName {
  readonly name: string;
  readonly source: string;
  /** The endpoint's, when the name tells it; else `""`. */
  readonly route: string;
}

/** Names an entry span of OpenTelemetry, whose SDKs do not agree on what a name is: by its attributes first. */
function nameOtelEntry(entry: EntrySource, request: EntryRequest): EntryName {
  if (request.isHttpServer) return nameHttpServer(entry, request);
  const own = templateName(entry.name);
  const name = saysEnough(entry, request) ? own : workName(entry, request) || own;
  return { name: name || UNLABELED, source: "custom", route: "" };
}

/** More is a text that somebody wrote, or a statement. */
const MAX_OWN_NAME = 100;

/**
 * Whether the name given says by itself what is done: `orders process`, `INSERT shop.users`. A single word, such as
 * `SELECT` or `query`, does not, nor does a statement, which holds values, nor the URL that was called.
 */
function saysEnough({ kind, name, attributes }: EntrySource, { httpMethod }: EntryRequest) {
  const given = name.trim();
  if (kind === "server" || given.length > MAX_OWN_NAME || !given.includes(" ")) return false;
  if (kind === "client" && httpMethod !== "") return !CALL_NAME.test(given);
  if (attributes["messaging.destination.temporary"] === true) return false;
  if (textIn(attributes, "messaging.destination.template") !== "") return false;
  const isDatabase = textIn(attributes, "db.system.name") !== "";
  return !isDatabase || !(VALUES.test(given) || textIn(attributes, "db.query.text") === given);
}

/** What statements have and names have not. */
const VALUES = /['"=?*$]/;

const CALL_NAME = /^(?:HTTP )?(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE)(?: |$)/i;

/** Whether the name of a server's span is a route: no path that was asked for, but with parameters in it. */
function isOtelRoute({ name }: EntrySource, { path }: EntryRequest): boolean {
  const given = splitMethod(name)?.rest ?? "";
  if (!given.startsWith("/") || given === path) return false;
  return HAS_PARAMETER.test(given) ||
    (path !== "" && templatePath(given) !== templatePath(path));
}

const HAS_PARAMETER = /[{<[*]|\/:/;

function nameHttpServer({ name, attributes }: EntrySource, request: EntryRequest): EntryName {
  const method = request.httpMethod || "HTTP";
  const route = textIn(attributes, "http.route");
  if (route !== "") return { name: `${method} ${route}`, source: "route", route };
  const given = splitMethod(name)?.rest ?? "";
  const path = given.startsWith("/") ? given : request.path;
  const template = templatePath(path);
  if (template === "") return { name: templateName(name) || method, source: "custom", route: "" };
  // A name that is like a route has no ids to be replaced.
  const isRoute = given === template;
  return {
    name: `${method} ${template}`,
    source: isRoute ? "route" : "sanitized",
    route: template,
  };
}

/** The name by the kind of work, or `""` when the span's own name says more. */
function workName({ kind, attributes }: EntrySource, { httpMethod }: EntryRequest): string {
  const isCall = kind === "client" || kind === "producer";
  if (isCall && textIn(attributes, "db.system.name") !== "") return databaseName(attributes);
  if (kind === "client" && httpMethod !== "") {
    return `${httpMethod} ${textIn(attributes, "url.template") || hostIn(attributes, "")}`.trim();
  }
  const rpc = textIn(attributes, "rpc.method");
  if (rpc.includes("/")) return rpc.replace(/^\//, "");
  if (textIn(attributes, "messaging.system") !== "") return messageName(attributes);
  const graphql = textIn(attributes, "graphql.operation.type");
  if (graphql !== "") return `${graphql} ${textIn(attributes, "graphql.operation.name")}`.trim();
  return textIn(attributes, "faas.name");
}

function messageName(attributes: JsonObject): string {
  const operation = textIn(attributes, "messaging.operation.name", "messaging.operation.type");
  const destination = destinationIn(attributes);
  return operation === "" || destination === "" ? "" : `${operation} ${templateName(destination)}`;
}

function databaseName(attributes: JsonObject): string {
  const summary = textIn(attributes, "db.query.summary");
  if (summary !== "") return summary;
  const operation = textIn(attributes, "db.operation.name");
  const target = textIn(
    attributes,
    "db.collection.name",
    "db.stored_procedure.name",
    "db.namespace",
  );
  if (operation !== "") return `${operation} ${target}`.trim();
  const statement = normalizeStatement(textIn(attributes, "db.query.text"));
  return statement || textIn(attributes, "db.system.name");
}

/**
 * The name of the transaction that a span says it belongs to, as {@linkcode entryFacts} would name it: SDKs do not say
 * there where the name comes from. `""` when there is none.
 */
export function transactionNameOf(sent: string): string {
  const name = sent.trim();
  return name === "" ? "" : withoutIds(name, "url").name;
}
