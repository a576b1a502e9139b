import { PbfReader } from "pbf";
import { BYTES } from "./proto_reader.ts";
import { type Items, LIMITS, tooManyItems, tooManyParts, unreadable } from "./request.ts";

/** Which fields of a message are messages worth counting, by number; `null` for one that is not looked into. */
type Shape = ReadonlyMap<number, Shape | null>;

const ATTRIBUTES = shape([[3, null]]);
const RESOURCE = shape([[1, null]]);
const EVENT = shape([[3, null]]);
const LINK = shape([[4, null]]);
const SPAN = shape([[9, null], [11, EVENT], [13, LINK]]);
/** Each takes as long as two others. */
const LARGE = new Set<Shape | null>([EVENT, LINK]);
const LOG = shape([[6, null]]);
const EXEMPLAR = shape([[7, null]]);
const NUMBER_POINT = shape([[5, EXEMPLAR], [7, null]]);
const HISTOGRAM_POINT = shape([[8, EXEMPLAR], [9, null]]);
const EXPONENTIAL_POINT = shape([[1, null], [11, EXEMPLAR]]);
/** Each is stored as a point. */
const QUANTILE = shape([]);
const SUMMARY_POINT = shape([[6, QUANTILE], [7, null]]);
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
    items: new Set([NUMBER_POINT, HISTOGRAM_POINT, EXPONENTIAL_POINT, SUMMARY_POINT, QUANTILE]),
  },
};

const REMOTE_HISTOGRAM = shape([[8, null], [11, null]]);
const REMOTE_SAMPLE = shape([]);
const REMOTE_EXEMPLAR = shape([[1, null]]);

/** The messages of Prometheus' remote write, by its version. */
const REMOTE_WRITES = {
  1: shape([
    [1, shape([[1, null], [2, REMOTE_SAMPLE], [3, REMOTE_EXEMPLAR], [4, REMOTE_HISTOGRAM]])],
    [3, null],
  ]),
  2: shape([
    [4, null],
    [5, shape([[2, REMOTE_SAMPLE], [3, REMOTE_HISTOGRAM], [4, null]])],
  ]),
} as const;

function shape(fields: readonly (readonly [field: number, inner: Shape | null])[]): Shape {
  return new Map(fields);
}

interface Count {
  items: number;
  groups: number;
  parts: number;
  readonly isItem: ReadonlySet<Shape | null>;
  /** Resources and libraries. */
  readonly isGroup: ReadonlySet<Shape | null>;
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
  const scope = shape([[1, ATTRIBUTES], [2, scoped]]);
  const group = shape([[1, RESOURCE], [2, scope]]);
  const reader = new PbfReader(body);
  const isGroup = new Set([group, scope]);
  const count = { items: 0, groups: 0, parts: 0, isItem, isGroup, what };
  countIn(reader, body.length, shape([[1, group]]), count);
}

/** The same for a request of remote write. @throws {Refusal} as {@linkcode refuseFloods} */
export function refuseRemoteFloods(body: Uint8Array, version: 1 | 2): void {
  const count: Count = {
    items: 0,
    groups: 0,
    parts: 0,
    isItem: new Set([REMOTE_SAMPLE, REMOTE_HISTOGRAM]),
    isGroup: new Set(),
    what: "points",
  };
  countIn(new PbfReader(body), body.length, REMOTE_WRITES[version], count);
}

function countIn(reader: PbfReader, end: number, shape: Shape, count: Count): void {
  for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
    if (reader.type !== BYTES) continue;
    const inner = shape.get(field);
    if (inner === undefined) continue;
    if (count.isItem.has(inner) && ++count.items > LIMITS[count.what]) {
      throw tooManyItems(count.what);
    }
    count.parts += LARGE.has(inner) ? 2 : 1;
    if (count.parts > LIMITS.messages) throw tooManyParts();
    if (count.isGroup.has(inner) && ++count.groups > LIMITS.groups) throw tooManyParts();
    if (inner === null) continue;
    const innerEnd = reader.readVarint() + reader.pos;
    if (!(innerEnd <= end)) throw unreadable("protobuf");
    countIn(reader, innerEnd, inner, count);
  }
  if (reader.pos !== end) throw unreadable("protobuf");
}
