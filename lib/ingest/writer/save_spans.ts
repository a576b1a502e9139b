/** How spans become rows: those that commit together in chunks, a row for each trace and sender, facts once a day. */
import { createHash } from "node:crypto";
import { setImmediate as pause } from "node:timers/promises";
import { storable } from "../../core/errors.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Span, SpanBatch } from "../../records/mod.ts";
import { spanFactsJson } from "../../records/span_rules.ts";
import type { Transaction } from "../../store/database.ts";
import { idsHex, inOrder, packChunk } from "../../store/spans/chunk.ts";
import { newChunkId } from "../../store/spans/stored_spans.ts";
import type { StatTally } from "../../store/stats/stat_tally.ts";
import { nameOf } from "../../store/values.ts";
import { insertNew, type InsertOnly, saveRows, type Table } from "../../store/write_rows.ts";
import { withoutKnownSpans, withPageNames } from "./known_spans.ts";
import type { OtherRow } from "./rows.ts";
import { type EntryNames, tallySpans } from "./tally_traces.ts";

type SpanRow = OtherRow<SpanBatch>;

/** What was written of spans. */
export interface SavedSpans {
  /** The rows of which something is new. */
  readonly stored: readonly SpanRow[];
  /** To be remembered after the commit. */
  readonly senders: NewSenders;
}

const NOTHING: SavedSpans = { stored: [], senders: { sources: [], facts: [] } };

/**
 * Stores and counts spans. Those that are stored already, in another batch, are neither stored nor counted again.
 *
 * @param names of transactions that came along
 * @param known what need not be written again
 */
export async function saveSpans(
  tx: Transaction,
  rows: readonly SpanRow[],
  names: EntryNames,
  tally: StatTally,
  known: KnownSenders,
): Promise<SavedSpans> {
  if (rows.length === 0) return NOTHING;
  const named = await withPageNames(tx, rows);
  const sent = await withoutKnownSpans(tx, named);
  const fresh = [...sent.keys()];
  if (fresh.length === 0) return NOTHING;
  const senders = known.findNew(fresh);
  // Senders go first: while chunks are packed others get their turn, and every writer locks in one order.
  const [, stored] = await Promise.all([saveSenders(tx, senders), saveBatches(tx, fresh)]);
  for (const { row } of stored) tallySpans(row.projectId, row.record, names, tally);
  const original = new Map(named.map((row, place) => [row, rows[place]]));
  return {
    stored: stored.flatMap(({ row }) => original.get(sent.get(row) ?? row) ?? []),
    senders,
  };
}

async function saveBatches(tx: Transaction, rows: readonly SpanRow[]): Promise<PlacedBatch[]> {
  const chunks = await packedChunks(rows);
  const placed = chunks.flatMap(({ batches }) => batches);
  const [stored] = await Promise.all([
    insertNew(tx, SPAN_BATCHES, placed),
    saveRows(tx, SPAN_CHUNKS, chunks.filter(({ chunkId }) => chunkId !== null)),
  ]);
  if (stored.length < placed.length) await emptyParts(tx, chunks, new Set(stored));
  return stored;
}

/** A batch with its place in a chunk. */
export interface PlacedBatch {
  readonly projectId: string;
  readonly row: SpanRow;
  /** In the order in which they are packed. */
  readonly spans: readonly Span[];
  /** Null: `inline` has them. */
  readonly chunkId: string | null;
  readonly place: number;
  /** As hexadecimal digits. */
  readonly inline: string;
}

export interface Chunk {
  readonly projectId: string;
  readonly chunkId: string | null;
  readonly timestamp: Date;
  readonly hex: string;
  readonly batches: readonly PlacedBatch[];
}

/** Of one chunk: a page that reads one trace of it unpacks it in a millisecond. */
const CHUNK_SPANS = 512;
const CHUNK_BYTES = 500_000;

/** Batches in chunks of their project and day; one that is alone needs none. Other requests get their turn in between. */
export async function packedChunks(rows: readonly SpanRow[]): Promise<Chunk[]> {
  const groups = Map.groupBy(
    rows,
    ({ projectId, record }) => `${projectId}/${Math.floor(record.timestamp.getTime() / DAY_MS)}`,
  );
  const chunks: Chunk[] = [];
  for (const group of groups.values()) {
    for (const some of inChunks(group)) {
      if (chunks.length > 0) await pause();
      chunks.push(chunkOf(some));
    }
  }
  return chunks;
}

