import { readText } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";
import { grpcCodeName } from "./status.ts";

/** Names that changed and nothing else. Sentry's own older names are among them. */
const RENAMED: Readonly<Record<string, string>> = {
  "http.method": "http.request.method",
  "http.status_code": "http.response.status_code",
  "http.url": "url.full",
  "url": "url.full",
  "http.scheme": "url.scheme",
  "http.client_ip": "client.address",
  "net.sock.peer.addr": "network.peer.address",
  "net.sock.peer.port": "network.peer.port",
  "net.protocol.name": "network.protocol.name",
  "net.protocol.version": "network.protocol.version",
  "http.flavor": "network.protocol.version",
  "http.user_agent": "user_agent.original",
  "http.request_content_length": "http.request.body.size",
  "http.response_content_length": "http.response.body.size",
  "db.name": "db.namespace",
  "db.statement": "db.query.text",
  "db.operation": "db.operation.name",
  "db.sql.table": "db.collection.name",
  "db.mongodb.collection": "db.collection.name",
  "db.cassandra.table": "db.collection.name",
  "rpc.response.status_code": "rpc.status_code",
  "messaging.destination": "messaging.destination.name",
  "messaging.temp_destination": "messaging.destination.temporary",
  "messaging.message_id": "messaging.message.id",
  "messaging.kafka.consumer_group": "messaging.consumer.group.name",
  "messaging.kafka.consumer.group": "messaging.consumer.group.name",
  "code.filepath": "code.file.path",
  "code.lineno": "code.line.number",
  "code.column": "code.column.number",
  "peer.service": "service.peer.name",
};

const DB_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["mssql", "microsoft.sql_server"],
  ["oracle", "oracle.db"],
  ["dynamodb", "aws.dynamodb"],
  ["redshift", "aws.redshift"],
  ["cosmosdb", "azure.cosmosdb"],
  ["spanner", "gcp.spanner"],
  ["db2", "ibm.db2"],
  ["informix", "ibm.informix"],
  ["hanadb", "sap.hana"],
  ["maxdb", "sap.maxdb"],
  ["firebird", "firebirdsql"],
  ["h2", "h2database"],
]);

const RPC_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["connect_rpc", "connectrpc"],
  ["apache_dubbo", "dubbo"],
]);

type Change = (attributes: JsonObject, value: Json) => void;

/**
 * What becomes of every older name, which is gone by the time that its change is asked. Null: it means something only
 * together with others, and waits for them.
 */
const CHANGES: ReadonlyMap<string, Change | null> = new Map<string, Change | null>([
  ...Object.entries(RENAMED).map(([name, to]): [string, Change] => [
    name,
    (attributes, value) => setMissing(attributes, to, value),
  ]),
  ["http.target", splitTarget],
  ["http.query", withoutMark("url.query", "?")],
  ["http.fragment", withoutMark("url.fragment", "#")],
  ["http.host", setServer],
  ["net.host.name", (attributes, value) => setMissing(attributes, "server.address", value)],
  ["net.host.port", (attributes, value) => setMissing(attributes, "server.port", value)],
  ["db.system", translated("db.system.name", DB_SYSTEMS)],
  ["db.redis.database_index", asText("db.namespace")],
  ["rpc.system", translated("rpc.system.name", RPC_SYSTEMS)],
  ["rpc.grpc.status_code", (attributes, value) => {
    setMissing(attributes, "rpc.status_code", grpcCodeName(value) ?? value);
  }],
  ["rpc.jsonrpc.error_code", asText("rpc.status_code")],
  ["messaging.operation", translated("messaging.operation.type", new Map([["publish", "send"]]))],
  ["net.peer.name", null],
  ["net.peer.port", null],
  ["rpc.service", null],
  ["code.function", null],
  ["outcome", null],
]);

const HEADER = /^http\.(?:request|response)\.header\./;

/**
 * Gives attributes the names that OpenTelemetry's conventions have now, in place. What is there under its current name
 * already wins over the older one, so that SDKs that send both do not count twice. Doing it again changes nothing.
 */
