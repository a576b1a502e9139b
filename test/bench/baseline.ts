/** What this machine's Postgres does with the same payloads when nothing stands before it. */
import postgres from "postgres";
import { envelopeRest, VARIANTS } from "./payloads.ts";

const BATCH = 64;
const CONNECTIONS = 2;

/** Bare batched inserts of error payloads, for a while each time. */
export interface BareInsert extends AsyncDisposable {
  /** Durable rows a second of `insert … select from unnest`. */
  run(seconds: number): Promise<number>;
}

/** Makes the table for them, which goes on disposal. */
export async function bareInsert(databaseUrl: string): Promise<BareInsert> {
  const sql = postgres(databaseUrl, { max: CONNECTIONS, onnotice: () => {} });
  await sql`drop table if exists bare_events`;
  await sql`create table bare_events (id uuid primary key, at timestamptz not null, payload text not null)`;
  await sql`alter table bare_events alter payload set compression lz4`;
  const payloads = Array.from({ length: BATCH }, (_, index) => envelopeRest(index % VARIANTS));
  return {
    async run(seconds) {
      const began = performance.now();
      const end = began + seconds * 1000;
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
      return rows / ((performance.now() - began) / 1000);
    },
    async [Symbol.asyncDispose]() {
      await sql`drop table bare_events`;
      await sql.end();
    },
  };
}
