import type { Label } from "../../records/mod.ts";
import { isFault } from "../metrics/limits.ts";
import { LIMITS } from "../otlp/request.ts";
import { refuseRemoteFloods } from "../otlp/floods.ts";
import { OtlpReader, refuseDamaged } from "../otlp/proto_reader.ts";
import { type FamilyMemory, familyType } from "./families.ts";
import {
  type NativeHistogram,
  readHistogram,
  readSample,
  type RemoteSample,
  timeOf,
} from "./series_parts.ts";
import { hasOnlySeries, KnownSeries, type RememberedSeries } from "./known_series.ts";
import { countFault, type SentExemplar, seriesIdentity, type SeriesTaker } from "./series_taker.ts";
import { SeriesMemory, SeriesWalk } from "../metrics/series_memory.ts";

/** What reading a `WriteRequest` needs beside its bytes. */
export interface V1Context {
  readonly taker: SeriesTaker;
  readonly families: FamilyMemory;
  readonly projectId: string;
}

/**
 * Reads a `prometheus.WriteRequest`, which remote write 1.0 sends.
 *
 * @throws {Refusal} 400 for what is no such request, 413 for too many samples or parts
 */
export function readV1(body: Uint8Array, context: V1Context): void {
  refuseDamaged(() => {
    const reader = new OtlpReader(body);
    // Nothing is made of series that are known: they need no look at how many parts they have.
    const begun = hasOnlySeries(body) ? knownOf(reader, context) : null;
    if (begun?.takeFirst() === true) return;
    refuseRemoteFloods(body, 1);
    const series: number[] = [];
    const metadata: number[] = [];
    reader.readAll((field) => {
      if (field === 1) reader.note(series);
      else if (field === 3) reader.note(metadata);
    }, null);
    // A type counts for the samples beside it.
    reader.readNoted(metadata, readFamily, context);
    const known = begun ?? knownOf(reader, context);
    reader.readNoted(series, readSeries, { ...context, known });
  });
}

function knownOf(reader: OtlpReader, context: V1Context): KnownSeries {
  return new KnownSeries(reader, walkOf(context), context.taker);
}

/** What is remembered of a project's series, until its metrics get other types. */
interface Remembered {
  readonly revision: number;
  readonly memory: SeriesMemory<RememberedSeries>;
}

function walkOf({ taker, families, projectId }: V1Context): SeriesWalk<RememberedSeries> {
  const projects = taker.book.memory<Remembered>("remote_write_1");
  const { revision } = families;
  let remembered = projects.get(projectId);
  if (remembered?.revision !== revision) {
    remembered = { revision, memory: new SeriesMemory() };
    projects.set(projectId, remembered);
  }
  return new SeriesWalk(remembered.memory);
}

interface SentFamily {
  type: number;
  name: string;
  help: string;
  unit: string;
}

function readFamily({ families, projectId }: V1Context, reader: OtlpReader): void {
  reader.countElement();
  const { type, name, help, unit } = reader.message(familyField, {
    type: 0,
    name: "",
    help: "",
    unit: "",
  });
  families.set(projectId, name, { type: familyType(type), help, unit });
}

function familyField(field: number, family: SentFamily, reader: OtlpReader): void {
  if (field === 1) family.type = reader.uint();
  else if (field === 2) family.name = reader.text(LIMITS.name);
  else if (field === 4) family.help = reader.text(LIMITS.name);
  else if (field === 5) family.unit = reader.text(LIMITS.name);
}

interface SeriesParts {
  /** Only noted: most series are known by them. */
  readonly labels: number[];
  readonly samples: RemoteSample[];
  readonly histograms: NativeHistogram[];
  readonly exemplars: SentExemplar[];
}

function seriesField(field: number, parts: SeriesParts, reader: OtlpReader): void {
  if (field === 1) reader.note(parts.labels);
  if (!reader.isMessage || field === 1) return;
  reader.countElement();
  if (field === 2) parts.samples.push(readSample(reader));
  else if (field === 3 && parts.exemplars.length < LIMITS.exemplars) {
    parts.exemplars.push(readExemplar(reader));
  } else if (field === 4) parts.histograms.push(readHistogram(reader));
}

interface SeriesContext extends V1Context {
  readonly known: KnownSeries;
}

function readSeries(context: SeriesContext, reader: OtlpReader): void {
  const { taker, families, projectId, known } = context;
  if (known.take()) return;
  const { walk } = known;
  reader.countElement();
  const parts: SeriesParts = { labels: [], samples: [], histograms: [], exemplars: [] };
  reader.message(seriesField, parts);
  const key = reader.bytesAt(parts.labels);
  const remembered = walk.find(key);
  const identity = remembered?.identity ?? identityAt(parts.labels, context, reader);
  const family = isFault(identity) ? null : families.of(projectId, identity.name);
  if (remembered === undefined && !isFault(identity) && key.length <= MAX_REMEMBERED_BYTES) {
    const numbers = taker.numbersOf(identity, family);
    walk.learn(key, bytesAt(parts.labels, reader), { identity, numbers });
    // The key, and the bytes once more.
    taker.book.spend(key);
    taker.book.spend(key);
  }
  taker.add({ ...parts, identity, family });
}

/** With the field's number in front; none where they are not all in a row. */
function bytesAt(places: readonly number[], { buf }: OtlpReader): Uint8Array {
  const [from = 1, to = 0] = places;
  return places.length === 2 ? buf.subarray(from - 1, to) : new Uint8Array();
}

/** Longer ones are read every time. */
const MAX_REMEMBERED_BYTES = 4_000;

function identityAt(places: readonly number[], { taker }: V1Context, reader: OtlpReader) {
  const sent: Label[] = [];
  reader.readNoted(places, readLabel, sent);
  const fault = countFault(sent.length);
  if (fault !== null) return fault;
  const labels = sent.map(([name, value]) => taker.book.scrubbed(name, value));
  return seriesIdentity(labels.filter((label) => label !== null), taker.book);
}

interface SentLabel {
  name: string;
  value: string;
}

function readLabel(labels: Label[], reader: OtlpReader): void {
  if (!reader.isMessage) return;
  reader.countElement();
  const { name, value } = reader.message(labelField, { name: "", value: "" });
  labels.push([name, value]);
}

function labelField(field: number, label: SentLabel, reader: OtlpReader): void {
  if (field === 1) label.name = reader.key();
  else if (field === 2) label.value = reader.text(LIMITS.text);
}

interface ReadExemplar {
  readonly labels: Label[];
  value: number;
  timeMs: number;
}

function readExemplar(reader: OtlpReader): SentExemplar {
  return reader.message(exemplarField, { labels: [], value: 0, timeMs: 0 });
}

function exemplarField(field: number, exemplar: ReadExemplar, reader: OtlpReader): void {
  if (field === 1) readLabel(exemplar.labels, reader);
  else if (field === 2) exemplar.value = reader.double() ?? 0;
  else if (field === 3) exemplar.timeMs = timeOf(reader);
}
