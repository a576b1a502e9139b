import { PbfReader } from "pbf";
import type { Category } from "../../records/mod.ts";
import type { FindWhole } from "../receive.ts";

/** No request may have more; what a client announces to send may be a lie. */
const MAX_LOST = 200_000;
/** Length-delimited, in protobuf. */
const BYTES = 2;
/** Fields of an export request: its resources, their scopes, and the items of these. */
const LEVELS = [1, 2, 2] as const;
/** The first byte of every such request: its first resource. */
const RESOURCE = (LEVELS[0] << 3) | BYTES;

/**
 * Makes the function that estimates how many items an export request over the limit has, of which nothing is stored: in an
 * error storm people need to know how many spans they lose, and not how many requests.
 */
export function countLost(category: Category): FindWhole {
  return (start, share) => {
    const wholeBytes = start.length / share;
    const seen = start[0] === RESOURCE ? itemsPerByte(start) * wholeBytes : 0;
    const quantity = Math.min(Math.max(1, Math.round(seen)), MAX_LOST);
    return { bytes: null, lost: { category, quantity } };
  };
}

/** How many items there are to a byte, in front of the last one that begins there; 0 when there is only one. */
function itemsPerByte(start: Uint8Array): number {
  const reader = new PbfReader(start);
  let items = 0;
  let lastAt = 0;
  const countIn = (level: number, end: number) => {
    for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
      if (reader.type !== BYTES || field !== LEVELS[level]) continue;
      if (level === LEVELS.length - 1) {
        items++;
        lastAt = reader.pos;
      } else {
        // What is cut off ends with the bytes that are there.
        const inner = reader.readVarint() + reader.pos;
        countIn(level + 1, Math.min(inner, end));
      }
    }
  };
  try {
    countIn(0, start.length);
  } catch {
    // Cut in the middle of a field.
  }
  return items < 2 ? 0 : (items - 1) / lastAt;
}
