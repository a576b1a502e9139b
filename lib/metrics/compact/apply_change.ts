import type { Queryable, Sql, Transaction } from "../../store/database.ts";
import { type Columns, incoming, saveRows } from "../../store/write_rows.ts";
import { ensurePartitions } from "../../store/partitions.ts";
import { encodeBlock } from "../codec/block.ts";
import type { RawSeries, SeriesSteps } from "../points.ts";
import { byId } from "../ids.ts";
import { LEVEL, TIER, type Tier } from "../slots.ts";

export type BlockKey = Pick<BlockRow, "metricId" | "tier" | "slot" | "pack" | "minSeries">;

export interface BatchKey {
  readonly receivedAt: Date;
  readonly batchId: string;
}

/** What compaction does in one transaction: rows that were read go, what was made of them comes. */
interface Change {
  readonly projectId: string;
  readonly batches: readonly BatchKey[];
  readonly removed: readonly BlockKey[];
  readonly added: readonly BlockRow[];
  /** Slots that have points which are not settled now. */
  readonly dirtySlots: readonly number[];
}

/** Somebody else has changed what was read: nothing is done, and reading again gives the new state. */
export class Overtaken extends Error {
  override name = "Overtaken";
}

const UNIQUE_VIOLATION = "23505";

/**
 * Does a change wholly or not at all. Whoever else does the same work at the same time loses: each row is taken away
 * once.
 *
 * @throws {Overtaken} when a row is gone, or what is to be written is there
 */
export async function applyChange(sql: Sql, change: Change): Promise<void> {
  await ensurePartitions(sql, change.added.map(({ slot }) => new Date(slot)));
  try {
    await sql.begin((tx) => writeChange(tx, change));
  } catch (error) {
    if (isUniqueViolation(error)) throw new Overtaken("The blocks are there already");
    throw error;
  }
}

async function writeChange(tx: Transaction, change: Change): Promise<void> {
  const { projectId } = change;
  await removeBatches(tx, change);
  for (const table of TABLES) {
    await removeBlocks(tx, projectId, table, change.removed.filter(isOf(table)));
  }
  for (const table of TABLES) {
    const added = change.added.filter(isOf(table)).map((block) => ({ projectId, ...block }));
    await saveRows(tx, { name: table, key: [], columns: BLOCK }, added);
  }
  await markDirty(tx, projectId, LEVEL.slot, change.dirtySlots);
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}

const BATCH_KEY: Columns<BatchKey> = {
  received_at: ["timestamptz", ({ receivedAt }) => receivedAt],
  batch_id: ["uuid", ({ batchId }) => batchId],
};

async function removeBatches(tx: Transaction, { projectId, batches }: Change): Promise<void> {
  if (batches.length === 0) return;
  const { count } = await tx`
    delete from metric_batches as batch using ${incoming(tx, batches, BATCH_KEY)}
    where project_id = ${projectId} and batch.received_at = incoming.received_at
      and batch.batch_id = incoming.batch_id
  `;
  if (count !== batches.length) throw new Overtaken("Waiting points are gone");
}

const TABLES = ["metric_blocks", "metric_packs"] as const;
type BlockTable = typeof TABLES[number];

/** Where blocks of a pack are kept: apart until they are settled. */
export function tableOf(pack: string): BlockTable {
  return pack === SETTLED ? "metric_blocks" : "metric_packs";
}

function isOf(table: BlockTable): (block: BlockKey) => boolean {
  return ({ pack }) => tableOf(pack) === table;
}

/** A condition on `block` that holds for all of these: Postgres looks into no other partitions. */
export function slotsBetween(sql: Queryable, blocks: readonly Pick<BlockKey, "slot">[]) {
  const slots = blocks.map(({ slot }) => slot).sort((one, other) => one - other);
  const [first, last] = [new Date(slots[0] ?? 0), new Date(slots.at(-1) ?? 0)];
  return sql`block.slot between ${first}::timestamptz and ${last}::timestamptz`;
}

/** What tells the blocks of a project apart. */
export const BLOCK_KEY: Columns<BlockKey> = {
  metric_id: ["bigint", ({ metricId }) => metricId],
  tier: ["smallint", ({ tier }) => TIER[tier]],
  slot: ["timestamptz", ({ slot }) => new Date(slot)],
  pack: ["bigint", ({ pack }) => pack],
  min_series: ["bigint", ({ minSeries }) => minSeries],
};

