import { DAY_MS } from "@/lib/core/time.ts";
import type { Sql } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { ensurePartitions } from "@/lib/store/partitions.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { type DayOrder, SERIES_TABLE } from "./fill_day.ts";
import type { FillMessage } from "./worker.ts";

const THREADS = 4;

export interface FillSize {
  readonly projectId: string;
  readonly transactions: number;
  readonly days: number;
}

/**
 * Fills a new database with traces of the past days, ten spans a transaction, with everything that is counted of them.
 *
 * @throws {Error} when a thread fails
 */
export async function fillTraces(sql: Sql, url: string, size: FillSize): Promise<void> {
  const now = Date.now();
  await migrate(sql, silentLogger);
  const starts = Array.from({ length: size.days + 2 }, (_, i) => new Date(now - (i - 1) * DAY_MS));
  await ensurePartitions(sql, starts);
  await sql.unsafe(`create table ${SERIES_TABLE} (like stat_series)`);
  const orders = Array.from({ length: size.days }, (_, ago): DayOrder => ({
    projectId: size.projectId,
    ago,
    days: size.days,
    transactions: Math.round(size.transactions / size.days),
    now,
  }));
  await Promise.all(Array.from({ length: THREADS }, () => work(url, orders)));
  await sql.unsafe(`
    insert into stat_series
    select distinct on (project_id, series_id) * from ${SERIES_TABLE}
    order by project_id, series_id, seen_on desc
  `);
  await sql.unsafe(`drop table ${SERIES_TABLE}`);
  await sql`vacuum analyze`;
}

/** Takes one day after the other. */
async function work(url: string, orders: DayOrder[]): Promise<void> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  try {
    for (let order = orders.shift(); order !== undefined; order = orders.shift()) {
      await fill(worker, { url, order });
    }
  } finally {
    worker.terminate();
  }
}

function fill(worker: Worker, message: FillMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<string | null>) =>
      data === null ? resolve() : reject(new Error(data));
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(message);
  });
}
