import { parseEnvelope } from "../../lib/formats/sentry/envelope.ts";
import { decodeItems } from "../../lib/formats/sentry/items.ts";
import type { DecodeContext } from "../../lib/formats/decode_context.ts";
import type { Batch, ErrorEvent } from "../../lib/records/mod.ts";
import { decodeContext } from "./decode_context.ts";

/** What an envelope turns into. */
export function decodeEnvelopeBytes(
  bytes: Uint8Array,
  fields: Partial<DecodeContext> = {},
): Batch {
  return decodeItems(parseEnvelope(bytes), decodeContext(fields));
}

/** The errors in an envelope. */
export function errorsIn(bytes: Uint8Array, fields: Partial<DecodeContext> = {}): ErrorEvent[] {
  return decodeEnvelopeBytes(bytes, fields).records.flatMap((record) =>
    record.kind === "error" ? [record] : []
  );
}
