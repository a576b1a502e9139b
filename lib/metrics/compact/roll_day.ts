import { Turns } from "../../core/turns.ts";
import { LEVEL as COMPRESSION } from "../codec/block.ts";
import { joinAll } from "../join_steps.ts";
import type { SeriesSteps } from "../points.ts";
import { DAY_MS, HOUR_MS, LEVEL, TIER } from "../slots.ts";
import { applyChange, markDone } from "./apply_change.ts";
import { type BlockRow, blockRows, SETTLED } from "./block_rows.ts";
import { blockHeads, type CompactServices, idRanges, readBlocks } from "./read_blocks.ts";
import type { DueSlot } from "./settle.ts";

/**
 * Makes the hours of a day from its minutes.
 *
 * @throws {Overtaken} when somebody else was faster
 */
export async function rollDay(services: CompactServices, due: DueSlot): Promise<void> {
  const { projectId, slot: day, changes } = due;
  for (const metricId of await metricsOf(services, due)) {
    await rollMetric(services, projectId, metricId, day);
  }
  await services.sql.begin((tx) => markDone(tx, projectId, LEVEL.day, { slot: day, changes }));
}

async function metricsOf(
  { sql }: CompactServices,
  { projectId, slot }: DueSlot,
): Promise<string[]> {
  const rows = await sql<{ metricId: string }[]>`
    select metric_id as "metricId" from metric_blocks
    where project_id = ${projectId} and tier = ${TIER.minute}
      and slot >= ${new Date(slot)} and slot < ${new Date(slot + DAY_MS)}
    group by metric_id order by metric_id
  `;
  return rows.map(({ metricId }) => metricId);
}

async function rollMetric(
  services: CompactServices,
  projectId: string,
  metricId: string,
  day: number,
): Promise<void> {
  const { sql } = services;
  const time = { from: day, to: day + DAY_MS };
  const minutes = await blockHeads(sql, projectId, metricId, "minute", time);
  const removed = await blockHeads(sql, projectId, metricId, "hour", time);
  const place = { metricId, tier: "hour", slot: day, pack: SETTLED } as const;
  const range = { stepMs: HOUR_MS, originMs: 0, startMs: day, endMs: day + DAY_MS };
  const added: BlockRow[] = [];
  const turns = new Turns();
  for (const ids of idRanges(minutes)) {
    const { parts } = await readBlocks(services, projectId, minutes, ids, turns);
    const hours: SeriesSteps[] = [];
    for (const some of parts.values()) {
      hours.push(joinAll(some.filter((part): part is SeriesSteps => !("shape" in part)), range));
      await turns.breathe();
    }
    added.push(...blockRows(place, hours, COMPRESSION.small));
  }
  await applyChange(sql, { projectId, batches: [], removed, added, dirtySlots: [] });
}
