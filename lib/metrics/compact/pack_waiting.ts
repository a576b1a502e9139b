import { Turns } from "../../core/waiting.ts";
import type { MetricKind, Temporality } from "../../records/metric_batch.ts";
import type { Sql } from "../../store/database.ts";
import { decodeBatch, type MetricSection } from "../codec/batch.ts";
import { COMPRESSION } from "../codec/block.ts";
import { DamagedBytes } from "../../core/bytes.ts";
import {
  addPart,
  isRaw,
  joined,
  type RawHistograms,
  type RawNumbers,
  type RawSeries,
  type SeriesSteps,
} from "../points.ts";
import { clip, mergeRaw, SLOT_MS, slotOf, TIER } from "../slots.ts";
import {
  applyChange,
  type BatchKey,
  type BlockKey,
  type BlockRow,
  blockRows,
  SETTLED,
} from "./apply_change.ts";
import { type BlockHead, blockHeads, type CompactServices, readBlocks } from "./read_blocks.ts";

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
  const batches = await takeWaiting(services, projectId, limit, (section) => fresh.add(section));
  if (batches.length === 0) return 0;
  const turns = new Turns();
  const pack = await nextPack(sql);
  const crowded = await crowdedSlots(sql, projectId, fresh.slots);
  const removed: BlockKey[] = [];
  const added: BlockRow[] = [];
  for (const points of fresh.slots) {
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
  const dirtySlots = fresh.slots.map(({ slot }) => slot);
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

async function nextPack(sql: Sql): Promise<string> {
  const [row] = await sql<{ pack: string }[]>`select nextval('metric_pack_numbers') as pack`;
  return row?.pack ?? "1";
}

/** Points that are packed together, by metric and slot; they are added in the order in which they came. */
class FreshPoints {
  readonly #metrics = new Map<string, Map<number, SlotPoints>>();

  add({ metricId, kind, series }: MetricSection): void {
    let slots = this.#metrics.get(metricId);
    if (slots === undefined) this.#metrics.set(metricId, slots = new Map());
    for (const each of series) {
      for (const slot of slotsOf(kind, each)) {
        let points = slots.get(slot);
        if (points === undefined) slots.set(slot, points = new SlotPoints(metricId, kind, slot));
        points.add(each);
      }
    }
  }

  get slots(): SlotPoints[] {
    return [...this.#metrics.values()].flatMap((slots) => [...slots.values()]);
  }
}

/** Nearly always it is one. */
function slotsOf(kind: MetricKind, { times }: RawSeries): Iterable<number> {
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) return [];
  const slot = slotOf(kind, first);
  if (slotOf(kind, last) === slot) return [slot];
  return new Set(Array.from(times, (time) => slotOf(kind, time)));
}

/** Points of one metric and slot. */
export class SlotPoints {
  readonly #numbers = new Numbers();
  readonly #histograms = new Map<string, RawHistograms[]>();

  constructor(
    readonly metricId: string,
    readonly kind: MetricKind,
    readonly slot: number,
  ) {}

  /** Adds those of its points that lie in the slot. */
  add(whole: RawSeries): void {
    const series = clip(whole, this.kind, this.slot, this.slot + SLOT_MS);
    if (series.shape === "number") this.#numbers.add(series);
    else addPart(this.#histograms, series);
  }

  /** Each with its points as they came. */
  series(): RawSeries[] {
    return [
      ...this.#numbers.series(),
      ...[...this.#histograms.values()].map((parts) => joined(parts)),
    ];
  }
}

/** In few long lists: nearly every point comes alone, and an object for each would keep the garbage collector busy. */
class Numbers {
  readonly #places = new Map<string, number>();
  readonly #temporalities: Temporality[] = [];
  /** Of each point: the place of its series. */
  readonly #owners: number[] = [];
  readonly #times: number[] = [];
  readonly #starts: number[] = [];
  readonly #values: number[] = [];

  add({ seriesId, temporality, times, starts, values }: RawNumbers): void {
    let owner = this.#places.get(seriesId);
    if (owner === undefined) {
      owner = this.#temporalities.push(temporality) - 1;
      this.#places.set(seriesId, owner);
    }
    for (let place = 0; place < times.length; place++) {
      this.#owners.push(owner);
      this.#times.push(times[place] ?? 0);
      this.#starts.push(starts[place] ?? 0);
      this.#values.push(values[place] ?? 0);
    }
  }

  series(): RawNumbers[] {
    const { length } = this.#owners;
    const times = new Float64Array(length);
    const starts = new Float64Array(length);
    const values = new Float64Array(length);
    const edges = this.#edges();
    const nexts = edges.slice();
    for (let place = 0; place < length; place++) {
      const owner = this.#owners[place] ?? 0;
      const to = nexts[owner] ?? 0;
      nexts[owner] = to + 1;
      times[to] = this.#times[place] ?? 0;
      starts[to] = this.#starts[place] ?? 0;
      values[to] = this.#values[place] ?? 0;
    }
    return Array.from(this.#places, ([seriesId, owner]) => {
      const of = (column: Float64Array) => column.subarray(edges[owner], edges[owner + 1]);
      const temporality = this.#temporalities[owner] ?? "level";
      return {
        shape: "number",
        seriesId,
        temporality,
        times: of(times),
        starts: of(starts),
        values: of(values),
      };
    });
  }

  /** Where the points of each series begin when they lie together; one more than series. */
  #edges(): Uint32Array {
    const edges = new Uint32Array(this.#places.size + 1);
    for (const owner of this.#owners) edges[owner + 1] = (edges[owner + 1] ?? 0) + 1;
    for (let place = 1; place < edges.length; place++) {
      edges[place] = (edges[place] ?? 0) + (edges[place - 1] ?? 0);
    }
    return edges;
  }
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
 * @param take is given what is in the rows
 * @returns the rows
 */
async function takeWaiting(
  { sql, log }: CompactServices,
  projectId: string,
  limit: number,
  take: (section: MetricSection) => void,
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
      for (const section of decodeBatch(body)) take(section);
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