function* inChunks(rows: readonly SpanRow[]): Generator<readonly SpanRow[]> {
  let [from, spans, bytes] = [0, 0, 0];
  for (const [at, row] of rows.entries()) {
    const isFull = spans + row.record.spans.length > CHUNK_SPANS || bytes + row.bytes > CHUNK_BYTES;
    if (at > from && isFull) {
      yield rows.slice(from, at);
      [from, spans, bytes] = [at, 0, 0];
    }
    spans += row.record.spans.length;
    bytes += row.bytes;
  }
  yield rows.slice(from);
}

/** @param rows at least one, of one project and day */
function chunkOf(rows: readonly SpanRow[]): Chunk {
  const parts = rows.map(({ record }) => inOrder(record.spans));
  const hex = packChunk(parts).toHex();
  const latest = rows.reduce((most, { record }) => Math.max(most, record.timestamp.getTime()), 0);
  const chunkId = rows.length === 1 ? null : newChunkId(latest);
  const projectId = rows[0]?.projectId ?? "";
  const batches = rows.map((row, place) => ({
    projectId,
    row,
    spans: parts[place] ?? [],
    chunkId,
    place,
    inline: chunkId === null ? hex : "",
  }));
  return { projectId, chunkId, timestamp: new Date(latest), hex, batches };
}

/** Takes out of chunks what another transaction has stored meanwhile: no row names it, so nothing would delete it. */
async function emptyParts(
  tx: Transaction,
  chunks: readonly Chunk[],
  stored: ReadonlySet<PlacedBatch>,
): Promise<void> {
  for (const { projectId, chunkId, timestamp, batches } of chunks) {
    if (chunkId === null || batches.every((batch) => stored.has(batch))) continue;
    const parts = batches.map((batch) => stored.has(batch) ? batch.spans : []);
    await tx`
      update span_chunks set spans = decode(${packChunk(parts).toHex()}, 'hex')
      where project_id = ${projectId} and "timestamp" = ${timestamp} and chunk_id = ${chunkId}
    `;
  }
}

export const SPAN_BATCHES: InsertOnly<PlacedBatch> = {
  name: "span_batches",
  id: "batch_id",
  idOf: ({ row }) => row.record.batchId,
  key: ["trace_id", "timestamp", "batch_id"],
  columns: {
    timestamp: ["timestamptz", ({ row }) => row.record.timestamp],
    received_at: ["timestamptz", ({ row }) => row.record.receivedAt],
    trace_id: ["uuid", ({ row }) => row.record.traceId],
    batch_id: ["uuid", ({ row }) => row.record.batchId],
    source_id: ["bigint", ({ row }) => senderOf(row.record).sourceId],
    facts_id: ["bigint", ({ row }) => senderOf(row.record).factsId],
    transaction: ["text", ({ row }) => nameOf(row.record.transaction)],
    span_count: ["integer", ({ spans }) => spans.length],
    span_ids: ["hex", ({ spans }) => idsHex(spans)],
    spans: ["hex", ({ inline }) => inline],
    chunk_id: ["bigint", ({ chunkId }) => chunkId],
    place: ["integer", ({ place }) => place],
  },
};

export const SPAN_CHUNKS: Table<Chunk> = {
  name: "span_chunks",
  key: [],
  columns: {
    timestamp: ["timestamptz", ({ timestamp }) => timestamp],
    chunk_id: ["bigint", ({ chunkId }) => chunkId],
    spans: ["hex", ({ hex }) => hex],
  },
};

/** Who sent the spans of a batch, and what these work with. */
interface Sender {
  /** Made of what follows, but for the facts: 63 bits as decimal text. */
  readonly sourceId: string;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly platform: string;
  readonly sdk: string;
  /** JSON text of an object. */
  readonly resource: string;
  /** Made of the facts. */
  readonly factsId: string;
  /** JSON text of an object. */
  readonly facts: string;
}

const made = new WeakMap<SpanBatch, Sender>();

/** The sender of a batch, made once. */
function senderOf(batch: SpanBatch): Sender {
  let sender = made.get(batch);
  if (sender === undefined) made.set(batch, sender = makeSender(batch));
  return sender;
}

