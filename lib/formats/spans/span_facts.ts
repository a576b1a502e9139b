import type { SpanCategory, SpanKind } from "../../records/mod.ts";
import { clip, readText, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { normalizeStatement } from "./statement.ts";
import { keyPrefix, templatePath } from "./templates.ts";

export interface SpanSource {
  readonly kind: SpanKind;
  readonly name: string;
  /** `""` unless the client said; the same for the description. */
  readonly op: string;
  readonly description: string;
  /** With their current names. */
  readonly attributes: JsonObject;
  /** A local root: the program itself, whatever it does. */
  readonly isEntry?: boolean;
}

interface SpanFacts {
  readonly op: string;
  readonly description: string;
  readonly category: SpanCategory;
  /** `""` when there is no category. */
  readonly group: string;
}

/** What kind of work a span does, whichever SDK or protocol tells of it. */
export function spanFacts(source: SpanSource): SpanFacts {
  const { kind, name, attributes, isEntry = false } = source;
  const op = source.op || guessOp(kind, attributes);
  const title = source.description || name;
  const category = isEntry ? "" : categoryOf(op, kind);
  return {
    op,
    category,
    description: describe(category, title, attributes),
    group: groupOf(category, { op, title, attributes }),
  };
}

function describe(category: SpanCategory, title: string, attributes: JsonObject): string {
  if (category === "db") return textIn(attributes, "db.query.text") || title;
  return category === "http" ? describeRequest(title, attributes) : title;
}

/** `GET https://…` without its query, which is an attribute; as the client put it when it told a URL itself. */
function describeRequest(title: string, attributes: JsonObject): string {
  const url = textIn(attributes, "url.full");
  const method = textIn(attributes, "http.request.method");
  const isTold = splitMethod(title)?.rest.includes("/") ?? false;
  if (isTold || url === "") return title;
  const [plain = ""] = url.split(/[?#]/, 1);
  return [method.toUpperCase(), plain].filter((part) => part !== "").join(" ");
}

/** By the first word of the operation. */
const BY_FIRST_WORD: Readonly<Record<string, SpanCategory>> = {
  http: "http",
  db: "db",
  cache: "cache",
  queue: "queue",
  message: "queue",
  messaging: "queue",
  rpc: "rpc",
  grpc: "rpc",
  view: "render",
  template: "render",
  resource: "resource",
  file: "file",
  object: "file",
  gen_ai: "ai",
  ai: "ai",
};

const UI_RENDER = /^ui\.(?:render|react|vue|svelte|angular|ember|solid)(?:\.|$)/;
/** Rails names its controllers' actions so. */
const CONTROLLER = /^view\.process_action(?:\.|$)/;

/**
 * What a span of this operation spends its time on. Serving a request is the program itself: `http` and `rpc` are
 * calls to others.
 */
function categoryOf(op: string, kind: SpanKind): SpanCategory {
  if (UI_RENDER.test(op)) return "render";
  const [first = ""] = op.split(".", 1);
  const category = Object.hasOwn(BY_FIRST_WORD, first) ? BY_FIRST_WORD[first] ?? "" : "";
  if (category === "http" || category === "rpc") return isCall(op, kind) ? category : "";
  if (category === "render" && CONTROLLER.test(op)) return "";
  return kind === "server" ? "" : category;
}

function isCall(op: string, kind: SpanKind): boolean {
  if (op.includes("server") || kind === "server" || kind === "consumer") return false;
  // Within a server, frameworks repeat the request's attributes on their own steps.
  return kind !== "internal" || op.includes("client");
}

/** But for statements, which have a limit of their own. */
const MAX_GROUP = 300;

interface Work {
  readonly op: string;
  /** Name of the span, or what it was described with. */
  readonly title: string;
  readonly attributes: JsonObject;
}

/** What a span has in common with others that do the same work; `""` for none. */
function groupOf(category: SpanCategory, work: Work): string {
  if (category === "") return "";
  const group = GROUPS[category](work).trim();
  return category === "db" ? group : clip(group, MAX_GROUP).toWellFormed();
}

const GROUPS: Readonly<Record<Exclude<SpanCategory, "">, (work: Work) => string>> = {
  http: httpGroup,
  db: databaseGroup,
  cache: cacheGroup,
  queue: queueGroup,
  rpc: rpcGroup,
  render: ({ title }) => title,
  resource: ({ title, attributes }) => resourceGroup(textIn(attributes, "url.full") || title),
  file: fileGroup,
  ai: aiGroup,
};

function httpGroup({ title, attributes }: Work): string {
  const method = httpMethodOf(textIn(attributes, "http.request.method")) ||
    splitMethod(title)?.method || "GET";
  return `${method} ${textIn(attributes, "url.template") || hostIn(attributes, title)}`;
}

function databaseGroup({ title, attributes }: Work): string {
  const statement = textIn(attributes, "db.query.text");
  if (statement !== "") return normalizeStatement(statement);
  const summary = textIn(attributes, "db.query.summary") || operationAndTarget(attributes);
  return summary === "" ? normalizeStatement(title) : clip(summary, MAX_GROUP);
}

/** `SELECT orders`, when both are told. */
function operationAndTarget(attributes: JsonObject): string {
  const operation = textIn(attributes, "db.operation.name");
  const target = textIn(attributes, "db.collection.name", "db.stored_procedure.name");
  return operation === "" || target === "" ? "" : `${operation} ${target}`;
}

function lastWord(op: string): string {
  return op.slice(op.lastIndexOf(".") + 1);
}

/** `publish` of `queue.publish`, `submit` of `queue.submit.celery`. */
function secondWord(op: string): string {
  return op.split(".", 2)[1] ?? "";
}

function cacheGroup({ op, title, attributes }: Work): string {
  const keys = attributes["cache.key"];
  const key = readText(Array.isArray(keys) ? keys[0] : keys) ?? "";
  const target = key === ""
    ? textIn(attributes, "db.system.name", "network.protocol.name") || keyPrefix(title)
    : keyPrefix(key);
  return `${secondWord(op) || "cache"} ${target}`;
}

function queueGroup({ op, title, attributes }: Work): string {
  const operation = secondWord(op) ||
    textIn(attributes, "messaging.operation.name", "messaging.operation.type") || "message";
  return `${operation} ${destinationIn(attributes) || title}`;
}

/** Where messages go, without names that are made for one connection only; `""` when unknown. */
export function destinationIn(attributes: JsonObject): string {
  const template = textIn(attributes, "messaging.destination.template");
  if (template !== "") return template;
  if (attributes["messaging.destination.temporary"] === true) return "(temporary)";
  if (attributes["messaging.destination.anonymous"] === true) return "(anonymous)";
  return textIn(attributes, "messaging.destination.name");
}

const RPC_METHOD = /\/?([\w.$-]+\/\w+)/;

/** `pkg.Service/Method`, wherever it stands. */
function rpcGroup({ title, attributes }: Work): string {
  const method = textIn(attributes, "rpc.method");
  if (method !== "") return method.replace(/^\//, "");
  const named = RPC_METHOD.exec(title.slice(0, 500))?.[1];
  return named ?? (textIn(attributes, "rpc.service") || title);
}

function resourceGroup(sent: string): string {
  const url = splitUrl(sent);
  return url === null ? templatePath(sent) : url.host + templatePath(url.path);
}

function fileGroup({ op, title, attributes }: Work): string {
  const bucket = textIn(attributes, "aws.s3.bucket", "object.bucket");
  if (bucket !== "") return `${lastWord(op)} ${bucket}`;
  const path = textIn(attributes, "file.path") || title;
  const extension = /\.(\w{1,10})$/.exec(path.slice(-20))?.[1];
  return `${lastWord(op)} *${extension === undefined ? "" : `.${extension.toLowerCase()}`}`;
}

function aiGroup({ op, title, attributes }: Work): string {
  const subject = textIn(
    attributes,
    "gen_ai.tool.name",
    "gen_ai.agent.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
  );
  return `${lastWord(op)} ${subject || title}`;
}

const QUEUE_OPS: ReadonlyMap<string, string> = new Map([
  ["create", "queue.create"],
  ["send", "queue.publish"],
  ["receive", "queue.receive"],
  ["process", "queue.process"],
  ["settle", "queue.settle"],
]);

/**
 * The operation, in Sentry's words, of a span that names none: by the attributes of its kind of work.
 *
 * @param attributes with their current names
 * @returns `default` when there is nothing to tell it by
 */
function guessOp(kind: SpanKind, attributes: JsonObject): string {
  // Databases and models that are called over HTTP have its attributes too; of a server it is the other way round.
  const own = kind === "server" ? undefined : dataOp(kind, attributes);
  return own ?? httpOp(kind, attributes) ?? dataOp(kind, attributes) ??
    (textIn(attributes, "rpc.system.name", "rpc.service", "rpc.method") === ""
      ? textIn(attributes, "faas.trigger").slice(0, 128) || "default"
      : "rpc");
}

function httpOp(kind: SpanKind, attributes: JsonObject): string | undefined {
  if (textIn(attributes, "http.request.method") === "") return undefined;
  return kind === "server" || kind === "client" ? `http.${kind}` : "http";
}

function dataOp(kind: SpanKind, attributes: JsonObject): string | undefined {
  if (textIn(attributes, "db.system.name") !== "") return "db";
  const ai = textIn(attributes, "gen_ai.operation.name");
  if (ai !== "") return `gen_ai.${ai.slice(0, 100)}`;
  if (textIn(attributes, "gen_ai.system", "gen_ai.provider.name") !== "") return "gen_ai";
  return textIn(attributes, "messaging.system") === "" ? undefined : queueOp(kind, attributes);
}

function queueOp(kind: SpanKind, attributes: JsonObject): string {
  const type = textIn(attributes, "messaging.operation.type");
  const byKind = kind === "producer" ? "send" : kind === "consumer" ? "process" : "";
  return QUEUE_OPS.get(type) ?? QUEUE_OPS.get(byKind) ?? "message";
}

const METHOD = /^[A-Z][A-Z_-]{1,30}$/;
/** Those that names begin with. */
const METHODS: ReadonlySet<string> = new Set(
  ["CONNECT", "DELETE", "GET", "HEAD", "HTTP", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"],
);
const ABSOLUTE_URL = /^[a-z][a-z\d+.-]{0,20}:\/\/([^/?#\s]*)([^?#\s]*)/i;

/** An HTTP method in capitals; what OpenTelemetry calls `_OTHER` is `HTTP`, and what is no method is `""`. */
export function httpMethodOf(sent: string): string {
  const method = sent.slice(0, 32).toUpperCase();
  if (method === "_OTHER") return "HTTP";
  return METHOD.test(method) ? method : "";
}

/** `GET /users/7` in its parts; null when it does not begin with a method. */
export function splitMethod(
  name: string,
): { readonly method: string; readonly rest: string } | null {
  const at = name.indexOf(" ");
  const method = at < 0 ? name : name.slice(0, at);
  return METHODS.has(method) ? { method, rest: name.slice(method.length).trimStart() } : null;
}

/** Host (with port) and path of an absolute URL; null for anything else. */
export function splitUrl(url: string): { readonly host: string; readonly path: string } | null {
  const [, authority, path] = ABSOLUTE_URL.exec(url.slice(0, 2_048)) ?? [];
  if (authority === undefined || path === undefined) return null;
  return { host: authority.slice(authority.lastIndexOf("@") + 1).toLowerCase(), path: path || "/" };
}

/** The path of the URL that attributes tell of, or `""`. */
export function pathIn(attributes: JsonObject): string {
  const path = textIn(attributes, "url.path");
  if (path !== "") return path;
  const url = textIn(attributes, "url.full");
  return url.startsWith("/") ? url : splitUrl(url)?.path ?? "";
}

const USUAL_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);

/** The host that a client called, with its port if that is an unusual one; or `""`. */
export function hostIn(attributes: JsonObject, description: string): string {
  const address = textIn(attributes, "server.address").toLowerCase();
  if (address !== "") return withPort(address, textIn(attributes, "server.port"));
  const url = textIn(attributes, "url.full");
  const host = splitUrl(url)?.host ?? splitUrl(splitMethod(description)?.rest ?? description)?.host;
  const [, name = host ?? "", port = ""] = /^(.*):(\d*)$/.exec(host ?? "") ?? [];
  return withPort(name, port);
}

function withPort(name: string, port: string): string {
  return USUAL_PORTS.has(port) || name.endsWith(`:${port}`) ? name : `${name}:${port}`;
}
