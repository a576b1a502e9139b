/** The journal of what commits have counted: whoever folds it adds it to what pages read, see `fold_stats.ts`. */
import { zstdDecompressSync } from "node:zlib";
import { zstd } from "../../core/zstd.ts";
import { ByteReader, ByteWriter } from "../../core/bytes.ts";
import type { Sql, Transaction } from "../database.ts";
import { unpackText } from "../values.ts";
import { saveRows, type Table } from "../write_rows.ts";
import { compactDistinct, joinedSets } from "./distinct.ts";
import { type Series, SERIES_FIELDS, SERIES_KINDS, type SeriesKind, seriesOf } from "./series.ts";
import { Sketch } from "./sketch.ts";
import { type FoldedNames, type StatCount, type StatTally, sumsWithId } from "./stat_tally.ts";

/** What earlier versions wrote begins with zstd's own first byte. */
const FORMAT = 2;
const TRACE_BYTES = 16;

interface NewEntry {
  readonly projectId: string;
  readonly hex: string;
}

const STAT_JOURNAL: Table<NewEntry> = {
  name: "stat_journal",
  key: [],
  columns: {
    entry_id: ["uuid", () => crypto.randomUUID()],
    entry: ["hex", ({ hex }) => hex],
  },
};

/**
 * Appends what a commit counted, one entry a project, in the transaction of the commit. What pages read is made of it
 * later: many commits add to the same few rows, and if each changed them itself, all would wait for one another.
 */
export async function appendToJournal(tx: Transaction, tally: StatTally): Promise<void> {
  const { counts, folded } = tally;
  if (counts.length === 0) return;
  const foldedBy = Map.groupBy(folded, ({ projectId }) => projectId);
  const entries = [...Map.groupBy(counts, ({ projectId }) => projectId)].map(
    ([projectId, counts]) => ({
      projectId,
      hex: packEntry(counts, foldedBy.get(projectId) ?? []).toHex(),
    }),
  );
  await saveRows(tx, STAT_JOURNAL, entries);
}

/** How long the oldest entry has waited to be added up, in milliseconds; null when there is none. */
export async function oldestEntryMs(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ ageMs: number | null }[]>`
    select (extract(epoch from clock_timestamp() - min(appended_at)) * 1000)::float8 as "ageMs"
    from stat_journal
  `;
  return row?.ageMs ?? null;
}

/** What is text in an entry, each once. */
class Texts {
  readonly all: string[] = [""];
  readonly #places = new Map<string, number>([["", 0]]);

  placeOf(text: string): number {
    let place = this.#places.get(text);
    if (place === undefined) this.#places.set(text, place = this.all.push(text) - 1);
    return place;
  }
}

const writer = new ByteWriter();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Packs what a commit counted of a project. */
function packEntry(counts: readonly StatCount[], folded: readonly FoldedNames[]): Uint8Array {
  const texts = new Texts();
  // Bytes of sketches come from a writer that is not this one, but sets and traces are appended as they are.
  const sketches = counts.map(({ sketch }) => sketch.toBytes());
  writer.clear();
  writer.varint(counts.length);
  let minute = 0;
  for (const [at, count] of counts.entries()) {
    writer.signed(count.minute - minute);
    minute = count.minute;
    writeCount(count, sketches[at] ?? new Uint8Array(), texts);
  }
  writer.varint(folded.length);
  for (const { hour, transactions, names, example } of folded) {
    writer.varint(hour);
    writer.varint(transactions);
    writeBytes(compactDistinct(joinedSets(names)));
    writer.varint(texts.placeOf(example));
  }
  const text = encoder.encode(JSON.stringify(texts.all));
  const columns = writer.written();
  const plain = new Uint8Array(4 + text.length + columns.length);
  new DataView(plain.buffer).setUint32(0, text.length, true);
  plain.set(text, 4);
  plain.set(columns, 4 + text.length);
  const squeezed = zstd(plain);
  const entry = new Uint8Array(1 + squeezed.length);
  entry[0] = FORMAT;
  entry.set(squeezed, 1);
  return entry;
}

function writeCount(count: StatCount, sketch: Uint8Array, texts: Texts): void {
  const { series } = count;
  writer.id(count.seriesId);
  writer.varint(SERIES_KINDS[series.kind]);
  for (const field of SERIES_FIELDS) writer.varint(texts.placeOf(series[field]));
  writer.varint(count.count);
  writer.varint(count.failures);
  writer.double(count.weight);
  writer.double(count.sum);
  for (const status of count.statuses) writer.varint(status);
  writeBytes(sketch);
  writeBytes(
    count.users.length === 0 ? new Uint8Array() : compactDistinct(joinedSets(count.users)),
  );
  writer.bytes(Uint8Array.fromHex(count.traceId));
}

