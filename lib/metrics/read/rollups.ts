import { Turns } from "../../core/turns.ts";
import { decodeBlock } from "../codec/block.ts";
import { DamagedBlock } from "../codec/damaged_block.ts";
import type { SeriesSteps } from "../points.ts";
import { slotLength, TIER, type Tier } from "../slots.ts";
import type { PointRead, PointRequest, ReadServices } from "./read_types.ts";
import { ofSeries } from "./select_series.ts";

/**
 * Minutes or hours as they are stored, of whole slots: more than was asked for at both ends. A series comes once for
 * each slot, by time.
 *
 * @throws what `postgres` throws
 */
export async function readRollups(
  { sql, log }: ReadServices,
  projectId: string,
  { metricId, seriesIds, startMs, endMs }: PointRequest,
  tier: Exclude<Tier, "raw">,
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
  const turns = new Turns();
  let damaged = 0;
  for (const { body } of rows) {
    try {
      for (const each of decodeBlock(body, wanted)) if (!("shape" in each)) series.push(each);
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      damaged++;
      log.error("cannot read rollups of a metric", { projectId, metricId, tier, error });
    }
    await turns.breathe();
  }
  return { series, damaged };
}
