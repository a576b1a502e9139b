import type { Batch } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { decodeItems } from "./items.ts";

const NO_HEADER = { eventId: null, dsn: null, sentAt: null, sdk: null, trace: null };

/**
 * Decodes a body that is one item without an envelope around it: the rest is the same.
 *
 * @throws {Refusal} as `decodeItems()`
 */
export function decodeSingleItem(type: string, payload: Uint8Array, context: DecodeContext): Batch {
  const items = [{ type, header: {}, payload }];
  return decodeItems({ header: NO_HEADER, items, lost: 0 }, context);
}
