import { Turns } from "../../core/waiting.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import type { Sql } from "../../store/database.ts";
import type { Backend } from "../../store/stores.ts";
import { decodeBatch } from "../codec/batch.ts";
import { decodeBlock } from "../codec/block.ts";
import { DamagedBytes } from "../../core/bytes.ts";
import type { GaugeColumn } from "../gauge_cells.ts";
import type { Counted } from "../increases.ts";
import { byId } from "../ids.ts";
import { addPart, isRaw, type RawSeries, type SeriesSteps } from "../points.ts";
import type { Deadline } from "../query_types.ts";
import {
  clip,
  mergeRaw,
  SLOT_MS,
  slotLength,
  type StepRange,
  stepRuns,
  TIER,
  type Tier,
} from "../slots.ts";

/** Points as they are stored. */
export interface StoredRow {
  /** Of a block; null: it waits for one. */
  readonly slot: Date | null;
  /** In which its points lie, while it waits. */
  readonly slots: readonly Date[] | null;
  readonly isSettled: boolean;
  readonly body: Uint8Array;
}

/**
 * Points as they were written, merged and without repeats, whether they are in blocks already or not.
 *
 * @throws what `postgres` throws
 */
export async function readRaw(
  services: ReadServices,
  projectId: string,
  request: PointRequest,
): Promise<PointRead<RawSeries>> {
  const rows = await storedRows(services, projectId, request);
  const { metricId, kind, startMs, endMs } = request;
  const wanted = wantedOf(request);
  const parts = new Map<string, RawSeries[]>();
  const damaged = await eachReadable(services, projectId, metricId, rows, (row) => {
    for (const series of seriesOf(row, metricId, wanted)) addPart(parts, series);
  });
  return { series: merged(parts, kind, startMs, endMs), damaged };
}

/** Which series are read; null: all. */
export function wantedOf({ seriesIds }: PointRequest): ReadonlySet<string> | null {
  return seriesIds === null ? null : new Set(seriesIds);
}

/** The points in a row. @throws {DamagedBytes} */
export function seriesOf(
  { slot, body }: StoredRow,
  metricId: string,
  seriesIds: ReadonlySet<string> | null,
): readonly RawSeries[] {
  if (slot !== null) {
    return decodeBlock(body, seriesIds).filter(isRaw);
  }
  return decodeBatch(body, { metricId, seriesIds }).flatMap(({ series }) => series);
}

/** Parts of series put together, by ascending id; of the points those within a time. */
function merged(
  parts: ReadonlyMap<string, readonly RawSeries[]>,
  kind: MetricKind,
  startMs: number,
  endMs: number,
): RawSeries[] {
  return [...parts.values()]
    .map((some) => clip(mergeRaw(some), kind, startMs, endMs))
    .filter(({ times }) => times.length > 0)
    .sort(byId);
}

/** Settled blocks by slot, then others. In one statement, so that what is moved into a block meanwhile is found once. */
export async function storedRows(
  { sql }: ReadServices,
  projectId: string,
  { metricId, seriesIds, startMs, endMs }: PointRequest,
): Promise<StoredRow[]> {
  const first = Math.floor(startMs / SLOT_MS) * SLOT_MS;
  const slots: Date[] = [];
  for (let slot = first; slot < endMs; slot += SLOT_MS) slots.push(new Date(slot));
  return await sql<StoredRow[]>`
    select slot, slots, coalesce(pack = 0, false) as "isSettled", body from (
      select 0 as rank, slot, null::timestamptz[] as slots, pack, min_series,
        null::timestamptz as received_at, null::uuid as batch_id, body
      from metric_stored_blocks
      where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER.raw}
        and slot >= ${new Date(first)} and slot < ${new Date(endMs)}
        and not is_damaged ${ofSeries(sql, seriesIds)}
      union all
      select 1, null, slots, null, null, received_at, batch_id, body from metric_batches
      where project_id = ${projectId} and not is_damaged
        and metric_ids @> array[${metricId}::bigint]
        and slots && ${slots.map((slot) => slot.toISOString())}::text[]::timestamptz[]
    ) as stored
    order by rank, slot, pack, min_series, received_at, batch_id
  `;
}

/** The first slot from a time on that a metric has points in, as milliseconds since 1970; null: there is none. */
export async function nextSlot(
  sql: Sql,
  projectId: string,
  metricId: string,
  fromMs: number,
): Promise<number | null> {
  const from = new Date(Math.floor(fromMs / SLOT_MS) * SLOT_MS);
  const [row] = await sql<{ slot: Date | null }[]>`
    select least(
      (select min(slot) from metric_stored_blocks
        where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER.raw}
          and slot >= ${from} and not is_damaged),
      (select min(waiting) from metric_batches, unnest(slots) as waiting
        where project_id = ${projectId} and not is_damaged
          and metric_ids @> array[${metricId}::bigint] and waiting >= ${from})
    ) as slot
  `;
  return row?.slot?.getTime() ?? null;
}

