import { textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";
import type { EntrySource } from "./entry_facts.ts";
import { hostIn, splitMethod } from "./http_request.ts";
import { templateName } from "./name_template.ts";
import { templatePath } from "./path_template.ts";
import { destinationIn } from "./span_group.ts";
import { normalizeStatement } from "./statement.ts";

export const UNLABELED = "<unlabeled transaction>";

/** What is known of the HTTP request that an entry serves, or makes. */
export interface EntryRequest {
  readonly httpMethod: string;
  readonly isHttpServer: boolean;
  /** As requested, or `""`. */
  readonly path: string;
}

export interface EntryName {
  readonly name: string;
  readonly source: string;
  /** The endpoint's, when the name tells it; else `""`. */
  readonly route: string;
}

/** Names an entry span of OpenTelemetry, whose SDKs do not agree on what a name is: by its attributes first. */
export function nameOtelEntry(entry: EntrySource, request: EntryRequest): EntryName {
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
export function isOtelRoute({ name }: EntrySource, { path }: EntryRequest): boolean {
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