async function removeBlocks(
  tx: Transaction,
  projectId: string,
  table: BlockTable,
  removed: readonly BlockKey[],
): Promise<void> {
  if (removed.length === 0) return;
  const { count } = await tx`
    delete from ${tx(table)} as block using ${incoming(tx, removed, BLOCK_KEY)}
    where project_id = ${projectId} and block.metric_id = incoming.metric_id
      and block.tier = incoming.tier and block.slot = incoming.slot
      and block.pack = incoming.pack and block.min_series = incoming.min_series
      and ${slotsBetween(tx, removed)}
  `;
  if (count !== removed.length) throw new Overtaken("Blocks are gone");
}

const BLOCK: Columns<BlockRow> = {
  ...BLOCK_KEY,
  max_series: ["bigint", ({ maxSeries }) => maxSeries],
  series: ["integer", ({ series }) => series],
  samples: ["integer", ({ samples }) => samples],
  body: ["long_base64", ({ body }) => body.toBase64()],
};

/** Something came for these slots or days: whatever was made of them is to be made again. */
export async function markDirty(
  tx: Transaction,
  projectId: string,
  level: number,
  slots: readonly number[],
): Promise<void> {
  if (slots.length === 0) return;
  const times = [...new Set(slots)].sort((one, other) => one - other);
  await tx`
    insert into metric_slots (project_id, level, slot, dirty_since)
    select ${projectId}::bigint, ${level}::smallint, slot, now()
    from unnest(${times.map((time) => new Date(time).toISOString())}::text[]::timestamptz[]) as slot
    on conflict (project_id, level, slot) do update
    set dirty_since = coalesce(metric_slots.dirty_since, excluded.dirty_since), changes = metric_slots.changes + 1
  `;
}

/** A slot or day is made of all that came for it; unless more came since it was looked at. */
export async function markDone(
  tx: Transaction,
  projectId: string,
  level: number,
  { slot, changes }: { readonly slot: number; readonly changes: string },
): Promise<void> {
  const now = new Date();
  await tx`
    update metric_slots set settled_at = ${now},
      dirty_since = case when changes = ${changes}::bigint then null else ${now}::timestamptz end
    where project_id = ${projectId} and level = ${level}::smallint and slot = ${new Date(slot)}
  `;
}

/** A block as its row tells of it. */
export interface BlockRow {
  readonly metricId: string;
  readonly tier: Tier;
  /** Milliseconds since 1970. */
  readonly slot: number;
  readonly pack: string;
  readonly minSeries: string;
  readonly maxSeries: string;
  readonly series: number;
  readonly samples: number;
  readonly body: Uint8Array;
}

/** What a new block is filed under. */
interface BlockPlace {
  readonly metricId: string;
  readonly tier: Tier;
  readonly slot: number;
  readonly pack: string;
}

/** A settled block's. */
export const SETTLED = "0";

/** So few that a page which shows some series reads little, and that packing holds nobody up for long. */
const MAX_SERIES = 256;
const MAX_SAMPLES = 65_536;

/** Packs series of one metric, those with near ids together; those without points are left out. */
export function* blockRows(
  place: BlockPlace,
  all: readonly (RawSeries | SeriesSteps)[],
  level: number,
): Generator<BlockRow> {
  const sorted = all.filter(({ times }) => times.length > 0).sort(byId);
  let part: (RawSeries | SeriesSteps)[] = [];
  let samples = 0;
  for (const series of sorted) {
    const more = series.times.length;
    if (part.length === MAX_SERIES || (part.length > 0 && samples + more > MAX_SAMPLES)) {
      yield toRow(place, part, samples, level);
      part = [];
      samples = 0;
    }
    part.push(series);
    samples += more;
  }
  if (part.length > 0) yield toRow(place, part, samples, level);
}

function toRow(
  place: BlockPlace,
  series: readonly (RawSeries | SeriesSteps)[],
  samples: number,
  level: number,
): BlockRow {
  return {
    ...place,
    minSeries: series[0]?.seriesId ?? "0",
    maxSeries: series.at(-1)?.seriesId ?? "0",
    series: series.length,
    samples,
    body: encodeBlock(series, level),
  };
}
