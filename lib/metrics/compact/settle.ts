import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { Turns } from "../../core/waiting.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import type { Sql } from "../../store/database.ts";
import { COMPRESSION } from "../codec/block.ts";
import { GAP_MS } from "../increases.ts";
import { isRaw, type RawSeries, type SeriesSteps } from "../points.ts";
import { joinAll, rollUp } from "../rollup.ts";
import { clip, dayOf, LEVEL, mergeRaw, SLOT_MS, TIER } from "../slots.ts";
import {
  applyChange,
  type BlockRow,
  blockRows,
  markDirty,
  markDone,
  SETTLED,
} from "./apply_change.ts";
import {
  type BlockHead,
  blockHeads,
  type CompactServices,
  idRanges,
  readBlocks,
} from "./read_blocks.ts";

/** A slot or a day that something came for. */
export interface DueSlot {
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly slot: number;
  /** How often something had come when it was looked at. */
  readonly changes: string;
}

interface UnsettledMetric {
  readonly metricId: string;
  readonly kind: MetricKind;
  readonly name: string;
  readonly unit: string;
  readonly usualIntervalMs: number;
}

/**
 * Merges what came for a slot into few blocks and makes its minutes; metrics for which nothing new came stay as they
 * are. Minutes of the next slot, whose first increases are counted from points of this one, are made again.
 *
 * @throws {Overtaken} when somebody else was faster
 */
export async function settleSlot(services: CompactServices, due: DueSlot): Promise<void> {
  const { projectId, slot, changes } = due;
  for (const metric of await unsettledMetrics(services, due)) {
    await settleMetric(services, projectId, metric, slot);
  }
  await services.sql.begin(async (tx) => {
    // The first minutes of the next day are made anew, too.
    await markDirty(tx, projectId, LEVEL.day, [dayOf(slot), dayOf(slot + SLOT_MS)]);
    await markDone(tx, projectId, LEVEL.slot, { slot, changes });
  });
}

async function unsettledMetrics(
  { sql }: CompactServices,
  { projectId, slot }: DueSlot,
): Promise<UnsettledMetric[]> {
  return await sql<UnsettledMetric[]>`
    select metric_id as "metricId", kind, name, unit, usual_interval_ms as "usualIntervalMs" from metrics
    where project_id = ${projectId} and exists (
      select 1 from metric_packs as block
      where block.project_id = metrics.project_id and block.metric_id = metrics.metric_id
        and tier = ${TIER.raw} and slot = ${new Date(slot)} and not is_damaged
    )
    order by metric_id
  `;
}

async function settleMetric(
  services: CompactServices,
  projectId: string,
  metric: UnsettledMetric,
  slot: number,
): Promise<void> {
  const { metricId } = metric;
  const at = (tier: "raw" | "minute", from: number) =>
    blockHeads(services.sql, projectId, metricId, tier, { from, to: from + SLOT_MS });
  const [before, raw, after, minutes, minutesAfter] = await Promise.all([
    at("raw", slot - SLOT_MS),
    at("raw", slot),
    at("raw", slot + SLOT_MS),
    at("minute", slot),
    at("minute", slot + SLOT_MS),
  ]);
  // The next slot has minutes already: something late came for this one.
  const isNextSettled = minutesAfter.length > 0;
  const heads = isNextSettled ? [...before, ...raw, ...after] : [...before, ...raw];
  const builder = new SlotBuilder(metric, slot, isNextSettled);
  const damaged = new Set<BlockHead>();
  const turns = new Turns();
  for (const range of idRanges(heads)) {
    const read = await readBlocks(services, projectId, heads, range, turns);
    for (const head of read.damaged) damaged.add(head);
    await builder.add(read.parts, turns);
  }
  const removed = [...raw, ...minutes, ...isNextSettled ? minutesAfter : []];
  await applyChange(services.sql, {
    projectId,
    batches: [],
    removed: removed.filter((head) => !damaged.has(head)),
    added: builder.rows,
    dirtySlots: [],
  });
  await saveInterval(services.sql, projectId, metric, builder.intervalMs);
}

