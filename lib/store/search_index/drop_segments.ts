/** Takes segments away that tell of rows what is not so any more. */
import { HOUR_MS } from "../../core/time.ts";
import type { Sql } from "../database.ts";
import type { IndexName } from "./late_rows.ts";

/**
 * Takes segments away to which rows have come late, in one transaction: whoever looks meanwhile sees either the marks or
 * no segments.
 *
 * @returns whether there were any
 */
export async function dropLate(sql: Sql, name: IndexName, projectId: string): Promise<boolean> {
  return await sql.begin(async (tx) => {
    const marks = await tx<{ hour: Date }[]>`
      delete from late_rows where project_id = ${projectId} and "table" = ${name} returning hour
    `;
    const hours = [...new Set(marks.map(({ hour }) => hour.getTime()))];
    if (hours.length === 0) return false;
    const gone = await tx<{ start: Date }[]>`
      delete from ${tx(`${name}_segments`)} as segment using unnest(
        ${hours.map((hour) => new Date(hour).toISOString())}::text[]::timestamptz[],
        ${hours.map((hour) => new Date(hour + HOUR_MS).toISOString())}::text[]::timestamptz[]
      ) as late (hour, next)
      where project_id = ${projectId} and segment.start < late.next and segment."end" > late.hour
      returning segment.start
    `;
    await tx`
      delete from ${tx(`${name}_parts`)}
      where project_id = ${projectId}
        and start = any (${gone.map(({ start }) => start.toISOString())}::text[]::timestamptz[])
    `;
    return gone.length > 0;
  });
}

const TABLES = [
  { table: "log_segments", time: "start" },
  { table: "log_parts", time: "start" },
  { table: "transaction_segments", time: "start" },
  { table: "transaction_parts", time: "start" },
  { table: "late_rows", time: "hour" },
] as const;

/** Takes those away that begin before a time whose rows go: they have counted them. */
export async function dropOld(sql: Sql, before: Date): Promise<void> {
  for (const { table, time } of TABLES) {
    await sql`delete from ${sql(table)} where ${sql(time)} < ${before}`;
  }
}
