import assert from "node:assert/strict";
import { Deadline, InvalidQuery, WHOLE_SCOPE } from "@/lib/metrics/query_types.ts";
import { runQueries } from "@/lib/metrics/query/run_queries.ts";
import { testDatabase } from "../../support/database.ts";
import { gaugeSeries, metricBatch } from "../../support/metric_series.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testWriter } from "../../support/writer.ts";

const PROJECT = "1";
const isLate = (error: unknown) =>
  error instanceof InvalidQuery &&
  /^Reading this takes longer than 0 s: choose/.test(error.message);

Deno.test("a question whose time is over is not read to its end, and says what to ask instead", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const end = Date.now();
  const start = end - 600_000;
  const series = gaugeSeries("heap", { host: "a" }, [[start + 1_000, 5]]);
  const { metric } = series;
  await writer.store(PROJECT, metricBatch([series]));
  const range = {
    projectId: PROJECT,
    start: new Date(start),
    end: new Date(end),
    stepMs: null,
    scope: WHOLE_SCOPE,
  };
  const query = {
    id: "a",
    metric: metric.name,
    kind: null,
    unit: null,
    aggregation: "avg",
    filter: [],
    groupBy: [],
    top: 10,
  } as const;
  const request = { ...range, queries: [query], formulas: [], comparesPrevious: false };
  const services = { sql, log: silentLogger };

  assert.equal((await runQueries(services, request)).series.length, 1);
  const timed = { ...services, deadline: new Deadline(0) };
  await assert.rejects(runQueries(timed, request), isLate);
});
