/**
 * What the pages of traces ask Postgres, timed on 1,000,000 transactions with 10,000,000 spans over 30 days. Prints
 * milliseconds, median and 95th percentile of 20 warm runs; judges nothing.
 *
 *   deno run -A test/bench/traces/pages.ts
 *     --transactions=100000   a smaller set
 *     --keep                  leaves the database
 *     --database=<url>        uses one that was kept
 *     --search=range=7d       times this part of the time and the project only
 *     --pages                 times pages as a whole, not their single queries
 *     --explain=<file>        writes how Postgres ran what took more than 50 ms
 */
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { loadPageScope } from "@/lib/releases/request_scope.ts";
import { benchDatabase } from "../database.ts";
import { figure } from "../figures.ts";
import { milliseconds } from "../timing.ts";
import { connectExplained } from "./explain.ts";
import { fillTraces } from "./fill/fill_traces.ts";
import { type Load, pageLoads, PROJECT } from "./page_loads.ts";
import { queryLoads } from "./query_loads.ts";
import { printSizes } from "./table_sizes.ts";
import { timesOf } from "./timing.ts";

const SLOW_MS = 50;
const DAYS = 30;
const ALL_SEARCHES = [
  "range=1h",
  "range=24h",
  "range=7d",
  "range=14d",
  "range=30d",
  "range=30d&environment=staging",
];

const search = option("search");
const searches = search === undefined ? ALL_SEARCHES : [search];

await using stack = new AsyncDisposableStack();
const url = option("database") ?? await fill(stack);
if (Deno.args.includes("--keep")) console.log(`kept: --database=${url}`);
const sql = connectServer(url);
stack.defer(() => sql.end());
await printSizes(sql);
const traceId = await traceOf(sql);
for (const search of searches) await timePages(sql, search);
const explanation = option("explain");
if (explanation !== undefined) await explainPages(explanation);

async function fill(stack: AsyncDisposableStack): Promise<string> {
  const database = await benchDatabase();
  if (!Deno.args.includes("--keep")) stack.use(database);
  const sql = connectServer(database.url);
  const began = performance.now();
  const transactions = Number(option("transactions") ?? 1_000_000);
  await fillTraces(sql, database.url, { projectId: PROJECT.id, transactions, days: DAYS });
  await sql.end();
  figure("filled in", `${Math.round((performance.now() - began) / 1000)} s`);
  return database.url;
}

async function timePages(sql: Sql, search: string): Promise<void> {
  console.log(`\n${search}, ms`.padEnd(33), "median".padStart(10), "p95".padStart(10));
  for (const { name, run } of await loadsOf(sql, search)) {
    const { median, p95 } = await timesOf(run);
    console.log(name.padEnd(32), milliseconds(median), milliseconds(p95));
  }
}

async function loadsOf(sql: Sql, search: string): Promise<Load[]> {
  const pageScope = await loadPageScope(sql, PROJECT, new URLSearchParams(search));
  const single = Deno.args.includes("--pages") ? [] : queryLoads(sql, pageScope);
  return [...pageLoads(sql, pageScope, traceId), ...single];
}

async function explainPages(file: string): Promise<void> {
  const plans: string[] = [];
  const explained = connectExplained(url, SLOW_MS, (plan) => plans.push(plan));
  for (const search of searches) {
    for (const { name, run } of await loadsOf(explained, search)) {
      plans.push(`\n=== ${search}: ${name.trim()}`);
      await run();
    }
  }
  await explained.end();
  await Deno.writeTextFile(file, plans.join("\n"));
}

async function traceOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select replace(trace_id::text, '-', '') as id from transactions
    where project_id = ${PROJECT.id} and parent_span_id is not null
    order by "timestamp" desc limit 1
  `;
  return row?.id ?? "";
}

function option(name: string): string | undefined {
  const mark = `--${name}=`;
  return Deno.args.find((argument) => argument.startsWith(mark))?.slice(mark.length);
}
