import { parse, type Type } from "protobufjs";

/** A sample; NaN that is stale is written as Prometheus writes it. */
export interface SampleForm {
  readonly value: number | "stale";
  readonly timeMs: number;
  readonly startMs?: number;
}

/** A native histogram; whole numbers are written as such unless it `isFloat`. */
export interface HistogramForm {
  readonly count: number;
  readonly sum: number | "stale";
  readonly schema: number;
  readonly zeroCount?: number;
  readonly zeroThreshold?: number;
  /** Offset and length. */
  readonly spans?: readonly (readonly [number, number])[];
  readonly negativeSpans?: readonly (readonly [number, number])[];
  readonly deltas?: readonly number[];
  readonly negativeDeltas?: readonly number[];
  readonly counts?: readonly number[];
  readonly customBounds?: readonly number[];
  readonly isFloat?: boolean;
  readonly resetHint?: number;
  readonly timeMs: number;
}

/** A series of a request. */
export interface SeriesForm {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples?: readonly SampleForm[];
  readonly histograms?: readonly HistogramForm[];
  readonly exemplars?: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
    readonly timeMs: number;
  }[];
  /** Of version 2 only. */
  readonly metadata?: { readonly type: number; readonly help?: string; readonly unit?: string };
  readonly createdMs?: number;
}

/** A family of a request of version 1. */
export interface FamilyForm {
  readonly type: number;
  readonly name: string;
  readonly help?: string;
  readonly unit?: string;
}

/**
 * The messages of both versions, with our names for some fields. What may be the one NaN that marks a series as stale is
 * written by its bits, which no number of JavaScript keeps.
 */
const { root } = parse(`
syntax = "proto3";

message WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
message TimeSeries {
  repeated Label labels = 1;
  repeated Sample samples = 2;
  repeated Exemplar exemplars = 3;
  repeated Histogram histograms = 4;
}
message Label { string name = 1; string value = 2; }
message Sample { fixed64 value = 1; int64 timeMs = 2; int64 startMs = 3; }
message Exemplar { repeated Label labels = 1; double value = 2; int64 timeMs = 3; }
message MetricMetadata { int32 type = 1; string name = 2; string help = 4; string unit = 5; }

message Histogram {
  oneof allCount { uint64 wholeCount = 1; double count = 2; }
  fixed64 sum = 3;
  sint32 schema = 4;
  double zeroThreshold = 5;
  oneof allZeroCount { uint64 wholeZeroCount = 6; double zeroCount = 7; }
  repeated BucketSpan negativeSpans = 8;
  repeated sint64 negativeDeltas = 9;
  repeated BucketSpan spans = 11;
  repeated sint64 deltas = 12;
  repeated double counts = 13;
  int32 resetHint = 14;
  int64 timeMs = 15;
  repeated double customBounds = 16;
}
message BucketSpan { sint32 offset = 1; uint32 length = 2; }

message Request { repeated string symbols = 4; repeated TimeSeries2 timeseries = 5; }
message TimeSeries2 {
  repeated uint32 refs = 1;
  repeated Sample samples = 2;
  repeated Histogram histograms = 3;
  repeated Exemplar2 exemplars = 4;
  Metadata metadata = 5;
  int64 createdMs = 6;
}
message Exemplar2 { repeated uint32 refs = 1; double value = 2; int64 timeMs = 3; }
message Metadata { int32 type = 1; uint32 help = 3; uint32 unit = 4; }
`);
const WRITE_REQUEST = root.lookupType("WriteRequest");
const REQUEST = root.lookupType("Request");

/** `prometheus.WriteRequest`. */
export function toV1(series: readonly SeriesForm[], families: readonly FamilyForm[] = []) {
  const labelsOf = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).map(([name, value]) => ({ name, value }));
  const timeseries = series.map(({ labels, samples, histograms, exemplars = [] }) => ({
    labels: labelsOf(labels),
    samples: samples?.map(sampleOf),
    exemplars: exemplars.map((each) => ({ ...each, labels: labelsOf(each.labels) })),
    histograms: histograms?.map(histogramOf),
  }));
  return encoded(WRITE_REQUEST, { timeseries, metadata: families });
}

/** `io.prometheus.write.v2.Request`. */
export function toV2(series: readonly SeriesForm[]) {
  const symbols = [""];
  const place = (text: string) => {
    if (!symbols.includes(text)) symbols.push(text);
    return symbols.indexOf(text);
  };
  const refsOf = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).flatMap(([name, value]) => [place(name), place(value)]);
  const timeseries = series.map(({ metadata = { type: 0 }, createdMs, ...one }) => ({
    refs: refsOf(one.labels),
    samples: one.samples?.map(sampleOf),
    histograms: one.histograms?.map(histogramOf),
    exemplars: one.exemplars?.map(({ labels, ...rest }) => ({ refs: refsOf(labels), ...rest })),
    metadata: {
      type: metadata.type,
      help: place(metadata.help ?? ""),
      unit: place(metadata.unit ?? ""),
    },
    createdMs,
  }));
  return encoded(REQUEST, { symbols, timeseries });
}

function encoded(type: Type, message: Record<string, unknown>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(type.encode(type.fromObject(message)).finish());
}

function sampleOf({ value, ...times }: SampleForm) {
  return { value: bitsOf(value), ...times };
}

function histogramOf({ isFloat = false, count, zeroCount = 0, ...form }: HistogramForm) {
  const spansOf = (spans: HistogramForm["spans"]) =>
    spans?.map(([offset, length]) => ({ offset, length }));
  return {
    ...form,
    ...(isFloat ? { count, zeroCount } : { wholeCount: count, wholeZeroCount: zeroCount }),
    sum: bitsOf(form.sum),
    spans: spansOf(form.spans),
    negativeSpans: spansOf(form.negativeSpans),
  };
}

const STALE = 0x7ff0000000000002n;

function bitsOf(value: number | "stale"): string {
  const [bits = 0n] = new BigUint64Array(Float64Array.of(value === "stale" ? 0 : value).buffer);
  return String(value === "stale" ? STALE : bits);
}
