import { Turns } from "../../core/turns.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import { decodeBatch } from "../codec/batch.ts";
import { decodeBlock } from "../codec/block.ts";
import { DamagedBlock } from "../codec/damaged_block.ts";
import { clipRaw, mergeRaw, pointCount } from "../merge_raw.ts";
import type { RawSeries } from "../points.ts";
import { SLOT_MS, TIER } from "../slots.ts";
import type { PointRead, PointRequest, ReadServices } from "./read_types.ts";
import { byId, ofSeries } from "./select_series.ts";

interface StoredRow {
  /** Of a block; null: it waits for one. */
  readonly slot: Date | null;
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
  const wanted = request.seriesIds === null ? null : new Set(request.seriesIds);
  const parts = new Map<string, RawSeries[]>();
  const turns = new Turns();
  let damaged = 0;
  for (const row of rows) {
    try {
      for (const series of seriesOf(row, metricId, wanted)) {
        const known = parts.get(series.seriesId);
        if (known === undefined) parts.set(series.seriesId, [series]);
        else known.push(series);
      }
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      damaged++;
      services.log.error("cannot read points of a metric", { projectId, metricId, error });
    }
    await turns.breathe();
  }
  return { series: merged(parts, kind, startMs, endMs), damaged };
}

function seriesOf(
  { slot, body }: StoredRow,
  metricId: string,
  seriesIds: ReadonlySet<string> | null,
): readonly RawSeries[] {
  if (slot !== null) {
    return decodeBlock(body, seriesIds).filter((series): series is RawSeries => "shape" in series);
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
    .map((some) => clipRaw(mergeRaw(some), kind, startMs, endMs))
    .filter((series) => pointCount(series) > 0)
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
    select slot, body from (
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
