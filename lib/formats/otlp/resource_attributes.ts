import { clippedName, textIn } from "../fields.ts";
import { type Json, type JsonObject, put } from "../json.ts";
import { TEXT } from "../limits.ts";
import { LIMITS } from "./request.ts";

/** What a resource says of the process that sent something. Texts are `""` when it says nothing. */
export interface OtlpSender {
  readonly service: string;
  readonly environment: string;
  readonly release: string;
  /** As `node`, `python`, `java`. */
  readonly platform: string;
  /** `telemetry.sdk.language` as sent. */
  readonly language: string;
  /** `name/version`. */
  readonly sdk: string;
  /** Host, pod or container. */
  readonly server: string;
}

/** SDKs say this when nobody named the service. */
const UNNAMED = /^unknown_service(?::|$)/;

const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ["nodejs", "node"],
  ["webjs", "javascript"],
  ["deno-rust", "javascript"],
]);

/** Reads who sent something. @param resource attributes of the resource */
export function senderOf(resource: JsonObject): OtlpSender {
  const name = (limit: number, ...names: readonly string[]) =>
    clippedName(textIn(resource, ...names), limit) ?? "";
  const service = name(TEXT.name, "service.name");
  const language = name(TEXT.word, "telemetry.sdk.language").toLowerCase();
  const sdk = [
    name(TEXT.name, "telemetry.sdk.name"),
    name(TEXT.name, "telemetry.sdk.version"),
  ];
  return {
    service: UNNAMED.test(service) ? "" : service,
    environment: name(
      TEXT.word,
      "deployment.environment.name",
      "deployment.environment",
      "environment",
      "env",
    ),
    release: name(TEXT.name, "service.version", "vcs.ref.head.revision", "deployment.id"),
    platform: PLATFORMS.get(language) ?? (language === "" ? "other" : language),
    language,
    sdk: sdk.filter((part) => part !== "").join("/"),
    server: name(TEXT.path, "host.name", "k8s.pod.name", "container.id", "service.instance.id"),
  };
}

/** What of a resource tells one log from another: the rest is the same for all, and would be most of each. */
const PLACE =
  /^(?:service\.(?:name|namespace|instance\.id)|k8s\.(?:namespace|pod|deployment|container|cluster)\.name|container\.name|cloud\.region|faas\.name)$/;

/** The attributes of a resource that its logs are searched by. */
export function placeAttributes(resource: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => PLACE.test(name)));
}

/** Attributes with maps taken apart, their names joined by dots; lists of other than plain values as JSON text. */
export function flattened(attributes: JsonObject): JsonObject {
  const flat: JsonObject = {};
  let room: number = LIMITS.attributes;
  const add = (name: string, value: Json) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const key in value) add(`${name}.${key}`, value[key] ?? null);
    } else if (room-- > 0) put(flat, name.slice(0, LIMITS.name), plain(value));
  };
  for (const name in attributes) add(name, attributes[name] ?? null);
  return flat;
}

function plain(value: Json): Json {
  if (!Array.isArray(value)) return value;
  const isPlain = value.every((element) => typeof element !== "object" || element === null);
  return isPlain ? value : JSON.stringify(value);
}
