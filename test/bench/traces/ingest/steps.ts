/**
 * What each step from body to row costs, in microseconds of this process's processor time a span, what the rows take, and
 * how long the whole takes beside a bare insert of the same rows in the same run. Run with
 * `deno run -A test/bench/traces/ingest/steps.ts [seconds] [otlp] [sentry]` and a Postgres that `TEST_DATABASE_URL` names.
 */
import process from "node:process";
import { gunzipSync } from "node:zlib";
import { decodeTraces } from "@/lib/formats/otlp/decode.ts";
import { traceBatch } from "@/lib/formats/otlp/traces.ts";
import { sentryEnvelope } from "@/lib/ingest/protocols/sentry.ts";
import { type Batch } from "@/lib/records/mod.ts";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { openWriter } from "@/lib/ingest/writer/writer.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { throwAwayDatabase } from "@/test/support/throw_away_database.ts";
import { figure, rate } from "../../figures.ts";
import { settle, tableSizes } from "../table_sizes.ts";
import { exportRequest, SPANS_PER_EXPORT } from "./otlp_request.ts";
import { SPANS_PER_TRANSACTION, transactionRequest } from "./transaction_request.ts";

const PROJECTS = 4;
const BARE_TABLES = ["transactions", "span_batches", "span_chunks"];
const BARE_ROWS = 128;
const WAYS = [
  {
    word: "otlp",
    make: exportRequest,
    spans: SPANS_PER_EXPORT,
    together: 16,
    decode(body: Uint8Array, contextOf = context("application/x-protobuf")) {
      const groups = step("decode", () => decodeTraces(body, "application/x-protobuf"));
      return step("records", () => traceBatch(groups, contextOf));
    },
  },
  {
    word: "sentry",
    make: transactionRequest,
    spans: SPANS_PER_TRANSACTION,
    together: 64,
    decode(body: Uint8Array) {
      return step(
        "records",
        () => sentryEnvelope.decode(body, context("application/x-sentry-envelope")),
      );
    },
  },
] as const;

function context(contentType: string) {
  return decodeContext({ requestId: crypto.randomUUID(), contentType });
}

/** Microseconds of processor time by step. */
const costs = new Map<string, number>();

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function step<T>(name: string, run: () => T): T {
  const before = cpuMicros();
  const result = run();
  costs.set(name, (costs.get(name) ?? 0) + cpuMicros() - before);
  return result;
}

const seconds = Number(Deno.args.find((word) => /^\d+$/.test(word)) ?? 10);
const serverUrl = Deno.env.get("TEST_DATABASE_URL") ?? "";
for (const way of WAYS) {
  if (Deno.args.some((word) => /^[a-z]/.test(word)) && !Deno.args.includes(way.word)) continue;
  await using database = await throwAwayDatabase(serverUrl, { isMigrated: true });
  const sql = connectServer(database.url);
  await measure(sql, way);
  await sql.end();
}

async function measure(sql: Sql, way: typeof WAYS[number]) {
  const writer = openWriter(sql, { log: silentLogger, timeoutMs: 60_000 });
  const run = async (untilMs: number) => {
    const end = performance.now() + untilMs;
    let [spans, storeMs] = [0, 0];
    for (let round = 0; performance.now() < end; round++) {
      const bodies = Array.from({ length: way.together }, (_, at) => way.make(at).body);
      const batches: Batch[] = [];
      for (const body of bodies) {
        const plain = step("unpack", () => gunzipSync(body));
        batches.push(way.decode(plain));
      }
      const [before, began] = [cpuMicros(), performance.now()];
      await Promise.all(batches.map((batch, at) => {
        const receipt = { requestId: crypto.randomUUID(), receivedAt: new Date() };
        return writer.commit(String(1 + (at % PROJECTS)), batch, receipt);
      }));
      storeMs += performance.now() - began;
      costs.set("pack and store", (costs.get("pack and store") ?? 0) + cpuMicros() - before);
      spans += way.together * way.spans;
    }
    return { spans, storeMs };
  };
  await run(2_000);
  costs.clear();
  const sizesBefore = await sized(sql);
  const { spans, storeMs } = await run(seconds * 1000);
  await writer.close();
  const sizes = await sized(sql);
  console.log(`\n${way.word}: ${spans} spans`);
  let all = 0;
  for (const [name, micros] of costs) {
    all += micros;
    figure(name, `${(micros / spans).toFixed(2).padStart(7)} µs a span`);
  }
  figure("together", `${(all / spans).toFixed(2).padStart(7)} µs a span`);
  for (const [at, { table, bytes, rows }] of sizes.entries()) {
    const grown = bytes - (sizesBefore[at]?.bytes ?? 0);
    figure(`  ${table}`, `${(grown / spans).toFixed(1).padStart(7)} bytes a span, ${rows} rows`);
  }
  const bareMs = await bareInsertMs(sql, spans);
  figure("stored", `${rate(spans / storeMs * 1000)} spans/s while writing`);
  figure("bare insert of the same rows", `${rate(spans / bareMs * 1000)} spans/s`);
  figure("ratio", (bareMs / storeMs).toFixed(3));
}

async function sized(sql: Sql) {
  await settle(sql);
  return await tableSizes(sql);
}

/** Milliseconds that the rows of `spans` spans take in tables of the same columns and keys, {@linkcode BARE_ROWS} a commit. */
async function bareInsertMs(sql: Sql, spans: number): Promise<number> {
  let took = 0;
  for (const table of BARE_TABLES) {
    const columns = await sql<{ name: string; type: string }[]>`
      select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped order by attnum
    `;
    if (columns.length === 0) continue;
    const list = columns.map(({ name }) => `"${name}"`).join(", ");
    await sql.unsafe(`create table bare (like ${table} including all)`);
    const rows = await sql.unsafe(
      `select ${columns.map(({ name }) => `"${name}"::text`).join(", ")} from ${table}`,
    ).values();
    const insert = `insert into bare (${list}) select * from unnest(${
      columns.map(({ type }, at) => `$${at + 1}::text[]::${type}[]`).join(", ")
    })`;
    const began = performance.now();
    for (let at = 0; at < rows.length; at += BARE_ROWS) {
      const some = rows.slice(at, at + BARE_ROWS);
      await sql.unsafe(insert, columns.map((_, place) => some.map((row) => row[place])));
    }
    took += performance.now() - began;
    await sql.unsafe("drop table bare");
  }
  const [stored] = await sql<
    { spans: string }[]
  >`select sum(span_count) as spans from span_batches`;
  return took * spans / Number(stored?.spans);
}
