import assert from "node:assert/strict";
import {
  findMetrics,
  labelKeys,
  labelValues,
  listMetrics,
  metricNames,
} from "@/lib/metrics/catalog.ts";
import { WHOLE_SCOPE } from "@/lib/metrics/query_types.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import { testDatabase } from "../../support/database.ts";
import { gaugeSeries, type Labels, metricBatch } from "../../support/metric_series.ts";
import { testWriter } from "../../support/writer.ts";

const PROJECT = "7";
const ALL = { search: "", kind: null, scope: WHOLE_SCOPE, cursor: null, limit: 100 };
const gauge = (name: string, labels: Labels = {}, unit = "By") =>
  gaugeSeries(name, labels, [[Date.now() - 60_000, 1]], unit);

async function catalogOf(...series: MetricSeries[]) {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  await writer.store(PROJECT, metricBatch(series));
  return {
    sql: database.sql,
    writer,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("pages of metrics go on from one to the next without gap and repeat", async () => {
  const names = Array.from({ length: 25 }, (_, place) => `metric.${place % 5}.${place}`);
  // In any language, and as long as they may be.
  names.push(...["a", "é", "ж", "漢", '"'].map((sign) => `metric.${sign.repeat(248)}`));
  await using catalog = await catalogOf(
    ...names.flatMap((name) => [gauge(name), gauge(name, {}, "s")]),
  );
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await listMetrics(catalog.sql, PROJECT, { ...ALL, cursor, limit: 7 });
    found.push(...page.rows.map(({ name, unit }) => `${name} ${unit}`));
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < 100);
  assert.equal(found.length, 60);
  assert.equal(new Set(found).size, 60);
  assert.deepEqual(
    found.map((row) => row.split(" ")[0]),
    names.flatMap((name) => [name, name]).sort(),
  );
});

Deno.test("signs that patterns know mean themselves in a search", async () => {
  await using catalog = await catalogOf(gauge("a_b"), gauge("acb"), gauge("a%b"));
  const found = async (search: string) =>
    (await listMetrics(catalog.sql, PROJECT, { ...ALL, search })).rows.map(({ name }) => name);
  assert.deepEqual(await found("a_b"), ["a_b"]);
  assert.deepEqual(await found("%"), ["a%b"]);
  assert.deepEqual(await found("A*B"), ["a%b", "a_b", "acb"]);
  assert.deepEqual(await metricNames(catalog.sql, PROJECT, "b"), ["a%b", "a_b", "acb"]);
});

Deno.test("names that begin with what was typed are offered first", async () => {
  await using catalog = await catalogOf(gauge("a.http"), gauge("http.b"), gauge("http.a"));
  assert.deepEqual(await metricNames(catalog.sql, PROJECT, "http"), ["http.a", "http.b", "a.http"]);
});

Deno.test("labels are those of all kinds and units of a name, values by how many series have them", async () => {
  await using catalog = await catalogOf(
    gauge("memory", { host: "web-1", zone: "a" }),
    gauge("memory", { host: "web-2", zone: "b" }),
    gauge("memory", { host: "web-3", zone: "b" }),
    gauge("memory", { pool: "heap" }, "1"),
    gauge("other", { secret: "x" }),
  );
  const { sql } = catalog;
  assert.deepEqual(await labelKeys(sql, PROJECT, "memory"), ["host", "pool", "zone"]);
  assert.deepEqual(await labelValues(sql, PROJECT, "memory", "zone", ""), ["b", "a"]);
  assert.deepEqual(await labelValues(sql, PROJECT, "memory", "host", "WEB-2"), ["web-2"]);
  assert.deepEqual(await labelValues(sql, PROJECT, "memory", "__proto__", ""), []);
  await catalog.writer.store(PROJECT, metricBatch([gauge("memory", { rack: "7" })]));
  assert.deepEqual(await labelKeys(sql, PROJECT, "memory"), ["host", "pool", "rack", "zone"]);
});

Deno.test("nothing is told of another project's metrics", async () => {
  await using catalog = await catalogOf(gauge("memory", { host: "web-1" }));
  const { sql } = catalog;
  assert.deepEqual((await listMetrics(sql, "8", ALL)).rows, []);
  assert.deepEqual(await findMetrics(sql, "8", "memory"), []);
  assert.deepEqual(await metricNames(sql, "8", ""), []);
  assert.deepEqual(await labelKeys(sql, "8", "memory"), []);
});
