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