export function canonicalAttributes(attributes: JsonObject): void {
  let hasJoint = false;
  // Asked before anything moves: only servers named themselves so.
  const isServer = "net.host.name" in attributes;
  for (const name in attributes) {
    const change = CHANGES.get(name);
    if (change === undefined) {
      if (name.startsWith("http.re") && name.includes("_")) dashHeader(attributes, name);
    } else if (change === null) hasJoint = true;
    else {
      const value = take(attributes, name);
      if (value !== undefined && value !== null) change(attributes, value);
    }
  }
  if (!hasJoint) return;
  namePeer(attributes, isServer);
  renameObservation(attributes);
  qualify(attributes, "rpc.service", "rpc.method", "/");
  qualifyFunction(attributes);
}

function take(attributes: JsonObject, name: string): Json | undefined {
  const value = attributes[name];
  delete attributes[name];
  return value;
}

function setMissing(attributes: JsonObject, name: string, value: Json): void {
  attributes[name] ??= value;
}

function translated(to: string, words: ReadonlyMap<string, string>): Change {
  return (attributes, value) => {
    const word = typeof value === "string" ? words.get(value) : undefined;
    setMissing(attributes, to, word ?? value);
  };
}

function asText(to: string): Change {
  return (attributes, value) => setMissing(attributes, to, readText(value) ?? value);
}

function withoutMark(to: string, mark: string): Change {
  return (attributes, value) => {
    const hasMark = typeof value === "string" && value.startsWith(mark);
    setMissing(attributes, to, hasMark ? value.slice(1) : value);
  };
}

function splitTarget(attributes: JsonObject, value: Json): void {
  const target = readText(value) ?? "";
  const [beforeFragment = ""] = target.split("#", 1);
  const at = beforeFragment.indexOf("?");
  const path = at < 0 ? beforeFragment : beforeFragment.slice(0, at);
  if (path !== "") setMissing(attributes, "url.path", path);
  if (at >= 0) setMissing(attributes, "url.query", beforeFragment.slice(at + 1));
}

const HOST_AND_PORT = /^(.+?):(\d{1,5})$/;

function setServer(attributes: JsonObject, value: Json): void {
  const host = readText(value) ?? "";
  const [, name = host, port] = HOST_AND_PORT.exec(host.slice(0, 300)) ?? [];
  if (name === "" || "net.host.name" in attributes || "net.peer.name" in attributes) return;
  if (attributes["server.address"] !== undefined) return;
  attributes["server.address"] = name;
  if (port !== undefined) setMissing(attributes, "server.port", Number(port));
}

/** Clients called the server their peer, and servers their client. */
function namePeer(attributes: JsonObject, isServer: boolean): void {
  const side = isServer ? "client" : "server";
  const name = take(attributes, "net.peer.name");
  const port = take(attributes, "net.peer.port");
  if (name !== undefined) setMissing(attributes, `${side}.address`, name);
  if (port !== undefined) setMissing(attributes, `${side}.port`, port);
}

/** The bare name under `name` becomes `scope + separator + name`. */
function qualify(attributes: JsonObject, scope: string, name: string, separator: string): void {
  const bare = attributes[name];
  if (typeof bare !== "string" || bare === "" || attributes[scope] === undefined) return;
  const owner = readText(take(attributes, scope));
  if (owner && !bare.includes(separator)) attributes[name] = [owner, bare].join(separator);
}

function qualifyFunction(attributes: JsonObject): void {
  if (attributes["code.function"] === undefined) return;
  const name = readText(take(attributes, "code.function"));
  const owner = readText(take(attributes, "code.namespace"));
  if (name) setMissing(attributes, "code.function.name", owner ? `${owner}.${name}` : name);
}

/** Dashes in the names of headers were underscores. */
function dashHeader(attributes: JsonObject, name: string): void {
  const [prefix] = HEADER.exec(name) ?? [];
  if (prefix === undefined) return;
  const value = take(attributes, name);
  const header = name.slice(prefix.length).replaceAll("_", "-");
  if (value !== undefined) setMissing(attributes, prefix + header, value);
}

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
function renameObservation(attributes: JsonObject): void {
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
