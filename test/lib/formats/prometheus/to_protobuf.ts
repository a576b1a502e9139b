import { PbfWriter } from "pbf";

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

/** `prometheus.WriteRequest`. */
export function toV1(series: readonly SeriesForm[], families: readonly FamilyForm[] = []) {
  const writer = new PbfWriter();
  for (const one of series) {
    writer.writeMessage(1, (_, inner) => {
      for (const [name, value] of Object.entries(one.labels)) writeLabel(inner, 1, name, value);
      for (const sample of one.samples ?? []) writeSample(inner, 2, sample);
      for (const { labels, value, timeMs } of one.exemplars ?? []) {
        inner.writeMessage(3, (_, deeper) => {
          for (const [name, text] of Object.entries(labels)) writeLabel(deeper, 1, name, text);
          deeper.writeDoubleField(2, value);
          deeper.writeVarintField(3, timeMs);
        }, null);
      }
      for (const histogram of one.histograms ?? []) writeHistogram(inner, 4, histogram);
    }, null);
  }
  for (const { type, name, help = "", unit = "" } of families) {
    writer.writeMessage(3, (_, inner) => {
      inner.writeVarintField(1, type);
      inner.writeStringField(2, name);
      inner.writeStringField(4, help);
      inner.writeStringField(5, unit);
    }, null);
  }
  return new Uint8Array(writer.finish());
}

/** `io.prometheus.write.v2.Request`. */
export function toV2(series: readonly SeriesForm[]) {
  const symbols = [""];
  const place = (text: string) => {
    if (!symbols.includes(text)) symbols.push(text);
    return symbols.indexOf(text);
  };
  const refs = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).flatMap(([name, value]) => [place(name), place(value)]);
  const body = new PbfWriter();
  for (const one of series) {
    const { type = 0, help = "", unit = "" } = one.metadata ?? {};
    body.writeMessage(5, (_, inner) => {
      inner.writePackedVarint(1, refs(one.labels));
      for (const sample of one.samples ?? []) writeSample(inner, 2, sample);
      for (const histogram of one.histograms ?? []) writeHistogram(inner, 3, histogram);
      for (const { labels, value, timeMs } of one.exemplars ?? []) {
        inner.writeMessage(4, (_, deeper) => {
          deeper.writePackedVarint(1, refs(labels));
          deeper.writeDoubleField(2, value);
          deeper.writeVarintField(3, timeMs);
        }, null);
      }
      inner.writeMessage(5, (_, deeper) => {
        deeper.writeVarintField(1, type);
        deeper.writeVarintField(3, place(help));
        deeper.writeVarintField(4, place(unit));
      }, null);
      if (one.createdMs !== undefined) inner.writeVarintField(6, one.createdMs);
    }, null);
  }
  const head = new PbfWriter();
  for (const symbol of symbols) head.writeStringField(4, symbol);
  return new Uint8Array([...head.finish(), ...body.finish()]);
}

function writeLabel(writer: PbfWriter, field: number, name: string, value: string): void {
  writer.writeMessage(field, (_, inner) => {
    inner.writeStringField(1, name);
    inner.writeStringField(2, value);
  }, null);
}

function writeSample(
  writer: PbfWriter,
  field: number,
  { value, timeMs, startMs }: SampleForm,
): void {
  writer.writeMessage(field, (_, inner) => {
    writeDouble(inner, 1, value);
    inner.writeVarintField(2, timeMs);
    if (startMs !== undefined) inner.writeVarintField(3, startMs);
  }, null);
}

function writeDouble(writer: PbfWriter, field: number, value: number | "stale"): void {
  if (value !== "stale") return writer.writeDoubleField(field, value);
  writer.writeTag(field, 1);
  writer.writeFixed32(2);
  writer.writeFixed32(0x7ff00000);
}

function writeHistogram(writer: PbfWriter, field: number, form: HistogramForm): void {
  const { isFloat = false, zeroCount = 0, zeroThreshold = 0 } = form;
  writer.writeMessage(field, (_, inner) => {
    if (isFloat) inner.writeDoubleField(2, form.count);
    else inner.writeVarintField(1, form.count);
    writeDouble(inner, 3, form.sum);
    inner.writeSVarintField(4, form.schema);
    inner.writeDoubleField(5, zeroThreshold);
    if (isFloat) inner.writeDoubleField(7, zeroCount);
    else inner.writeVarintField(6, zeroCount);
    writeSpans(inner, 8, form.negativeSpans);
    if (form.negativeDeltas !== undefined) inner.writePackedSVarint(9, [...form.negativeDeltas]);
    writeSpans(inner, 11, form.spans);
    if (form.deltas !== undefined) inner.writePackedSVarint(12, [...form.deltas]);
    if (form.counts !== undefined) inner.writePackedDouble(13, [...form.counts]);
    if (form.resetHint !== undefined) inner.writeVarintField(14, form.resetHint);
    inner.writeVarintField(15, form.timeMs);
    if (form.customBounds !== undefined) inner.writePackedDouble(16, [...form.customBounds]);
  }, null);
}

function writeSpans(
  writer: PbfWriter,
  field: number,
  spans: readonly (readonly [number, number])[] = [],
): void {
  for (const [offset, length] of spans) {
    writer.writeMessage(field, (_, inner) => {
      inner.writeSVarintField(1, offset);
      inner.writeVarintField(2, length);
    }, null);
  }
}
