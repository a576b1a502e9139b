import type { Turns } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/write_rows.ts";
import type { Backend } from "../../store/stores.ts";
import { decodeBlock } from "../codec/block.ts";
import { DamagedBytes } from "../../core/bytes.ts";
import { compareIds } from "../ids.ts";
import { addPart, type RawSeries, type SeriesSteps } from "../points.ts";
import { TIER, type Tier } from "../slots.ts";
import { BLOCK_KEY, type BlockKey, Overtaken, slotsBetween, tableOf } from "./apply_change.ts";

export type CompactServices = Pick<Backend, "sql" | "log">;

/** Ids from one on, below another. */
export interface IdRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** A block without its bytes. */
export interface BlockHead extends BlockKey {
  readonly maxSeries: string;
  readonly samples: number;
}

/** The blocks of a metric in a tier and some slots, settled ones first, then as they were packed. */
export async function blockHeads(
  sql: Sql,
  projectId: string,
  metricId: string,
  tier: Tier,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<BlockHead[]> {
  const rows = await sql<
    { slot: Date; pack: string; minSeries: string; maxSeries: string; samples: number }[]
  >`
    select slot, pack, min_series as "minSeries", max_series as "maxSeries", samples
    from metric_stored_blocks
    where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER[tier]}
      and slot >= ${new Date(from)} and slot < ${new Date(to)} and not is_damaged
    order by slot, pack, min_series
  `;
  return rows.map((row) => ({ ...row, metricId, tier, slot: row.slot.getTime() }));
}

/** So many points at a time are few enough for any machine. */
const MAX_SAMPLES = 1_000_000;
const ALL_IDS = 2n ** 63n;

/** Divides the ids of series so that blocks have about a million points in each part. */
export function idRanges(heads: readonly BlockHead[]): IdRange[] {
  const samples = heads.reduce((sum, head) => sum + head.samples, 0);
  const parts = BigInt(Math.max(1, Math.ceil(samples / MAX_SAMPLES)));
  return Array.from({ length: Number(parts) }, (_, place) => ({
    from: ALL_IDS * BigInt(place) / parts,
    to: ALL_IDS * BigInt(place + 1) / parts,
  }));
}

/** Series by id, each with its parts in the order of the blocks. */
export interface BlockContents {
  readonly parts: ReadonlyMap<string, readonly (RawSeries | SeriesSteps)[]>;
  /** Blocks that cannot be read; they are set aside. */
  readonly damaged: ReadonlySet<BlockHead>;
}

/** The series of blocks whose ids lie in a range. @throws {Overtaken} when a block is gone */
export async function readBlocks(
  services: CompactServices,
  projectId: string,
  heads: readonly BlockHead[],
  { from, to }: IdRange,
  turns: Turns,
): Promise<BlockContents> {
  const parts = new Map<string, (RawSeries | SeriesSteps)[]>();
  const damaged = new Set<BlockHead>();
  const [first, last] = [String(from), String(to - 1n)];
  const isWithin = (id: string) => compareIds(id, first) >= 0 && compareIds(id, last) <= 0;
  const wanted = heads.filter((head) =>
    compareIds(head.maxSeries, first) >= 0 && compareIds(head.minSeries, last) <= 0
  );
  for (const some of inChunks(wanted)) {
    for (const [head, body] of await bodiesOf(services.sql, projectId, some)) {
      try {
        for (const series of decodeBlock(body)) {
          if (isWithin(series.seriesId)) addPart(parts, series);
        }
      } catch (error) {
        if (!(error instanceof DamagedBytes)) throw error;
        damaged.add(head);
        await setAside(services, projectId, head, error);
      }
      await turns.breathe();
    }
  }
  return { parts, damaged };
}

const BLOCKS_A_CHUNK = 64;

function* inChunks(heads: readonly BlockHead[]): Generator<readonly BlockHead[]> {
  for (let at = 0; at < heads.length; at += BLOCKS_A_CHUNK) {
    yield heads.slice(at, at + BLOCKS_A_CHUNK);
  }
}

const WANTED: Columns<BlockKey & { readonly place: number }> = {
  ...BLOCK_KEY,
  place: ["integer", ({ place }) => place],
};

/** In the order of the heads. */
async function bodiesOf(
  sql: Sql,
  projectId: string,
  heads: readonly BlockHead[],
): Promise<[BlockHead, Uint8Array][]> {
  const wanted = heads.map((head, place) => ({ ...head, place }));
  const rows = await sql<{ place: number; body: Uint8Array }[]>`
    select place, body from ${incoming(sql, wanted, WANTED)}
    join metric_stored_blocks as block using (metric_id, tier, slot, pack, min_series)
    where project_id = ${projectId} and ${slotsBetween(sql, heads)}
  `;
  if (rows.length !== heads.length) throw new Overtaken("A block is gone");
  const bodies = new Map(rows.map(({ place, body }) => [place, body]));
  return heads.map((head, place) => [head, bodies.get(place) ?? new Uint8Array()]);
}

/** A number that no other pack has. */
export async function nextPack(sql: Sql): Promise<string> {
  const [row] = await sql<{ pack: string }[]>`select nextval('metric_pack_numbers') as pack`;
  return row?.pack ?? "1";
}

/** Somebody may look at it; no key of a later block is in its way. */
async function setAside(
  { sql, log }: CompactServices,
  projectId: string,
  { metricId, tier, slot, pack, minSeries }: BlockHead,
  error: unknown,
): Promise<void> {
  const next = await nextPack(sql);
  await sql`
    update ${sql(tableOf(pack))} set is_damaged = true, pack = -${next}::bigint
    where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER[tier]}
      and slot = ${new Date(slot)} and pack = ${pack} and min_series = ${minSeries}
  `;
  const time = new Date(slot);
  log.error("a block of metrics is damaged: it is set aside", { projectId, metricId, time, error });
}
