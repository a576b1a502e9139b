import { connectServer, type Sql } from "@/lib/store/database.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import { joinChunks } from "@/lib/store/event_chunks/join.ts";
import { ENVELOPE_BYTES } from "../payloads.ts";
import { makeProjects } from "../projects.ts";
import { prepareRequests, replay } from "../replay.ts";
import { serveOn } from "../serve_on.ts";
import type { Bench, Bound, Figure } from "../table.ts";
import { largeErrorRequest } from "./large_event.ts";
import { errorRequest, type MadeRequest } from "./requests.ts";

const PROJECTS = 5;
const RATE = 400;

interface Sample {
  readonly name: string;
  readonly events: number;
  readonly make: (index: number) => MadeRequest;
}

const SAMPLES: readonly Sample[] = [
  { name: "11.8 KB", events: 12_000, make: (index) => errorRequest(index, ENVELOPE_BYTES) },
  { name: "50 KB", events: 3_000, make: largeErrorRequest },
];

/** What Postgres keeps of an event, indexes and all other tables included: just stored, and once its chunk was joined. */
export async function benchStoredBytes({ databaseUrl }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const sample of SAMPLES) figures.push(...await measure(databaseUrl, sample));
  return figures;
}

async function measure(databaseUrl: string, { name, events, make }: Sample): Promise<Figure[]> {
  const sql = connectServer(databaseUrl);
  try {
    await using requests = await prepareRequests(events, make);
    let before: Sizes;
    {
      await using server = await serveOn(databaseUrl, 1);
      const paths = await makeProjects(server, PROJECTS);
      before = await tableSizes(sql);
      await replay(requests, {
        ...{ url: server.url, paths, rate: RATE, seconds: Math.ceil(events / RATE) },
      });
    }
    const fresh = await tableSizes(sql);
    await joinChunks(sql, new AbortController().signal, new Date(Date.now() + 2 * DAY_MS));
    await sql`vacuum full event_chunks`;
    const joined = await tableSizes(sql);
    const count = fresh.events - before.events;
    const of = (figure: string, sizes: Sizes, tables: RegExp, limit?: Bound): Figure => ({
      part: "bytes",
      figure: `an error of ${name}, ${figure}`,
      unit: "bytes",
      ours: (sumOf(sizes, tables) - sumOf(before, tables)) / count,
      limit,
    });
    const gzip = { name: "as gzip", value: requests.medianSentBytes };
    return [
      of("just stored", fresh, /./, gzip),
      of("joined", joined, /./, gzip),
      ...PARTS.map(([figure, tables]) => of(`joined: ${figure}`, joined, tables)),
    ];
  } finally {
    await sql.end();
  }
}

const PARTS: readonly (readonly [name: string, tables: RegExp])[] = [
  ["payload", /^event_chunks/],
  ["row", /^events$/],
  ["row's indexes", /^events_/],
  ["id", /^event_ids/],
  ["receipt", /^receipts/],
  ["the rest", /^(?!event_chunks|events|event_ids|receipts)/],
];

interface Sizes {
  readonly events: number;
  readonly bytes: ReadonlyMap<string, number>;
}

function sumOf({ bytes }: Sizes, tables: RegExp): number {
  return [...bytes].reduce((sum, [name, each]) => tables.test(name) ? sum + each : sum, 0);
}

/** Bytes of tables with what is kept outside of their rows, and of indexes; partitions by the name of their whole. */
async function tableSizes(sql: Sql): Promise<Sizes> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select regexp_replace(relname, '_2[0-9]{7}', '') as name,
      sum(case relkind when 'i' then pg_relation_size(oid) else pg_table_size(oid) end)::float8 as bytes
    from pg_class where relkind in ('r', 'i', 'm') and relnamespace = 'public'::regnamespace
    group by 1
  `;
  const [row] = await sql<{ events: number }[]>`select count(*)::float8 as events from events`;
  return {
    events: row?.events ?? 0,
    bytes: new Map(rows.map(({ name, bytes }) => [name, bytes])),
  };
}
