/**
 * What questions about metrics take: a gauge of 5,000 series over a day, histograms of 250 series, counters of 1,000
 * series over 30 days. Prints milliseconds, median of nine warm runs; judges nothing.
 *
 *   deno run -A test/bench/metrics/query.ts
 *     --interval=15       seconds between the points of the gauge, 60 without
 *     --keep              leaves the database
 *     --database=<url>    uses one that was kept
 *     --explain           prints how Postgres ran what took more than 5 ms, and no times
 */
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { labelValues, listMetrics } from "@/lib/metrics/catalog.ts";
import { parseFilter } from "@/lib/metrics/filter.ts";
import { runHeatmap } from "@/lib/metrics/query/heatmap.ts";
import { runQueries } from "@/lib/metrics/query/run_queries.ts";
import { type MetricQuery, type QueryRequest, WHOLE_SCOPE } from "@/lib/metrics/query_types.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { benchDatabase } from "../database.ts";
import { figure } from "../figures.ts";
import { milliseconds, timed } from "../timing.ts";
import { connectExplained } from "../traces/explain.ts";
import { compactAll, type Fill, fillPoints } from "./fill_points.ts";

const PROJECT = "1";
const SLOW_MS = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

await using stack = new AsyncDisposableStack();
const url = option("database") ?? await fill();
if (Deno.args.includes("--keep")) console.log(`kept: --database=${url}`);
const sql = connectServer(url);
stack.defer(() => sql.end());
const services = { sql, log: silentLogger };
await printSizes(sql);
if (!Deno.args.includes("--explain")) await timeQuestions();
if (Deno.args.includes("--explain")) await explain();

async function fill(): Promise<string> {
  const database = await benchDatabase();
  if (!Deno.args.includes("--keep")) stack.use(database);
  const sql = connectServer(database.url);
  await migrate(sql, silentLogger);
  const intervalMs = Number(option("interval") ?? 60) * 1_000;
  const until = { endMs: NOW_MS };
  const sets: Fill[] = [
    { metric: "memory", seriesCount: 5_000, startMs: NOW_MS - 25 * HOUR_MS, intervalMs, ...until },
    {
      metric: "duration",
      seriesCount: 250,
      startMs: NOW_MS - 25 * HOUR_MS,
      intervalMs: MINUTE_MS,
      ...until,
    },
    {
      metric: "requests",
      seriesCount: 1_000,
      startMs: NOW_MS - 31 * DAY_MS,
      intervalMs: 5 * MINUTE_MS,
      ...until,
    },
  ];
  for (const set of sets) {
    const began = performance.now();
    const points = await fillPoints(sql, PROJECT, set);
    figure(`${points.toLocaleString("en")} points of ${set.metric}`, `stored in ${since(began)}`);
  }
  // All at once: what comes for a slot that is settled waits a while.
  const began = performance.now();
  await compactAll(sql, PROJECT);
  figure("compacted in", since(began));
  await sql.end();
  return database.url;
}

function since(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}

async function timeQuestions(): Promise<void> {
  const memory = { metric: "memory", aggregation: "avg" as const };
  const requests = { metric: "requests", aggregation: "rate" as const };
  const p95 = { metric: "duration", aggregation: "p95" as const };
  const byRoute = { groupBy: ["http.route"] };
  const questions: [string, number, number | null, Partial<MetricQuery>][] = [
    ["6 h of 5,000 series, 60 s", 6, MINUTE_MS, memory],
    ["6 h of 5,000 series by route, 60 s", 6, MINUTE_MS, { ...memory, ...byRoute }],
    ["6 h of 5,000 series, 2 min (usual)", 6, null, memory],
    ["24 h of 5,000 series (usual)", 24, null, memory],
    ["24 h of 5,000 series by route (usual)", 24, null, { ...memory, ...byRoute }],
    ["6 h of 5,000 series, 15 s", 6, 15_000, memory],
    ["1 h of 5,000 series, 15 s", 1, 15_000, memory],
    ["6 h of 200 of 5,000, 60 s", 6, MINUTE_MS, {
      ...memory,
      filter: parseFilter('http.route="/api/things/7"'),
    }],
    ["window of 5 min, 5,000 series", 1 / 12, 5 * MINUTE_MS, memory],
    ["p95 by route, 6 h of 250 series, 60 s", 6, MINUTE_MS, { ...p95, ...byRoute }],
    ["p95 by route, 24 h of 250 series", 24, null, { ...p95, ...byRoute }],
    ["30 d of 1,000 series, 3 h (usual)", 30 * 24, null, requests],
    ["30 d of 1,000 series by route, 1 h", 30 * 24, HOUR_MS, { ...requests, ...byRoute }],
    ["7 d of 1,000 series, 1 h (usual)", 7 * 24, null, requests],
  ];
  for (const [label, hours, stepMs, query] of questions) {
    figure(
      label,
      milliseconds(await timed(() => runQueries(services, request(hours, stepMs, query)))),
    );
  }
  const { queries: _, formulas: __, comparesPrevious: ___, ...heat } = request(6, MINUTE_MS, p95);
  figure(
    "heat map, 6 h of 250 series, 60 s",
    milliseconds(
      await timed(() =>
        runHeatmap(services, { ...heat, metric: "duration", kind: null, unit: null, filter: [] })
      ),
    ),
  );
  const list = { search: "", kind: null, scope: WHOLE_SCOPE, cursor: null, limit: 50 };
  figure("list of metrics", milliseconds(await timed(() => listMetrics(sql, PROJECT, list))));
  figure(
    "values of a label, 5,000 series",
    milliseconds(await timed(() => labelValues(sql, PROJECT, "memory", "http.route", "/api"))),
  );
}

function request(
  hours: number,
  stepMs: number | null,
  query: Partial<MetricQuery>,
): QueryRequest {
  return {
    projectId: PROJECT,
    start: new Date(NOW_MS - hours * HOUR_MS),
    end: new Date(NOW_MS),
    stepMs,
    scope: WHOLE_SCOPE,
    queries: [{
      id: "a",
      metric: "memory",
      kind: null,
      unit: null,
      aggregation: "avg",
      filter: [],
      groupBy: [],
      top: 10,
      ...query,
    }],
    formulas: [],
    comparesPrevious: false,
  };
}

async function printSizes(sql: Sql): Promise<void> {
  const rows = await sql<{ tier: number; blocks: string; samples: string; bytes: string }[]>`
    select tier, count(*) as blocks, sum(samples) as samples, sum(length(body)) as bytes
    from metric_stored_blocks group by tier order by tier
  `;
  for (const { tier, blocks, samples, bytes } of rows) {
    figure(
      `tier ${tier}`,
      `${blocks} blocks, ${Number(samples).toLocaleString("en")} samples of ${
        (Number(bytes) / Number(samples)).toFixed(2)
      } bytes`,
    );
  }
}

/** What Postgres did for some of the questions. */
async function explain(): Promise<void> {
  const told = connectExplained(url, SLOW_MS, (plan) => console.log(plan));
  const other = { sql: told, log: silentLogger };
  const filter = parseFilter('http.route="/api/things/7"');
  await runQueries(other, request(6, MINUTE_MS, { metric: "memory" }));
  await runQueries(other, request(6, 15_000, { metric: "memory", filter }));
  await runQueries(other, request(720, null, { metric: "requests", aggregation: "rate" }));
  await told.end();
}

function option(name: string): string | undefined {
  return Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}