/** Points a minute, up to which they are read as fast as minutes would be. */
const FEW_A_MINUTE = 1.25;

/**
 * Makes the blocks of a slot, some series at a time. Where numbers have hardly more than a point a minute, minutes would
 * be the same once more: then there are none, and whoever wants them takes the points.
 */
class SlotBuilder {
  readonly rows: BlockRow[] = [];
  intervalMs = 0;
  /** Null: not known yet. */
  #hasMinutes: boolean | null = null;

  constructor(
    private readonly metric: UnsettledMetric,
    private readonly slot: number,
    private readonly isNextSettled: boolean,
  ) {}

  async add(
    parts: ReadonlyMap<string, readonly (RawSeries | SeriesSteps)[]>,
    turns: Turns,
  ): Promise<void> {
    const { kind } = this.metric;
    const { slot } = this;
    const raw: RawSeries[] = [];
    const minutes: SeriesSteps[] = [];
    const minutesAfter: SeriesSteps[] = [];
    for (const some of parts.values()) {
      const merged = mergeRaw(some.filter(isRaw));
      raw.push(clip(merged, kind, slot, slot + SLOT_MS));
      minutes.push(this.#minutes(merged, slot));
      if (this.isNextSettled) minutesAfter.push(this.#minutes(merged, slot + SLOT_MS));
      await turns.breathe();
    }
    if (this.intervalMs === 0) this.intervalMs = measureInterval(raw);
    // What holds for some holds for all: a slot has minutes or none.
    this.#hasMinutes ??= kind === "histogram" ||
      countOf(raw) > FEW_A_MINUTE * countOf(minutes);
    await this.#pack("raw", slot, raw, turns);
    if (this.#hasMinutes) await this.#pack("minute", slot, minutes, turns);
    await this.#pack("minute", slot + SLOT_MS, minutesAfter, turns);
  }

  #minutes(series: RawSeries, startMs: number): SeriesSteps {
    const { kind, usualIntervalMs } = this.metric;
    const endMs = startMs + SLOT_MS;
    const near = clip(series, kind, startMs - GAP_MS - MINUTE_MS, endMs);
    const range = { stepMs: MINUTE_MS, originMs: 0, startMs, endMs };
    return rollUp(kind, near, range, usualIntervalMs, this.metric);
  }

  async #pack(
    tier: "raw" | "minute",
    slot: number,
    series: readonly (RawSeries | SeriesSteps)[],
    turns: Turns,
  ): Promise<void> {
    const place = { metricId: this.metric.metricId, tier, slot, pack: SETTLED };
    for (const row of blockRows(place, series, COMPRESSION.small)) {
      this.rows.push(row);
      await turns.breathe();
    }
  }
}

function countOf(all: readonly (RawSeries | SeriesSteps)[]): number {
  return all.reduce((sum, { times }) => sum + times.length, 0);
}

/**
 * Makes the hours of a day from its minutes, or from points where those tell as much.
 *
 * @throws {Overtaken} when somebody else was faster
 */
export async function rollDay(services: CompactServices, due: DueSlot): Promise<void> {
  const { projectId, slot: day, changes } = due;
  for (const metric of await metricsOf(services, due)) {
    await rollMetric(services, projectId, metric, day);
  }
  await services.sql.begin((tx) => markDone(tx, projectId, LEVEL.day, { slot: day, changes }));
}

async function metricsOf(
  { sql }: CompactServices,
  { projectId, slot }: DueSlot,
): Promise<UnsettledMetric[]> {
  return await sql<UnsettledMetric[]>`
    select metric_id as "metricId", kind, name, unit, usual_interval_ms as "usualIntervalMs" from metrics
    where project_id = ${projectId} and exists (
      select 1 from metric_blocks as block
      where block.project_id = metrics.project_id and block.metric_id = metrics.metric_id
        and tier in (${TIER.raw}, ${TIER.minute})
        and slot >= ${new Date(slot)} and slot < ${new Date(slot + DAY_MS)}
    )
    order by metric_id
  `;
}

async function rollMetric(
  services: CompactServices,
  projectId: string,
  metric: UnsettledMetric,
  day: number,
): Promise<void> {
  const { sql } = services;
  const { metricId } = metric;
  const time = { from: day, to: day + DAY_MS };
  const [minutes, raw, removed] = await Promise.all([
    blockHeads(sql, projectId, metricId, "minute", time),
    blockHeads(sql, projectId, metricId, "raw", { ...time, from: day - SLOT_MS }),
    blockHeads(sql, projectId, metricId, "hour", time),
  ]);
  const bare = slotsWithout(minutes, raw).filter((slot) => slot >= day);
  // First increases are counted from points of the slot before.
  const points = raw.filter(({ slot }) => bare.includes(slot) || bare.includes(slot + SLOT_MS));
  const heads = [...minutes, ...points];
  const place = { metricId, tier: "hour", slot: day, pack: SETTLED } as const;
  const added: BlockRow[] = [];
  const turns = new Turns();
  for (const ids of idRanges(heads)) {
    const { parts } = await readBlocks(services, projectId, heads, ids, turns);
    const hours: SeriesSteps[] = [];
    for (const some of parts.values()) {
      const joined = hoursOf(some, metric, bare, day);
      if (joined !== null) hours.push(joined);
      await turns.breathe();
    }
    added.push(...blockRows(place, hours, COMPRESSION.small));
  }
  await applyChange(sql, { projectId, batches: [], removed, added, dirtySlots: [] });
}

/** Slots that have points and no minutes. */
function slotsWithout(minutes: readonly BlockHead[], raw: readonly BlockHead[]): number[] {
  const known = new Set(minutes.map(({ slot }) => slot));
  return [...new Set(raw.map(({ slot }) => slot))].filter((slot) => !known.has(slot));
}

/** The hours of a series. @param bare slots that have no minutes */
function hoursOf(
  parts: readonly (RawSeries | SeriesSteps)[],
  { kind, usualIntervalMs, ...counted }: UnsettledMetric,
  bare: readonly number[],
  day: number,
): SeriesSteps | null {
  const steps = parts.filter((part): part is SeriesSteps => !isRaw(part));
  const raw = parts.filter(isRaw);
  if (raw.length > 0) {
    const merged = mergeRaw(raw);
    for (const slot of bare) {
      const endMs = slot + SLOT_MS;
      const near = clip(merged, kind, slot - GAP_MS - MINUTE_MS, endMs);
      const range = { stepMs: HOUR_MS, originMs: 0, startMs: slot, endMs };
      steps.push(rollUp(kind, near, range, usualIntervalMs, counted));
    }
  }
  const byTime = steps.filter(({ times }) => times.length > 0)
    .sort((one, other) => (one.times[0] ?? 0) - (other.times[0] ?? 0));
  const range = { stepMs: HOUR_MS, originMs: 0, startMs: day, endMs: day + DAY_MS };
  return byTime.length === 0 ? null : joinAll(byTime, range);
}

const SERIES = 100;
const POINTS = 50;
/** A change below this share is not worth a write. */
const CHANGE = 0.1;

/** How often points come, in milliseconds: the middle of what lies between two of a series; 0: not to be told. */
function measureInterval(series: readonly RawSeries[]): number {
  const gaps: number[] = [];
  for (const { times } of series.slice(0, SERIES)) {
    for (let place = 1; place < Math.min(times.length, POINTS); place++) {
      gaps.push((times[place] ?? 0) - (times[place - 1] ?? 0));
    }
  }
  gaps.sort((one, other) => one - other);
  return Math.round(gaps[Math.floor(gaps.length / 2)] ?? 0);
}

async function saveInterval(
  sql: Sql,
  projectId: string,
  metric: { readonly metricId: string; readonly usualIntervalMs: number },
  intervalMs: number,
): Promise<void> {
  const known = metric.usualIntervalMs;
  if (intervalMs === 0 || Math.abs(intervalMs - known) <= CHANGE * known) return;
  await sql`
    update metrics set usual_interval_ms = ${intervalMs}
    where project_id = ${projectId} and metric_id = ${metric.metricId}
  `;
}
