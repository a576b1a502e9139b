import { Turns } from "../../core/waiting.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import type { Sql } from "../../store/database.ts";
import type { Backend } from "../../store/stores.ts";
import { decodeBatch } from "../codec/batch.ts";
import { decodeBlock } from "../codec/block.ts";
import { DamagedBytes } from "../../core/bytes.ts";
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

interface StoredRow {
  /** Of a block; null: it waits for one. */
  readonly slot: Date | null;
  readonly isSettled: boolean;
  readonly body: Uint8Array;
}

/**
 * Points as they were written, merged and without repeats, whether they are in blocks already or not.
 *
 * @param isApart whether a series may come once for each slot, by time, with points beside those that were asked for:
 *   where all are settled that saves putting them together
 * @throws what `postgres` throws
 */
export async function readRaw(
  services: ReadServices,
  projectId: string,
  request: PointRequest,
  isApart = false,
): Promise<PointRead<RawSeries>> {
  const rows = await storedRows(services, projectId, request);
  const { metricId, kind, startMs, endMs } = request;
  const wanted = request.seriesIds === null ? null : new Set(request.seriesIds);
  const parts = new Map<string, RawSeries[]>();
  const apart: RawSeries[] | null = isApart && rows.every((row) => row.isSettled) ? [] : null;
  const damaged = await eachReadable(rows, (row) => {
    for (const series of seriesOf(row, metricId, wanted)) {
      if (apart === null) addPart(parts, series);
      else apart.push(series);
    }
  }, (error) => {
    services.log.error("cannot read points of a metric", { projectId, metricId, error });
  });
  return { series: apart ?? merged(parts, kind, startMs, endMs), damaged };
}

function seriesOf(
  { slot, body }: StoredRow,
  metricId: string,
  seriesIds: ReadonlySet<string> | null,
): readonly RawSeries[] {
  if (slot !== null) {
    return decodeBlock(body, seriesIds).filter(isRaw);
  }
  return decodeBatch(body, { metricId, seriesIds }).flatMap(({ series }) => series);
}

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

/** In one statement, so that what is moved into a block meanwhile is found once. */
async function storedRows(
  { sql }: ReadServices,
  projectId: string,
  { metricId, seriesIds, startMs, endMs }: PointRequest,
): Promise<StoredRow[]> {
  const first = Math.floor(startMs / SLOT_MS) * SLOT_MS;
  const slots: Date[] = [];
  for (let slot = first; slot < endMs; slot += SLOT_MS) slots.push(new Date(slot));
  return await sql<StoredRow[]>`
    select slot, coalesce(pack = 0, false) as "isSettled", body from (
      select 0 as rank, slot, pack, min_series, null::timestamptz as received_at, null::uuid as batch_id, body
      from metric_stored_blocks
      where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER.raw}
        and slot >= ${new Date(first)} and slot < ${new Date(endMs)}
        and not is_damaged ${ofSeries(sql, seriesIds)}
      union all
      select 1, null, null, null, received_at, batch_id, body from metric_batches
      where project_id = ${projectId} and not is_damaged
        and metric_ids @> array[${metricId}::bigint]
        and slots && ${slots.map((slot) => slot.toISOString())}::text[]::timestamptz[]
    ) as stored
    order by rank, slot, pack, min_series, received_at, batch_id
  `;
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
  { sql, log }: ReadServices,
  projectId: string,
  { metricId, seriesIds, startMs, endMs }: PointRequest,
  tier: Exclude<Tier, "raw">,
  steps?: StepRange,
): Promise<PointRead<SeriesSteps>> {
  const first = Math.floor(startMs / slotLength(tier)) * slotLength(tier);
  const rows = await sql<{ body: Uint8Array }[]>`
    select body from metric_blocks
    where project_id = ${projectId} and metric_id = ${metricId} and tier = ${TIER[tier]}
      and slot >= ${new Date(first)} and slot < ${new Date(endMs)}
      and not is_damaged ${ofSeries(sql, seriesIds)}
    order by slot, pack, min_series
  `;
  const wanted = seriesIds === null ? null : new Set(seriesIds);
  const series: SeriesSteps[] = [];
  // Rollups are at the beginnings of their steps, whatever the kind.
  const runsOf = steps && ((times: Float64Array) => stepRuns("gauge", times, steps));
  const damaged = await eachReadable(rows, ({ body }) => {
    for (const each of decodeBlock(body, wanted, runsOf)) if (!isRaw(each)) series.push(each);
  }, (error) => {
    log.error("cannot read rollups of a metric", { projectId, metricId, tier, error });
  });
  return { series, damaged };
}

/**
 * Reads rows one after the other, so that others get their turn. Those that are damaged are told of and left out.
 *
 * @returns how many are damaged
 */
async function eachReadable<R>(
  rows: readonly R[],
  read: (row: R) => void,
  tell: (error: DamagedBytes) => void,
): Promise<number> {
  const turns = new Turns();
  let damaged = 0;
  for (const row of rows) {
    try {
      read(row);
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error;
      damaged++;
      tell(error);
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
interface PointRequest {
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
