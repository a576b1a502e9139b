import { BYTES, FIXED32, FIXED64, VARINT } from "./proto_reader.ts";
import { type Items, LIMITS, tooManyItems, tooManyParts, unreadable } from "./request.ts";

/** Which fields of a message are messages worth counting, by number; `null` for one that is not looked into. */
interface Shape {
  readonly fields: readonly (Shape | null | undefined)[];
}

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

/** What requests of a signal are made of. */
interface Signal {
  readonly request: Shape;
  /** Messages that are items. */
  readonly items: ReadonlySet<Shape | null>;
  /** Messages that have items in them. */
  readonly outer: ReadonlySet<Shape | null>;
  /** Resources and libraries. */
  readonly groups: ReadonlySet<Shape | null>;
  /** As many as {@linkcode note} may count for a byte: a message has two at least. */
  readonly partsPerByte: number;
}

/** @param scoped what a scope has */
function signal(scoped: Shape, items: readonly Shape[], partsPerByte = 0.5): Signal {
  const scope = shape([[1, ATTRIBUTES], [2, scoped]]);
  const group = shape([[1, RESOURCE], [2, scope]]);
  const request = shape([[1, group]]);
  const outer = new Set<Shape | null>();
  const visit = (each: Shape): boolean => {
    const inner = each.fields.map((field) => field ? visit(field) : false);
    const isOuter = inner.includes(true);
    if (isOuter) outer.add(each);
    return isOuter || items.includes(each);
  };
  visit(request);
  return { request, items: new Set(items), outer, groups: new Set([group, scope]), partsPerByte };
}

const SIGNALS: Readonly<Record<Items, Signal>> = {
  // Events and links count twice.
  spans: signal(SPAN, [SPAN], 1),
  logs: signal(LOG, [LOG]),
  points: signal(METRIC, [
    NUMBER_POINT,
    HISTOGRAM_POINT,
    EXPONENTIAL_POINT,
    SUMMARY_POINT,
    QUANTILE,
  ]),
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
  const byNumber: (Shape | null | undefined)[] = [];
  for (const [field, inner] of fields) byNumber[field] = inner;
  return { fields: Array.from(byNumber) };
}

interface Count {
  items: number;
  groups: number;
  parts: number;
  readonly isItem: ReadonlySet<Shape | null>;
  /** Resources and libraries. */
  readonly isGroup: ReadonlySet<Shape | null>;
  /** Which messages are looked into; null: all. */
  readonly outer: ReadonlySet<Shape | null> | null;
  readonly what: Items;
}

/**
 * Refuses a body of too many messages before any of them becomes an object: an empty one takes two bytes, and gzip
 * makes twenty kilobytes of ten million. Looks at lengths only, and into items only where that may tell something.
 *
 * @throws {Refusal} 413 for too many, 400 for what is no protobuf
 */
export function refuseFloods(body: Uint8Array, what: Items): void {
  const { request, items: isItem, outer, groups: isGroup, partsPerByte } = SIGNALS[what];
  // Of a short body the parts of items are within the limit, however many there are.
  const isShort = body.length * partsPerByte <= LIMITS.messages;
  const counts = { items: 0, groups: 0, parts: 0 };
  const count = { ...counts, isItem, isGroup, outer: isShort ? outer : null, what };
  countIn(body, 0, body.length, request, count);
}

/** The same for a request of remote write. @throws {Refusal} as {@linkcode refuseFloods} */
export function refuseRemoteFloods(body: Uint8Array, version: 1 | 2): void {
  const count: Count = {
    items: 0,
    groups: 0,
    parts: 0,
    isItem: new Set([REMOTE_SAMPLE, REMOTE_HISTOGRAM]),
    isGroup: new Set(),
    outer: null,
    what: "points",
  };
  countIn(body, 0, body.length, REMOTE_WRITES[version], count);
}

/** Written out by hand: it sees every field of every request. */
function countIn(body: Uint8Array, from: number, end: number, shape: Shape, count: Count): void {
  const { fields } = shape;
  const { outer } = count;
  for (let at = from; at < end;) {
    const tag = body[at] ?? 0;
    // Fields from 16 on take two bytes; none of them is counted.
    const field = tag > 127 ? Infinity : tag >> 3;
    if (field === 0) throw unreadable("protobuf");
    at = tag > 127 ? varintEnd(body, at) : at + 1;
    const type = tag & 7;
    if (type !== BYTES) {
      at = valueEnd(body, at, type);
      if (at > end) throw unreadable("protobuf");
      continue;
    }
    const first = body[at] ?? NaN;
    const start = first < 128 ? at + 1 : varintEnd(body, at);
    at = start + (first < 128 ? first : lengthAt(body, at));
    // Not `>`: a length that is cut short is no number.
    if (!(at <= end)) throw unreadable("protobuf");
    const inner = fields[field];
    if (inner === undefined) continue;
    note(inner, count);
    if (inner !== null && (outer === null || outer.has(inner))) {
      countIn(body, start, at, inner, count);
    }
  }
}

function note(inner: Shape | null, count: Count): void {
  if (inner === null) count.parts++;
  else {
    if (count.isItem.has(inner) && ++count.items > LIMITS[count.what]) {
      throw tooManyItems(count.what);
    }
    count.parts += LARGE.has(inner) ? 2 : 1;
  }
  if (count.parts > LIMITS.messages) throw tooManyParts();
  if (inner !== null && count.isGroup.has(inner) && ++count.groups > LIMITS.groups) {
    throw tooManyParts();
  }
}

/** Where a value that is no message ends. @throws {Refusal} 400 */
function valueEnd(body: Uint8Array, at: number, type: number): number {
  if (type === VARINT) return varintEnd(body, at);
  if (type === FIXED64) return at + 8;
  if (type === FIXED32) return at + 4;
  throw unreadable("protobuf");
}

function varintEnd(body: Uint8Array, at: number): number {
  while ((body[at] ?? 0) > 127) at++;
  return at + 1;
}

/** NaN when it is cut short. */
function lengthAt(body: Uint8Array, at: number): number {
  let length = 0;
  for (let weight = 1;; weight *= 128) {
    const byte = body[at++];
    if (byte === undefined) return NaN;
    length += (byte & 127) * weight;
    if (byte < 128) return length;
  }
}
