import { Turns } from "../../core/turns.ts";
import type { Sql } from "../../store/database.ts";
import { decodeBatch, type MetricSection } from "../codec/batch.ts";
import { DamagedBlock } from "../codec/damaged_block.ts";
import type { BatchKey } from "./apply_change.ts";
import type { CompactServices } from "./read_blocks.ts";

/** What of a project waits to be packed. */
export interface WaitingPoints {
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
export async function takeWaiting(
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
      if (!(error instanceof DamagedBlock)) throw error;
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
