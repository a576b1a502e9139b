/** What this machine's Postgres does with the same payloads when nothing stands before it. */
import postgres from "postgres";
import { envelopeRest, VARIANTS } from "./payloads.ts";

const BATCH = 64;
const CONNECTIONS = 2;

/** Durable rows a second of a bare batched `insert … select from unnest`, for `seconds`. */
export async function bareInsertsPerSec(databaseUrl: string, seconds: number): Promise<number> {
  const sql = postgres(databaseUrl, { max: CONNECTIONS, onnotice: () => {} });
  try {
    await sql`drop table if exists bare_events`;
    await sql`create table bare_events (id uuid primary key, at timestamptz not null, payload text not null)`;
    await sql`alter table bare_events alter payload set compression lz4`;
    const payloads = Array.from({ length: BATCH }, (_, index) => envelopeRest(index % VARIANTS));
    const end = performance.now() + seconds * 1000;
    let rows = 0;
    const inserter = async () => {
      while (performance.now() < end) {
        const ids = payloads.map(() => crypto.randomUUID());
        const times = payloads.map(() => new Date().toISOString());
        await sql`
          insert into bare_events
          select * from unnest(${ids}::uuid[], ${times}::timestamptz[], ${payloads}::text[])`;
        rows += BATCH;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, inserter));
    await sql`drop table bare_events`;
    return rows / seconds;
  } finally {
    await sql.end();
  }
}
