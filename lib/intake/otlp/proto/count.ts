import { PbfReader } from "pbf";
import { type Items, tooManyItems, tooManyParts, unreadable } from "../refusals.ts";
import { LIMITS } from "../limits.ts";

/** Which fields of a message are messages worth counting, by number; `null` for one that is not looked into. */
type Shape = ReadonlyMap<number, Shape | null>;

const ATTRIBUTES = shape([[3, null]]);
const RESOURCE = shape([[1, null]]);
const SPAN = shape([
  [9, null],
  [11, ATTRIBUTES],
  [13, shape([[4, null]])],
]);
const LOG = shape([[6, null]]);
const EXEMPLAR = shape([[7, null]]);
const NUMBER_POINT = shape([[5, EXEMPLAR], [7, null]]);
const HISTOGRAM_POINT = shape([[8, EXEMPLAR], [9, null]]);
const EXPONENTIAL_POINT = shape([[1, null], [11, EXEMPLAR]]);
const SUMMARY_POINT = shape([[6, null], [7, null]]);
const METRIC = shape([
  [5, shape([[1, NUMBER_POINT]])],
  [7, shape([[1, NUMBER_POINT]])],
  [9, shape([[1, HISTOGRAM_POINT]])],
  [10, shape([[1, EXPONENTIAL_POINT]])],
  [11, shape([[1, SUMMARY_POINT]])],
  [12, null],
]);

/** What a scope has of each, and which messages in it are items. */
const SIGNALS: Readonly<Record<Items, { scoped: Shape; items: ReadonlySet<Shape | null> }>> = {
  spans: { scoped: SPAN, items: new Set([SPAN]) },
  logs: { scoped: LOG, items: new Set([LOG]) },
  points: {
    scoped: METRIC,
    items: new Set([NUMBER_POINT, HISTOGRAM_POINT, EXPONENTIAL_POINT, SUMMARY_POINT]),
  },
};

function shape(fields: readonly (readonly [field: number, inner: Shape | null])[]): Shape {
  return new Map(fields);
}

const BYTES = 2;

interface Count {
  items: number;
  parts: number;
  readonly isItem: ReadonlySet<Shape | null>;
  readonly what: Items;
}

/**
 * Refuses a body of too many messages before any of them becomes an object: an empty one takes two bytes, and gzip
 * makes twenty kilobytes of ten million. Looks at lengths only.
 *
 * @throws {Refusal} 413 for too many, 400 for what is no protobuf
 */
export function refuseFloods(body: Uint8Array, what: Items): void {
  const { scoped, items: isItem } = SIGNALS[what];
  const group = shape([[1, RESOURCE], [2, shape([[1, ATTRIBUTES], [2, scoped]])]]);
  const reader = new PbfReader(body);
  countIn(reader, body.length, shape([[1, group]]), { items: 0, parts: 0, isItem, what });
}

function countIn(reader: PbfReader, end: number, shape: Shape, count: Count): void {
  for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
    if (reader.type !== BYTES) continue;
    const inner = shape.get(field);
    if (inner === undefined) continue;
    if (count.isItem.has(inner) && ++count.items > LIMITS[count.what]) {
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
