import { Refusal } from "../../core/refusal.ts";
import { LIMITS } from "./profiles_limits_2.ts";

/** A request of so many bytes that reading it would hold up all others. */
export function tooManyBytes(): Refusal {
  const mebibytes = LIMITS.bytes / (1024 * 1024);
  return new Refusal(
    413,
    `The request is larger than ${mebibytes} MiB without compression: let the exporter send smaller batches`,
    { kind: "too_large", reason: "profile_size" },
  );
}

/** A request of more profiles than one may have. */
export function tooManyProfiles(): Refusal {
  const limit = LIMITS.profiles.toLocaleString("en");
  return new Refusal(
    413,
    `The request has more than ${limit} profiles: let the exporter send smaller batches`,
    { kind: "too_large", reason: "too_many_items" },
  );
}

/** A request of so many parts that reading it would hold up all others. */
export function tooManyParts(): Refusal {
  return new Refusal(
    413,
    "The request has too many parts (samples, locations, values): let the exporter send smaller batches",
    { kind: "too_large", reason: "too_many_parts" },
  );
}