/**
 * Minutes or hours as they are stored, of whole slots: more than was asked for at both ends. A series comes once for
 * each slot, by time. Histograms may be joined into longer steps already, and then end where these do.
 *
 * @param steps that are wanted in the end, of which theirs are parts; absent: they are not joined
 *
 * @throws what `postgres` throws
 */
export async function readRollups(
  services: ReadServices,
  projectId: string,
  request: PointRequest,
  tier: Exclude<Tier, "raw">,
  steps?: StepRange,
): Promise<PointRead<SeriesSteps>> {
  const rows = await rollupRows(services, projectId, request, tier);
  const wanted = wantedOf(request);
  const series: SeriesSteps[] = [];
  // Rollups are at the beginnings of their steps, whatever the kind.
  const runsOf = steps && ((times: Float64Array) => stepRuns("gauge", times, steps));
  const damaged = await eachReadable(services, projectId, request.metricId, rows, ({ body }) => {
    for (const each of decodeBlock(body, wanted, runsOf)) if (!isRaw(each)) series.push(each);
  });
  return { series, damaged };
}

/** Blocks of minutes or hours, by slot. */
export async function rollupRows(
  { sql }: ReadServices,
  projectId: string,
  { metricId, seriesIds, startMs, endMs }: PointRequest,
  tier: Exclude<Tier, "raw">,
): Promise<{ readonly body: Uint8Array }[]> {
  const first = Math.floor(startMs / slotLength(tier)) * slotLength(tier);
  return await sql<{ body: Uint8Array }[]>`
    select body from metric_blocks
    where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER[tier]}
      and slot >= ${new Date(first)} and slot < ${new Date(endMs)}
      and not is_damaged ${ofSeries(sql, seriesIds)}
    order by slot, pack, min_series
  `;
}

/**
 * Reads rows one after the other, so that others get their turn. Those that are damaged are told of and left out.
 *
 * @returns how many are damaged
 */
export async function eachReadable<R>(
  { log }: ReadServices,
  projectId: string,
  metricId: string,
  rows: readonly R[],
  read: (row: R) => void,
): Promise<number> {
  const turns = new Turns();
  let damaged = 0;
  for (const row of rows) {
    try {
      read(row);
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error;
      damaged++;
      log.error("cannot read stored points of a metric", { projectId, metricId, error });
    }
    await turns.breathe();
  }
  return damaged;
}

/** What points are read from; the log is told of blocks that cannot be read. */
export interface ReadServices extends Pick<Backend, "sql" | "log"> {
  /** When reading ends unfinished; absent: never. */
  readonly deadline?: Deadline;
}

/** Which points of a metric are read. */
export interface PointRequest {
  readonly metricId: string;
  readonly kind: MetricKind;
  /** Null: all of the metric's. */
  readonly seriesIds: readonly string[] | null;
  /** Milliseconds since 1970. Gauges: from `start` on, before `end`. Others: after `start`, up to `end`. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Points added up by step; steps begin at `startMs`, and at whole multiples of their length from there. */
export interface StepRequest extends PointRequest {
  readonly stepMs: number;
  /** How often the metric's points come, in milliseconds; 0: unknown. */
  readonly usualIntervalMs: number;
  /** What the metric is called; absent: nobody knows. */
  readonly counted?: Counted;
  /** What is asked of a gauge beside its counts: other columns are empty. Absent: all. */
  readonly columns?: readonly GaugeColumn[];
}

/** What was read, by ascending series id; series without points are absent. */
export interface PointRead<S> {
  readonly series: readonly S[];
  /** Blocks that could not be read: they are logged and left out. */
  readonly damaged: number;
}

/** Up to so many ids, blocks are looked for that may have them; of more, nearly every block between them has some. */
const MAX_LOOKED_FOR = 200;

/** A condition on blocks. @param seriesIds by ascending id; null: all */
function ofSeries(sql: Sql, seriesIds: readonly string[] | null) {
  if (seriesIds === null) return sql``;
  if (seriesIds.length > MAX_LOOKED_FOR) {
    return sql`and max_series >= ${seriesIds[0] ?? "0"} and min_series <= ${
      seriesIds.at(-1) ?? "0"
    }`;
  }
  return sql`and exists (
    select 1 from unnest(${seriesIds.map(String)}::bigint[]) as wanted (id)
    where wanted.id between min_series and max_series
  )`;
}
