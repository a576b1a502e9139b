import { Refusal } from "../../core/refusal.ts";
import { LIMITS } from "./limits.ts";

/** What requests are made of. */
export type Items = "spans" | "logs" | "points";

const ITEM_WORDS: Readonly<Record<Items, string>> = {
  spans: "spans",
  logs: "log records",
  points: "data points",
};

/** A request with more items than one may have. */
export function tooManyItems(what: Items): Refusal {
  const words = ITEM_WORDS[what];
  const limit = LIMITS[what].toLocaleString("en");
  return new Refusal(
    413,
    `The request has more than ${limit} ${words}: let the exporter send smaller batches`,
    { kind: "too_large", reason: "too_many_items" },
  );
}

/** A request of so many parts that reading it would hold up all others. */
export function tooManyParts(): Refusal {
  return new Refusal(
    413,
    "The request has too many parts (attributes, events, links, values): let the exporter send smaller batches",
    { kind: "too_large", reason: "too_many_parts" },
  );
}

/** A body that is not what its content type says. @param hint what may be wrong, or `""` */
export function unreadable(form: "protobuf" | "JSON", hint = ""): Refusal {
  const message = `The body is not a whole OTLP request in ${form}`;
  return new Refusal(400, hint === "" ? message : `${message}: ${hint}`, {
    kind: "invalid",
    reason: form === "JSON" ? "invalid_json" : "invalid_protobuf",
  });
}

/** A body in a form that OTLP does not have. */
export function unsupportedType(): Refusal {
  return new Refusal(
    415,
    "The Content-Type is not supported: use application/x-protobuf or application/json",
    { kind: "invalid", reason: "unsupported_content_type" },
  );
}
