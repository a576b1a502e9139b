import type { SpanCategory } from "../../records/mod.ts";
import { textIn } from "../attributes.ts";
import { clip, readText } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { hostIn, httpMethodOf, splitMethod, splitUrl } from "./http_request.ts";
import { keyPrefix } from "./key_prefix.ts";
import { templatePath } from "./path_template.ts";
import { normalizeStatement } from "./statement.ts";

/** But for statements, which have a limit of their own. */
const MAX_GROUP = 300;

interface Work {
  readonly op: string;
  /** Name of the span, or what it was described with. */
  readonly title: string;
  readonly attributes: JsonObject;
}

/** What a span has in common with others that do the same work; `""` for none. */
export function groupOf(category: SpanCategory, work: Work): string {
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