function writeBytes(bytes: Uint8Array): void {
  writer.varint(bytes.length);
  writer.bytes(bytes);
}

/** Adds what an entry holds to a tally, for each series and for those that it is part of. @throws {Error} when it is damaged */
export function addEntry(projectId: string, bytes: Uint8Array, tally: StatTally): void {
  if (bytes[0] !== FORMAT) return addFirstEntry(projectId, bytes, tally);
  const plain = zstdDecompressSync(bytes.subarray(1));
  const length = new DataView(plain.buffer, plain.byteOffset).getUint32(0, true);
  const texts: string[] = JSON.parse(decoder.decode(plain.subarray(4, 4 + length)));
  const reader = new ByteReader(plain.subarray(4 + length));
  let minute = 0;
  for (let left = reader.varint(); left > 0; left--) {
    minute += reader.signed();
    addWithSums(readCount(projectId, minute, reader, texts), tally);
  }
  for (let left = reader.varint(); left > 0; left--) {
    const [hour, transactions] = [reader.varint(), reader.varint()];
    const names = [reader.bytes(reader.varint())];
    tally.addFoldedNames({
      projectId,
      hour,
      transactions,
      names,
      example: texts[reader.varint()] ?? "",
    });
  }
}

/** The series of ids that were read lately: some 10 MB. */
const CAPACITY = 20_000;
const known = new Map<string, Series>();

function readCount(
  projectId: string,
  minute: number,
  reader: ByteReader,
  texts: readonly string[],
): StatCount {
  const seriesId = reader.id();
  const series = readSeries(seriesId, reader, texts);
  const [count, failures] = [reader.varint(), reader.varint()];
  const [weight, sum] = [reader.double(), reader.double()];
  const statuses: StatCount["statuses"] = [
    reader.varint(),
    reader.varint(),
    reader.varint(),
    reader.varint(),
  ];
  const sketch = new Sketch();
  sketch.addUnread(reader.bytes(reader.varint()));
  const users = reader.bytes(reader.varint());
  const traceId = reader.bytes(TRACE_BYTES).toHex();
  return {
    projectId,
    series,
    seriesId,
    minute,
    count,
    failures,
    weight,
    sum,
    statuses,
    sketch,
    users: users.length === 0 ? [] : [users],
    traceId,
  };
}

function readSeries(seriesId: string, reader: ByteReader, texts: readonly string[]): Series {
  const kind = reader.varint();
  const series = known.get(seriesId);
  if (series !== undefined) {
    for (let left = SERIES_FIELDS.length; left > 0; left--) reader.varint();
    return series;
  }
  const facts: Record<string, string> = {};
  for (const field of SERIES_FIELDS) facts[field] = texts[reader.varint()] ?? "";
  const made = seriesOf({ ...PLACELESS, ...facts, kind: KIND_OF.get(kind) ?? "total" });
  if (known.size >= CAPACITY) known.clear();
  known.set(seriesId, made);
  return made;
}

const PLACELESS = { environment: "", release: "", service: "" };
const KIND_OF: ReadonlyMap<number, SeriesKind> = new Map(
  (Object.keys(SERIES_KINDS) as SeriesKind[]).map((kind) => [SERIES_KINDS[kind], kind]),
);

/** Counts for the series itself, and for those that it is part of. */
function addWithSums(count: StatCount, tally: StatTally): void {
  for (const sum of sumsWithId(count)) {
    const sketch = new Sketch();
    sketch.merge(count.sketch);
    const { statuses: [ok, moved, refused, failed], users } = count;
    const statuses: StatCount["statuses"] = [ok, moved, refused, failed];
    tally.addCount({ ...count, ...sum, statuses, sketch, users: [...users] });
  }
  tally.addCount(count);
}

/** One entry as earlier versions wrote it. Bytes are hexadecimal digits. */
interface FirstEntry {
  readonly counts: readonly (
    & Omit<StatCount, "projectId" | "series" | "sketch" | "users">
    & { readonly series: Partial<Series>; readonly sketch: string; readonly users: string }
  )[];
  readonly folded:
    readonly (Omit<FoldedNames, "projectId" | "names"> & { readonly names: string })[];
}

function addFirstEntry(projectId: string, bytes: Uint8Array, tally: StatTally): void {
  const { counts, folded }: FirstEntry = JSON.parse(unpackText(bytes));
  for (const { series: facts, sketch, users, ...count } of counts) {
    const series = seriesOf(facts as Parameters<typeof seriesOf>[0]);
    addWithSums({
      ...count,
      projectId,
      series,
      sketch: Sketch.of(Uint8Array.fromHex(sketch)),
      users: users === "" ? [] : [Uint8Array.fromHex(users)],
    }, tally);
  }
  for (const { names, ...facts } of folded) {
    tally.addFoldedNames({ ...facts, projectId, names: [Uint8Array.fromHex(names)] });
  }
}
