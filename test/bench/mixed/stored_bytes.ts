import postgres from "postgres";
import { startServer } from "../../support/server.ts";
import { makeProjects } from "../projects.ts";
import { largeErrorRequest } from "./large_event.ts";
import { prepareRequests, replay } from "../replay.ts";
import type { Bench, Figure } from "../table.ts";

const EVENTS = 3_000;

/** What Postgres keeps of a 50 KB event, indexes and all other tables included. */
export async function benchStoredBytes({ databaseUrl }: Bench): Promise<Figure[]> {
  await using server = await startServer({ DATABASE_URL: databaseUrl, LOG_FORMAT: "json" });
  const paths = await makeProjects(server, 5);
  const before = await databaseSize(databaseUrl);
  await using requests = await prepareRequests(EVENTS, largeErrorRequest);
  await replay(requests, { url: server.url, paths, seconds: 60, rate: 300 });
  const after = await databaseSize(databaseUrl);
  const events = after.events - before.events;
  return [{
    part: "bytes",
    figure: "stored of an error of 50 KB",
    unit: "bytes",
    ours: (after.bytes - before.bytes) / events,
    limit: { name: "as gzip", value: requests.medianSentBytes },
  }];
}

async function databaseSize(databaseUrl: string): Promise<{ events: number; bytes: number }> {
  const sql = postgres(databaseUrl, { max: 1 });
  const [row] = await sql<{ events: string; bytes: string }[]>`
    select (select count(*) from events) as events, pg_database_size(current_database()) as bytes`;
  await sql.end();
  return { events: Number(row?.events), bytes: Number(row?.bytes) };
}
