import { createHash } from "node:crypto";
import { storable } from "../../core/errors.ts";

/** What is added up. A kind that is released keeps its number. */
export const SERIES_KINDS = {
  /** All transactions. */
  total: 1,
  /** Transactions of one name. */
  transaction: 2,
  /** Spans that do the same work, such as one statement. */
  span: 3,
  /** The same, apart by the transaction that they were part of. */
  caller: 4,
  /** One web vital of one page. */
  vital: 5,
  /** The same, apart by browser, kind of device and country: many, and read for one page at a time. */
  visit: 6,
  /** All spans of one category. */
  span_total: 7,
  /** One web vital of all pages. */
  vital_total: 8,
  // Of all environments and releases together, which is how pages are looked at first: a fraction of the rows.
  total_whole: 11,
  transaction_whole: 12,
  span_whole: 13,
  caller_whole: 14,
  vital_whole: 15,
} as const;
export type SeriesKind = keyof typeof SERIES_KINDS;

/** The kind that counts the same for all environments and releases together. */
export const WHOLE_KINDS: Partial<Readonly<Record<SeriesKind, SeriesKind>>> = {
  total: "total_whole",
  transaction: "transaction_whole",
  span: "span_whole",
  caller: "caller_whole",
  vital: "vital_whole",
};

/** The series of all environments and releases that one belongs to, or null where there is none. */
export function wholeOf(series: Series): Series | null {
  const kind = WHOLE_KINDS[series.kind];
  return kind === undefined ? null : { ...series, kind, environment: "", release: "" };
}

/** The kinds that count the same for all names together, and by what alone they tell apart what is counted. */
export const TOTAL_KINDS = {
  span: { kind: "span_total", by: "category" },
  vital: { kind: "vital_total", by: "op" },
} as const satisfies Partial<
  Record<SeriesKind, { readonly kind: SeriesKind; readonly by: "category" | "op" }>
>;
export type SummedKind = keyof typeof TOTAL_KINDS;

export function isSummed(kind: SeriesKind): kind is SummedKind {
  return kind in TOTAL_KINDS;
}

/** The series of all names that one belongs to, or null where there is none. */
export function totalOf(series: Series): Series | null {
  if (!isSummed(series.kind)) return null;
  const { kind, by } = TOTAL_KINDS[series.kind];
  const { environment, release, service } = series;
  return seriesOf({ kind, environment, release, service, [by]: series[by] });
}

/** What one row of counts is about. What does not apply to a kind is `""`. */
export interface Series {
  readonly kind: SeriesKind;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  /** Of the transaction, of the group of spans, of the page. */
  readonly name: string;
  /** Operation of transactions; of vitals and visits which one it is, as `lcp`. */
  readonly op: string;
  /** Of spans and callers: see `SpanCategory`. */
  readonly category: string;
  /** Of callers: the name of the transaction. */
  readonly parent: string;
  readonly httpMethod: string;
  readonly route: string;
  /** Of transactions: `sentry` or `otlp`. */
  readonly protocol: string;
  /** Of visits. */
  readonly browser: string;
  readonly device: string;
  readonly country: string;
}

/** What tells series of one kind apart. */
export const SERIES_FIELDS = [
  "environment",
  "release",
  "service",
  "name",
  "op",
  "category",
  "parent",
  "httpMethod",
  "route",
  "protocol",
  "browser",
  "device",
  "country",
] as const satisfies readonly (keyof Series)[];

const EMPTY: Omit<Series, "kind" | "environment" | "release" | "service"> = {
  name: "",
  op: "",
  category: "",
  parent: "",
  httpMethod: "",
  route: "",
  protocol: "",
  browser: "",
  device: "",
  country: "",
};

/** A series of which only what applies to its kind is named. */
export function seriesOf(
  facts: Pick<Series, "kind" | "environment" | "release" | "service"> & Partial<Series>,
): Series {
  return { ...EMPTY, ...facts };
}

/** One text for each series. */
export function seriesKey(series: Series): string {
  // No field can hold the separator: control characters are taken out of names.
  let key = String(SERIES_KINDS[series.kind]);
  for (const field of SERIES_FIELDS) key += `\x1f${series[field]}`;
  return key;
}

/** The id of a series, the same on every machine: 63 bits of a hash, as decimal text. */
export function seriesId(key: string): string {
  const hash = createHash("md5").update(key).digest();
  return (hash.readBigUInt64LE(0) >> 1n).toString();
}

/** What an index row can hold. */
const MAX_LENGTH = 200;
const HASH_LENGTH = 8;

/**
 * The name that a group of spans is counted by: the group itself, or where it is too long its beginning with a hash of
 * the whole, so that statements which only begin alike stay apart. A name that was made here stays as it is.
 */
export function groupName(group: string): string {
  const text = storable(group);
  if (text.length <= MAX_LENGTH) return text.toWellFormed();
  const hash = createHash("md5").update(text).digest("hex").slice(0, HASH_LENGTH);
  const start = text.slice(0, MAX_LENGTH - HASH_LENGTH - 2).toWellFormed();
  return `${start}… ${hash}`;
}