function makeSender(batch: SpanBatch): Sender {
  const source = {
    environment: nameOf(batch.environment),
    release: nameOf(batch.release),
    service: nameOf(batch.service),
    platform: nameOf(batch.platform),
    sdk: nameOf(batch.sdk),
    resource: resourceJson(batch.resource),
  };
  const facts = storable(spanFactsJson(batch.spans));
  return {
    sourceId: idOf(Object.values(source).join("\x1f")),
    ...source,
    factsId: idOf(facts),
    facts,
  };
}

const resources = new WeakMap<object, string>();

/** Batches of one process share their resource. */
function resourceJson(resource: SpanBatch["resource"]): string {
  let json = resources.get(resource);
  if (json === undefined) resources.set(resource, json = JSON.stringify(resource));
  return json;
}

/** Some 20 MB at the most, and far less for texts that are not out of the ordinary. */
const MAX_IDS = 10_000;
const MAX_TEXT = 2_000;
const ids = new Map<string, string>();

/** 63 bits of a hash: hashing costs more than looking up what was hashed lately. */
function idOf(text: string): string {
  let id = ids.get(text);
  if (id !== undefined) return id;
  const hash = createHash("md5").update(text).digest();
  id = (hash.readBigUInt64LE(0) >> 1n).toString();
  if (ids.size >= MAX_IDS) ids.clear();
  if (text.length <= MAX_TEXT) ids.set(text, id);
  return id;
}

/** What is written of a sender on one day. */
interface DaySender extends Sender {
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

const SPAN_SOURCES: Table<DaySender> = {
  name: "span_sources",
  key: ["timestamp", "source_id"],
  columns: {
    timestamp: ["timestamptz", ({ day }) => `${day}T00:00:00Z`],
    source_id: ["bigint", ({ sourceId }) => sourceId],
    environment: ["text", ({ environment }) => environment],
    release: ["text", ({ release }) => release],
    service: ["text", ({ service }) => service],
    platform: ["text", ({ platform }) => platform],
    sdk: ["text", ({ sdk }) => sdk],
    resource: ["json", ({ resource }) => resource],
  },
};

const SPAN_FACTS: Table<DaySender> = {
  name: "span_facts",
  key: ["timestamp", "facts_id"],
  columns: {
    timestamp: ["timestamptz", ({ day }) => `${day}T00:00:00Z`],
    facts_id: ["bigint", ({ factsId }) => factsId],
    facts: ["json", ({ facts }) => facts],
  },
};

export interface NewSenders {
  readonly sources: readonly DaySender[];
  readonly facts: readonly DaySender[];
}

/** Writes sources and facts of senders that are not there yet. */
export async function saveSenders(tx: Transaction, { sources, facts }: NewSenders): Promise<void> {
  await Promise.all([saveRows(tx, SPAN_SOURCES, sources), saveRows(tx, SPAN_FACTS, facts)]);
}

/** Some 10 MB. */
const MAX_KNOWN = 50_000;

/**
 * Knows which sources and facts are stored already, by the day of the batch, so that steady traffic writes each once.
 * Forgetting costs a write that changes nothing; it never costs a sender.
 */
export class KnownSenders {
  readonly #known = new Set<string>();

  /** What is not known to be stored, each once. */
  findNew(rows: readonly SpanRow[]): NewSenders {
    const sources = new Map<string, DaySender>();
    const facts = new Map<string, DaySender>();
    for (const { projectId, record } of rows) {
      const sender = senderOf(record);
      const day = record.timestamp.toISOString().slice(0, 10);
      const source = keyOf(projectId, day, sender.sourceId);
      const fact = keyOf(projectId, day, `facts/${sender.factsId}`);
      if (!this.#known.has(source)) sources.set(source, { ...sender, projectId, day });
      if (!this.#known.has(fact)) facts.set(fact, { ...sender, projectId, day });
    }
    return { sources: [...sources.values()], facts: [...facts.values()] };
  }

  /** To be called after the commit, and only then. */
  remember({ sources, facts }: NewSenders): void {
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    for (const { projectId, day, sourceId } of sources) {
      this.#known.add(keyOf(projectId, day, sourceId));
    }
    for (const { projectId, day, factsId } of facts) {
      this.#known.add(keyOf(projectId, day, `facts/${factsId}`));
    }
  }
}

function keyOf(projectId: string, day: string, id: string): string {
  return `${projectId}/${day}/${id}`;
}
