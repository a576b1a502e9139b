import { textIn } from "../attributes.ts";
import { clippedName } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";

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
