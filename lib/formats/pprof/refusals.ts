import type { PprofError } from "./pprof_error.ts";
import { Refusal } from "../../core/refusal.ts";

/** A profile that is none, or larger than any that is taken. */
export function unreadableProfile({ kind, message }: PprofError): Refusal {
  const detail = `Cannot read the profile: ${latin(message)}`;
  return kind === "too_large"
    ? new Refusal(413, detail, { kind: "too_large", reason: "profile_size" })
    : new Refusal(400, detail, { kind: "invalid", reason: "invalid_profile" });
}

/** A parameter of the address that says nothing. @param why the rest of the sentence */
export function badParameter(name: string, why: string): Refusal {
  return new Refusal(400, latin(`The parameter ${name} ${why}`), {
    kind: "invalid",
    reason: "bad_parameter",
  });
}

/** A body that is not what its address or content type says. */
export function unreadableBody(sentence: string): Refusal {
  return new Refusal(400, latin(sentence), { kind: "invalid", reason: "invalid_profile" });
}

/** Names in a profile may be in any language, and a refusal travels in a header. */
function latin(text: string): string {
  return text.slice(0, 500).replace(/[^\x20-\x7e]/g, "?");
}
