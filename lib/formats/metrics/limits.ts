/** How much of metrics is taken, whatever they come by. Lengths count UTF-16 units unless they say bytes. */
export const LIMITS = {
  /** Of a metric. */
  name: 255,
  unit: 63,
  description: 1_024,
  /** Labels of a series, those of its resource included. */
  labels: 64,
  keyBytes: 256,
  valueBytes: 1_024,
  /** Of all labels of a series together, without their keys. */
  values: 16_384,
  /** Of all labels of all series of one request: a resource's few stand in each of its series. */
  requestLabels: 64_000_000,
  /** Buckets of one explicit histogram. */
  buckets: 1_000,
  /** Filled buckets of one exponential histogram, a side; with more it goes to a coarser scale. */
  exponentialBuckets: 320,
  exemplarsOfPoint: 5,
  exemplars: 500,
} as const;

/** Why points are rejected, in words that their sender can act on. */
const FAULTS = {
  no_name: "the metric has no name",
  name_too_long: "the name of the metric has more than 255 characters",
  too_many_labels: "it has more than 64 labels, those of its resource included",
  label_too_long: "a label has a key of more than 256 bytes or a value of more than 1,024 bytes",
  labels_too_long: "the values of its labels have more than 16,384 characters together",
  request_too_long:
    "the labels of all series of the request have more than 64,000,000 characters together, those of resources counted for each series: send fewer points at once",
  no_time: "it has no time; times are nanoseconds since 1970 (milliseconds in remote write)",
  too_old: "its time is older than what is kept",
  future: "its time is more than an hour ahead",
  no_value: "it has no value, or one of an unknown type",
  not_finite: "a value is NaN or infinite",
  negative_counter: "a counter that only goes up has a negative value",
  no_temporality: "it says neither delta nor cumulative",
  bad_count: "a count is negative or no number",
  bad_bounds: "the bounds of its buckets are not in ascending order",
  too_many_buckets: "it has more than 1,000 buckets",
  counts_differ: "the counts of its buckets do not fit its bounds, or do not add up to its count",
  bad_scale: "its scale is not between -10 and 20, or a bucket is beyond all numbers",
  gauge_histogram: "it is a gauge histogram, which is not taken: send a counter histogram",
} as const;

/** Machine words for what is wrong with a point: reasons of outcomes. */
export type Fault = keyof typeof FAULTS;

/** Before the name of the metric that has too many series. */
const SERIES_LIMIT = "series_limit:";

/** The reason of outcomes of points that would begin a series too many of a metric. */
export function overSeriesLimit(name: string): string {
  return SERIES_LIMIT + name;
}

/** The name of the metric that has too many series; null when points were not taken for another reason. */
export function metricOverSeriesLimit(reason: string): string | null {
  return reason.startsWith(SERIES_LIMIT) ? reason.slice(SERIES_LIMIT.length) : null;
}

/** Whether points were not taken because they would begin a series too many. @param reason of their outcome */
export function isOverSeriesLimit(reason: string): boolean {
  return metricOverSeriesLimit(reason) !== null;
}

/** What to tell the sender of points that were not taken for this reason. */
export function faultInWords(reason: string): string {
  const name = metricOverSeriesLimit(reason);
  if (name !== null) {
    return `${name} or the project has as many active series as it may; fewer labels make fewer series`;
  }
  const words: Readonly<Record<string, string>> = FAULTS;
  return words[reason] ?? reason;
}

/** Whether something that is one or the other is a fault. */
export function isFault(value: unknown): value is Fault {
  return typeof value === "string";
}
