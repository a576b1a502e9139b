import { Turns } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { COMPRESSION } from "../codec/block.ts";
import { DamagedBytes } from "../../core/bytes.ts";
import { addPart, isRaw, type RawSeries, type SeriesSteps } from "../points.ts";
import { mergeRaw, SLOT_MS, TIER } from "../slots.ts";
import {
  applyChange,
  type BatchKey,
  type BlockKey,
  type BlockRow,
  blockRows,
  SETTLED,
} from "./apply_change.ts";
import { FreshPoints, type SlotPoints } from "./fresh_points.ts";
import {
  type BlockHead,
  blockHeads,
  type CompactServices,
  nextPack,
  readBlocks,
} from "./read_blocks.ts";

/** So many packs of a slot are made one, unless that is large already. */
const MANY_PACKS = 8;
/** A pack that has more than this share of what is merged stays as it is: else large ones would be merged ever again. */
const MAX_SHARE = 1 / 4;
const MAX_MERGED_SAMPLES = 250_000;
const ALL_IDS = { from: 0n, to: 2n ** 63n };

/**
 * Packs the oldest points that wait into blocks.
 *
 * @param limit points, about
 * @returns how many requests were packed
 * @throws {Overtaken} when somebody else was faster
 */
export async function packWaiting(
  services: CompactServices,
  projectId: string,
  limit = 500_000,
): Promise<number> {
  const { sql } = services;
  const fresh = new FreshPoints();
  const batches = await takeWaiting(services, projectId, limit, fresh);
  if (batches.length === 0) return 0;
  const turns = new Turns();
  const pack = await nextPack(sql);
  const slots = fresh.slots();
  const crowded = await crowdedSlots(sql, projectId, slots);
  const removed: BlockKey[] = [];
  const added: BlockRow[] = [];
  for (const points of slots) {
    const { metricId, slot } = points;
    const older = crowded.has(placeOf(points)) ? await packsToMerge(sql, projectId, points) : [];
    const { parts, damaged } = await readBlocks(services, projectId, older, ALL_IDS, turns);
    removed.push(...older.filter((head) => !damaged.has(head)));
    const series = joinParts(parts, points.series());
    for (const row of blockRows({ metricId, tier: "raw", slot, pack }, series, COMPRESSION.fast)) {
      added.push(row);
      await turns.breathe();
    }
  }
  const dirtySlots = slots.map(({ slot }) => slot);
  await applyChange(sql, { projectId, batches, removed, added, dirtySlots });
  return batches.length;
}

function joinParts(
  older: ReadonlyMap<string, readonly (RawSeries | SeriesSteps)[]>,
  fresh: readonly RawSeries[],
): RawSeries[] {
  const joined = new Map<string, RawSeries[]>();
  for (const [id, parts] of older) {
    joined.set(id, parts.filter(isRaw));
  }
  for (const series of fresh) addPart(joined, series);
  return Array.from(joined.values(), mergeRaw);
}

type Place = Pick<SlotPoints, "metricId" | "slot">;

function placeOf({ metricId, slot }: Place): string {
  return `${metricId}/${slot}`;
}

/** Which metrics have many packs in a slot, as `placeOf()` writes it. */
async function crowdedSlots(
  sql: Sql,
  projectId: string,
  places: readonly Place[],
): Promise<Set<string>> {
  const slots = [...new Set(places.map(({ slot }) => slot))];
  const rows = await sql<{ metricId: string; slot: Date }[]>`
    select metric_id as "metricId", slot from metric_packs
    where project_id = ${projectId} and tier = ${TIER.raw} and not is_damaged
      and slot = any(${slots.map((slot) => new Date(slot).toISOString())}::text[]::timestamptz[])
    group by metric_id, slot having count(distinct pack) >= ${MANY_PACKS}
  `;
  return new Set(rows.map(({ metricId, slot }) => placeOf({ metricId, slot: slot.getTime() })));
}

/** The latest packs, when there are many of a like size; in their order, so that what came later stays later. */
async function packsToMerge(
  sql: Sql,
  projectId: string,
  { metricId, slot }: Place,
): Promise<BlockHead[]> {
  const time = { from: slot, to: slot + SLOT_MS };
  const heads = await blockHeads(sql, projectId, metricId, "raw", time);
  const fresh = heads.filter(({ pack }) => pack !== SETTLED);
  const packs = [...Map.groupBy(fresh, ({ pack }) => pack).values()];
  let samples = 0;
  let largest = 0;
  let merged = 0;
  for (const [place, blocks] of packs.toReversed().entries()) {
    const size = blocks.reduce((sum, block) => sum + block.samples, 0);
    samples += size;
    largest = Math.max(largest, size);
    if (samples > MAX_MERGED_SAMPLES) break;
    if (place + 1 >= MANY_PACKS && largest <= samples * MAX_SHARE) merged = place + 1;
  }
  return packs.slice(packs.length - merged).flat();
}

/** What of a project waits to be packed. */
interface WaitingPoints {
  readonly projectId: string;
  readonly points: number;
  readonly ageMs: number;
}

/** All projects with points that wait, those with the oldest first. */
export async function waitingProjects(sql: Sql): Promise<WaitingPoints[]> {
  return await sql<WaitingPoints[]>`
    select project_id as "projectId", sum(points)::float8 as points,
      (extract(epoch from now() - min(received_at)) * 1000)::float8 as "ageMs"
    from metric_batches where not is_damaged
    group by project_id order by min(received_at)
  `;
}

/**
 * Hands out the oldest points that wait, in the order in which they came. Rows that cannot be read are set aside, with a
 * line in the log.
 *
 * @param limit points, about
 * @param fresh is given what is in the rows
 * @returns the rows
 */
async function takeWaiting(
  { sql, log }: CompactServices,
  projectId: string,
  limit: number,
  fresh: FreshPoints,
): Promise<BatchKey[]> {
  const rows = await sql<(BatchKey & { body: Uint8Array })[]>`
    select received_at as "receivedAt", replace(batch_id::text, '-', '') as "batchId", body from (
      select received_at, batch_id, body,
        sum(points) over (order by received_at, batch_id) - points as before
      from metric_batches where project_id = ${projectId} and not is_damaged
    ) as waiting
    where before < ${limit} order by received_at, batch_id
  `;
  const keys: BatchKey[] = [];
  const turns = new Turns();
  for (const { body, ...key } of rows) {
    try {
      fresh.addBatch(body);
      keys.push(key);
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error;
      await sql`
        update metric_batches set is_damaged = true
        where project_id = ${projectId} and received_at = ${key.receivedAt} and batch_id = ${key.batchId}
      `;
      log.error("waiting points are damaged: they are set aside", { projectId, ...key, error });
    }
    await turns.breathe();
  }
  return keys;
}
