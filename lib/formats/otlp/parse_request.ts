import { JsonMeter } from "../json_meter.ts";
import type { Refusal } from "../../core/refusal.ts";
import { asObject, type Raw } from "../fields.ts";
import { unreadable } from "./refusals.ts";

const decoder = new TextDecoder();

/** Every field has one of a hundred names, whatever is sent in them. */
const MAX_NAMES = 10_000;

/** How many values and names a request may have, and what is said to one that has more. */
export interface PartLimit {
  readonly parts: number;
  readonly tooMany: () => Refusal;
}

/**
 * Parses an export request.
 *
 * @param body JSON; an empty one is a request of nothing, as in protobuf
 * @throws {Refusal} 400 when it is no object, what `tooMany` makes when it has too many parts
 */
export function parseRequest(body: Uint8Array, { parts, tooMany }: PartLimit): Raw {
  if (body.length === 0) return {};
  if (!new JsonMeter({ parts, names: MAX_NAMES }).admits(body)) throw tooMany();
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(body));
  } catch {
    throw unreadable("JSON");
  }
  const raw = asObject(parsed);
  if (raw === undefined) throw unreadable("JSON", "it is no object");
  return raw;
}
