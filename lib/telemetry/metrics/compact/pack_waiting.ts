import { Turns } from "../../../turns.ts";
import type { Sql } from "../../database.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import type { MetricSection } from "../codec/batch.ts";
import { LEVEL } from "../codec/block.ts";
import { clipRaw, mergeRaw, pointCount } from "../merge_raw.ts";
import type { RawSeries, SeriesSteps } from "../points.ts";
import { SLOT_MS, slotOf } from "../slots.ts";
import { applyChange, type BlockKey } from "./apply_change.ts";
import { type BlockRow, blockRows } from "./block_rows.ts";
import { type BlockHead, blockHeads, type CompactServices, readBlocks } from "./read_blocks.ts";
import { takeWaiting } from "./waiting.ts";

/** Points of one metric and slot, by series. */
interface FreshPoints {
  readonly metricId: string;
  readonly kind: MetricKind;
  readonly slot: number;
  readonly parts: Map<string, RawSeries[]>;
}

/** So many packs of a slot are made one, unless that is large already. */
const MANY_PACKS = 8;
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
  const { keys, sections } = await takeWaiting(services, projectId, limit);
  if (keys.length === 0) return 0;
  const turns = new Turns();
  const groups = await bySlot(sections, turns);
  const pack = await nextPack(sql);
  const removed: BlockKey[] = [];
  const added: BlockRow[] = [];
  for (const group of groups) {
    const { metricId, slot } = group;
    const older = await packsToMerge(sql, projectId, group);
    const { parts, damaged } = await readBlocks(services, projectId, older, ALL_IDS, turns);
    removed.push(...older.filter((head) => !damaged.has(head)));
    const series = joinParts(parts, group.parts);
    for (const row of blockRows({ metricId, tier: "raw", slot, pack }, series, LEVEL.fast)) {
      added.push(row);
      await turns.breathe();
    }
  }
  const dirtySlots = groups.map(({ slot }) => slot);
  await applyChange(sql, { projectId, batches: keys, removed, added, dirtySlots });
  return keys.length;
}

async function bySlot(sections: readonly MetricSection[], turns: Turns): Promise<FreshPoints[]> {
  const groups = new Map<string, FreshPoints>();
  for (const { metricId, kind, series } of sections) {
    for (const each of series) {
      for (const [slot, part] of splitBySlot(kind, each)) {
        const place = `${metricId}/${slot}`;
        let group = groups.get(place);
        if (group === undefined) {
          groups.set(place, group = { metricId, kind, slot, parts: new Map() });
        }
        const known = group.parts.get(part.seriesId);
        if (known === undefined) group.parts.set(part.seriesId, [part]);
        else known.push(part);
      }
    }
    await turns.breathe();
  }
  return [...groups.values()];
}

/** Nearly always it lies in one slot. */
function splitBySlot(kind: MetricKind, series: RawSeries): [number, RawSeries][] {
  const times = series.shape === "number"
    ? series.times
    : series.points.map(({ timeMs }) => timeMs);
  const slots = new Set<number>();
  for (const time of [times[0], times.at(-1)]) {
    if (time !== undefined) slots.add(slotOf(kind, time));
  }
  if (slots.size > 1) { for (const time of times) slots.add(slotOf(kind, time)); }
  return [...slots].map((
    slot,
  ) => [slot, slots.size === 1 ? series : clipRaw(series, kind, slot, slot + SLOT_MS)]);
}

function joinParts(
  older: ReadonlyMap<string, readonly (RawSeries | SeriesSteps)[]>,
  fresh: ReadonlyMap<string, readonly RawSeries[]>,
): RawSeries[] {
  const ids = new Set([...older.keys(), ...fresh.keys()]);
  return [...ids].map((id) => {
    const known = (older.get(id) ?? []).filter((part): part is RawSeries => "shape" in part);
    return mergeRaw([...known, ...fresh.get(id) ?? []]);
  }).filter((series) => pointCount(series) > 0);
}

/** The latest packs, when there are many of them; in their order, so that what came later stays later. */
async function packsToMerge(
  sql: Sql,
  projectId: string,
  { metricId, slot }: FreshPoints,
): Promise<BlockHead[]> {
  const heads = await blockHeads(sql, projectId, metricId, "raw", {
    from: slot,
    to: slot + SLOT_MS,
  });
  const packs = [...Map.groupBy(heads.filter(({ pack }) => pack !== "0"), ({ pack }) => pack)];
  if (packs.length < MANY_PACKS) return [];
  const merged: (readonly BlockHead[])[] = [];
  let samples = 0;
  for (const [, blocks] of packs.toReversed()) {
    samples += blocks.reduce((sum, block) => sum + block.samples, 0);
    if (samples > MAX_MERGED_SAMPLES) break;
    merged.unshift(blocks);
  }
  return merged.length < MANY_PACKS / 2 ? [] : merged.flat();
}

async function nextPack(sql: Sql): Promise<string> {
  const [row] = await sql<{ pack: string }[]>`select nextval('metric_pack_numbers') as pack`;
  return row?.pack ?? "1";
}
