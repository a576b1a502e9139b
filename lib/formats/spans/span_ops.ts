import type { SpanKind } from "../../records/mod.ts";
import { textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";

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
export function guessOp(kind: SpanKind, attributes: JsonObject): string {
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
