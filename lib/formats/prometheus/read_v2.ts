import type { Label } from "../../records/mod.ts";
import { LIMITS as METRIC_LIMITS } from "../metrics/limits.ts";
import { LIMITS } from "../otlp/request.ts";
import { refuseRemoteFloods } from "../otlp/floods.ts";
import { OtlpReader, refuseDamaged } from "../otlp/proto_reader.ts";
import { Refusal } from "../../core/refusal.ts";
import { type Family, familyType } from "./families.ts";
import {
  type NativeHistogram,
  readHistogram,
  readSample,
  type RemoteSample,
  timeOf,
} from "./series_parts.ts";
import { countFault, type SentExemplar, seriesIdentity, type SeriesTaker } from "./series_taker.ts";

/**
 * Reads an `io.prometheus.write.v2.Request`, which remote write 2.0 sends: texts stand once in a list, and everything
 * else names their places.
 *
 * @throws {Refusal} 400 for what is no such request, 413 for too many samples or parts
 */
export function readV2(body: Uint8Array, taker: SeriesTaker): void {
  refuseDamaged(() => {
    refuseRemoteFloods(body, 2);
    const texts: number[] = [];
    const series: number[] = [];
    const reader = new OtlpReader(body);
    reader.readAll((field) => {
      if (field === 4) reader.note(texts);
      else if (field === 5) reader.note(series);
    }, null);
    const symbols: string[] = [];
    reader.readNoted(texts, readSymbol, symbols);
    reader.readNoted(series, readSeries, { taker, symbols, labels: new Map() });
  });
}

function readSymbol(symbols: string[], reader: OtlpReader): void {
  reader.countElement();
  symbols.push(reader.text(LIMITS.text));
}

interface SeriesContext {
  readonly taker: SeriesTaker;
  readonly symbols: readonly string[];
  /** By their places among the symbols: many series share them. */
  readonly labels: Map<number, Label | null>;
}

interface ReadExemplar {
  readonly refs: number[];
  value: number;
  timeMs: number;
}

interface SeriesParts {
  readonly refs: number[];
  readonly samples: RemoteSample[];
  readonly histograms: NativeHistogram[];
  readonly exemplars: ReadExemplar[];
  readonly metadata: { type: number; help: number; unit: number };
  createdMs: number;
}

function seriesField(field: number, parts: SeriesParts, reader: OtlpReader): void {
  if (field === 1) reader.varints(parts.refs);
  else if (field === 6) parts.createdMs = timeOf(reader);
  if (!reader.isMessage || field === 1) return;
  reader.countElement();
  if (field === 2) parts.samples.push(readSample(reader));
  else if (field === 3) parts.histograms.push(readHistogram(reader));
  else if (field === 4 && parts.exemplars.length < LIMITS.exemplars) {
    parts.exemplars.push(reader.message(exemplarField, { refs: [], value: 0, timeMs: 0 }));
  } else if (field === 5) reader.message(metadataField, parts.metadata);
}

function exemplarField(field: number, exemplar: ReadExemplar, reader: OtlpReader): void {
  if (field === 1) reader.varints(exemplar.refs);
  else if (field === 2) exemplar.value = reader.double() ?? 0;
  else if (field === 3) exemplar.timeMs = timeOf(reader);
}

function metadataField(
  field: number,
  metadata: SeriesParts["metadata"],
  reader: OtlpReader,
): void {
  if (field === 1) metadata.type = reader.uint();
  else if (field === 3) metadata.help = reader.uint();
  else if (field === 4) metadata.unit = reader.uint();
}

function readSeries(context: SeriesContext, reader: OtlpReader): void {
  const { taker, symbols } = context;
  reader.countElement();
  const parts: SeriesParts = {
    refs: [],
    samples: [],
    histograms: [],
    exemplars: [],
    metadata: { type: 0, help: 0, unit: 0 },
    createdMs: 0,
  };
  reader.message(seriesField, parts);
  const { refs, samples, histograms, metadata, createdMs } = parts;
  const identity = countFault(refs.length / 2) ??
    seriesIdentity(labelsOf(refs, context), taker.book);
  for (const point of [...samples, ...histograms]) {
    if (point.startMs === 0) point.startMs = createdMs;
  }
  const exemplars = parts.exemplars.map(({ refs, value, timeMs }): SentExemplar => ({
    labels: countFault(refs.length / 2) === null ? pairsOf(refs, symbols) : [],
    value,
    timeMs,
  }));
  taker.add({ identity, family: familyOf(metadata, symbols), samples, histograms, exemplars });
}

function familyOf(
  { type, help, unit }: SeriesParts["metadata"],
  symbols: readonly string[],
): Family {
  return {
    type: familyType(type),
    help: textAt(help, symbols),
    unit: textAt(unit, symbols).slice(0, METRIC_LIMITS.unit),
  };
}

function labelsOf(refs: readonly number[], { taker, symbols, labels }: SeriesContext): Label[] {
  if (refs.length % 2 !== 0) throw broken();
  const list: Label[] = [];
  for (let place = 0; place < refs.length; place += 2) {
    const [name = 0, value = 0] = [refs[place], refs[place + 1]];
    const key = name * symbols.length + value;
    let label = labels.get(key);
    if (label === undefined) {
      label = taker.book.scrubbed(textAt(name, symbols), textAt(value, symbols));
      labels.set(key, label);
    }
    if (label !== null) list.push(label);
  }
  return list;
}

function pairsOf(refs: readonly number[], symbols: readonly string[]): Label[] {
  if (refs.length % 2 !== 0) throw broken();
  const pairs: Label[] = [];
  for (let place = 0; place < refs.length; place += 2) {
    pairs.push([textAt(refs[place] ?? 0, symbols), textAt(refs[place + 1] ?? 0, symbols)]);
  }
  return pairs;
}

function textAt(place: number, symbols: readonly string[]): string {
  const text = symbols[place];
  // Who has no texts names the first of them, which is to be empty.
  if (text === undefined && place !== 0) throw broken();
  return text ?? "";
}

function broken(): Refusal {
  return new Refusal(400, "A series names a symbol that is not in the request", {
    kind: "invalid",
    reason: "invalid_protobuf",
  });
}
