import { PbfReader } from "pbf";
import { tooManyItems, tooManyParts, unreadable } from "../refusals.ts";
import { LIMITS } from "../limits.ts";

/** Which fields of a message are messages worth counting, by number; `null` for one that is not looked into. */
type Shape = ReadonlyMap<number, Shape | null>;

const ATTRIBUTES = new Map([[3, null]]);
const RESOURCE: Shape = new Map([[1, null]]);
const ITEMS = {
  // Attributes, events and links.
  spans: new Map<number, Shape | null>([
    [9, null],
    [11, ATTRIBUTES],
    [13, new Map([[4, null]])],
  ]),
  logs: new Map<number, Shape | null>([[6, null]]),
};

const BYTES = 2;

interface Count {
  items: number;
  parts: number;
  readonly item: Shape;
  readonly what: "spans" | "logs";
}

/**
 * Refuses a body of too many messages before any of them becomes an object: an empty one takes two bytes, and gzip
 * makes twenty kilobytes of ten million. Looks at lengths only.
 *
 * @throws {Refusal} 413 for too many, 400 for what is no protobuf
 */
export function refuseFloods(body: Uint8Array, what: "spans" | "logs"): void {
  const item = ITEMS[what];
  const scope: Shape = new Map<number, Shape | null>([[1, ATTRIBUTES], [2, item]]);
  const group: Shape = new Map<number, Shape | null>([[1, RESOURCE], [2, scope]]);
  const reader = new PbfReader(body);
  countIn(reader, body.length, new Map([[1, group]]), { items: 0, parts: 0, item, what });
}

function countIn(reader: PbfReader, end: number, shape: Shape, count: Count): void {
  for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
    if (reader.type !== BYTES) continue;
    const inner = shape.get(field);
    if (inner === undefined) continue;
    if (inner === count.item && ++count.items > LIMITS[count.what]) {
      throw tooManyItems(count.what);
    }
    if (++count.parts > LIMITS.messages) throw tooManyParts();
    if (inner === null) continue;
    const innerEnd = reader.readVarint() + reader.pos;
    if (!(innerEnd <= end)) throw unreadable("protobuf");
    countIn(reader, innerEnd, inner, count);
  }
  if (reader.pos !== end) throw unreadable("protobuf");
}
