import { countBrackets } from "../../count_brackets.ts";
import type { Refusal } from "../../refusal.ts";
import { asObject, type Raw } from "../../sentry/fields.ts";
import { unreadable } from "../refusals.ts";

const decoder = new TextDecoder();

/** How many objects and lists a request may have, and what is said to one that has more. */
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
  if (countBrackets(body) > parts) throw tooMany();
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
