import { PROFILE_BODY } from "./body_size.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { otlpKey } from "./credentials.ts";
import { acceptedOtlp, refusedOtlp } from "./otlp_reply_2.ts";
import { profileBatch } from "../../formats/otlp/batch.ts";
import { decodeProfiles } from "../../formats/otlp/profiles_decode.ts";
import type { ProfileFault } from "../../formats/otlp/records.ts";

/** Why profiles are rejected, in words that their sender can act on. */
const REASONS: Readonly<Record<ProfileFault, string>> = {
  older_protocol:
    "it is of OTLP before 1.10 of March 2026, when fields changed their numbers: use a newer exporter",
  no_sample_type: "it does not say what its values are",
  broken_samples:
    "most of its samples have no values, or name stacks, links or attributes that are not in the dictionary",
  profile_size: "it has more parts than a profile may have",
};

/** `POST /v1development/profiles`: profiles of OpenTelemetry's profilers and collectors. */
export const otlpProfiles: Protocol = {
  name: "otlp_profiles",
  category: "profile",
  body: PROFILE_BODY,
  keyTypes: ["server"],
  credentials: otlpKey,
  decode: (body: Uint8Array, context: DecodeContext) =>
    profileBatch(decodeProfiles(body, context.contentType), context),
  reply: (batch, req) =>
    acceptedOtlp(inWords(batch), req, { category: "profile", field: "rejectedProfiles" }),
  refuse: refusedOtlp,
};

function inWords<B extends Parameters<Protocol["reply"]>[0]>(batch: B): B {
  const words: Readonly<Record<string, string>> = REASONS;
  const outcomes = batch.outcomes.map((outcome) => ({
    ...outcome,
    reason: words[outcome.reason] ?? outcome.reason,
  }));
  return { ...batch, outcomes };
}
