/** Metrics in a database of a test's own, at any stage of their way into blocks. */
import type { Sql } from "../../lib/store/database.ts";
import { dueDays, dueSlots } from "../../lib/metrics/compact/compact_project.ts";
import { packWaiting } from "../../lib/metrics/compact/pack_waiting.ts";
import { rollDay, settleSlot } from "../../lib/metrics/compact/settle.ts";
import { idsOf } from "../../lib/metrics/ids.ts";
import type { RawSeries } from "../../lib/metrics/points.ts";
import { readRaw } from "../../lib/metrics/read/raw.ts";
import { readSteps } from "../../lib/metrics/read/steps.ts";
import type { MetricSeries } from "../../lib/records/mod.ts";
import { testDatabase } from "./database.ts";
import { logLines } from "./log_lines.ts";
import { metricBatch } from "./metric_series.ts";
import { testWriter } from "./writer.ts";

export const PROJECT = "1";

export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** An empty database and what metrics go through. */
export async function metricStore() {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await testDatabase());
  const { sql } = database;
  const writer = opened.use(testWriter(sql));
  const { log, lines } = logLines();
  const services = { sql, log };
  const stores = opened.move();

  return {
    sql,
    services,
    lines,
    connect: () => database.connect(),
    store: (...series: MetricSeries[]) => writer.store(PROJECT, metricBatch(series)),
    pack: () => packWaiting(services, PROJECT),
    /** @returns how many slots */
    async settle(now: Date): Promise<number> {
      const due = await dueSlots(sql, PROJECT, now);
      for (const slot of due) await settleSlot(services, slot);
      return due.length;
    },
    /** @returns how many days */
    async roll(now: Date): Promise<number> {
      const due = await dueDays(sql, PROJECT, now);
      for (const day of due) await rollDay(services, day);
      return due.length;
    },
    async raw(series: MetricSeries, range: TimeRange): Promise<readonly RawSeries[]> {
      const { metricId } = idsOf(series);
      const request = { metricId, kind: series.metric.kind, seriesIds: null, ...range };
      return (await readRaw(services, PROJECT, request)).series;
    },
    async steps(series: MetricSeries, range: TimeRange, stepMs: number) {
      const { metricId } = idsOf(series);
      const { kind } = series.metric;
      const request = { metricId, kind, seriesIds: null, ...range, stepMs, usualIntervalMs: 0 };
      return (await readSteps(services, PROJECT, request)).series;
    },
    blocks: () => blocksOf(sql),
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

/** Tier, slot and whether it is settled, of each block. */
async function blocksOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ tier: number; slot: Date; pack: string }[]>`
    select tier, slot, pack from metric_stored_blocks order by tier, slot, pack
  `;
  return rows.map(({ tier, slot, pack }) =>
    `${["raw", "minute", "hour"][tier]} ${slot.toISOString().slice(5, 16)} ${
      pack === "0" ? "settled" : "fresh"
    }`
  );
}
