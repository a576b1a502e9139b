import { KEY_TYPES } from "../../accounts/keys.ts";
import type { Batch } from "../../records/mod.ts";
import type { Credentials } from "../credentials.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import { wholeItems } from "./cut_envelope.ts";
import { credentialsInDsn, credentialsInHead, refuseOtherKey } from "../sentry_credentials.ts";
import { type Envelope, EnvelopeError, parseEnvelope } from "../../formats/sentry/envelope.ts";
import { decodeItems } from "../../formats/sentry/items.ts";
import { accepted, refused } from "./reply.ts";

/** `POST /api/<project>/envelope/`: how every current Sentry SDK sends everything. */
export const sentryEnvelope: Protocol = {
  name: "sentry_envelope",
  category: "unknown",
  keyTypes: KEY_TYPES,
  credentials: credentialsInHead,
  credentialsInBody,
  findWhole: wholeItems,
  decode,
  reply: accepted,
  refuse: refused,
};

/** An envelope that cannot be read has no key either: that answer is more useful than "unreadable". */
function credentialsInBody(body: Uint8Array): Credentials | null {
  try {
    return credentialsInDsn(parseEnvelope(body).header.dsn);
  } catch (error) {
    if (error instanceof EnvelopeError) return null;
    throw error;
  }
}

function decode(body: Uint8Array, context: DecodeContext): Batch {
  const envelope = readEnvelope(body);
  refuseOtherKey(envelope.header.dsn, context.publicKey);
  return decodeItems(envelope, context);
}

function readEnvelope(body: Uint8Array): Envelope {
  try {
    return parseEnvelope(body);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    throw new Refusal(400, `Cannot read the envelope: ${error.message}`, {
      kind: "invalid",
      reason: "unreadable_envelope",
    });
  }
}
