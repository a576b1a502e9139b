import assert from "node:assert/strict";
import {
  MAX_GROUPS,
  readSeriesOverTime,
  readStats,
  readStatsByEach,
  readStatsOverTime,
  type StatsSelection,
} from "@/lib/store/stats/read_stats.ts";
import { foldStats } from "@/lib/store/stats/fold_stats.ts";
import { apdex, averageOf, failureRate, sumOf } from "@/lib/store/stats/stats.ts";
import type { Transaction } from "@/lib/records/mod.ts";
import { testDatabase } from "@/test/support/database.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const HOUR_MS = 3_600_000;

function selection(fields: Partial<StatsSelection> = {}): StatsSelection {
  const now = Date.now();
  return {
    projectId: "1",
    kind: "transaction",
    environments: [],
    releases: [],
    services: [],
    start: new Date(now - HOUR_MS),
    end: new Date(now + 60_000),
    ...fields,
  };
}

async function statsWorld() {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  return {
    sql: database.sql,
    writer,
    send: (...fields: Partial<Transaction>[]) =>
      writer.store("1", ...fields.map((each) => transactionRecord({ measurements: [], ...each }))),
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("transactions are added up by name: count, failures, users, statuses, durations", async () => {
  await using world = await statsWorld();
  await world.send(
    { name: "GET /a", durationMs: 100, user: "id:1" },
    { name: "GET /a", durationMs: 300, user: "id:2", isFailed: true, httpStatus: 503 },
    { name: "GET /b", durationMs: 50, httpStatus: 302, httpMethod: "GET", route: "/b" },
  );
  await world.send({ name: "GET /a", durationMs: 200, user: "id:1", clientSampleRate: 0.5 });
  const [a, b] = await readStats(world.sql, selection(), ["name", "route"]);
  assert.ok(a && b);
  assert.equal(a.name, "GET /a");
  assert.deepEqual([a.count, a.failures, a.weight, a.sum, a.users], [3, 1, 4, 600, 2]);
  assert.deepEqual(a.statuses, [2, 0, 0, 1]);
  assert.equal(averageOf(a), 200);
  assert.equal(failureRate(a), 1 / 3);
  assert.ok(Math.abs((a.sketch.quantile(0.5) ?? 0) - 200) < 5);
  assert.ok(Math.abs((apdex(a.sketch, 150) ?? 0) - 2 / 3) < 0.02);
  assert.deepEqual([b.name, b.route, b.count, b.statuses], ["GET /b", "/b", 1, [0, 1, 0, 0]]);
});

Deno.test("a transaction that is sent twice counts once, in whichever request", async () => {
  await using world = await statsWorld();
  const record = transactionRecord();
  await world.writer.store("1", record, record);
  await world.writer.store("1", record);
  const [total] = await readStats(world.sql, selection({ kind: "total" }), []);
  assert.equal(total?.count, 1);
});

Deno.test("counts of any range add up, whichever periods it is read from", async () => {
  await using world = await statsWorld();
  const now = Date.now();
  const at = (hoursAgo: number) => ({ timestamp: new Date(now - hoursAgo * HOUR_MS) });
  await world.send(at(0), at(2), at(20), at(40), at(100), at(200), at(600));
  const count = async (hours: number) => {
    const start = new Date(now - hours * HOUR_MS);
    const [total] = await readStats(world.sql, selection({ kind: "total", start }), []);
    return total?.count;
  };
  assert.deepEqual(
    await Promise.all([1, 3, 24, 48, 120, 240, 720].map(count)),
    [1, 2, 3, 4, 5, 6, 7],
  );
});

Deno.test("environment, release, service and columns narrow what is counted", async () => {
  await using world = await statsWorld();
  await world.send(
    { environment: "production", release: "1.0", service: "web" },
    { environment: "staging", release: "1.0", service: "web" },
    { environment: "production", release: "2.0", service: "api", name: "POST /x%y" },
  );
  const count = async (fields: Partial<StatsSelection>) =>
    (await readStats(world.sql, selection(fields), []))[0]?.count ?? 0;
  assert.equal(await count({ environments: ["production"] }), 2);
  assert.equal(await count({ environments: ["production"], releases: ["2.0"] }), 1);
  assert.equal(await count({ services: ["web", "api"] }), 3);
  assert.equal(await count({ where: { name: "POST /x%y" } }), 1);
  assert.equal(await count({ nameLike: "post /x%" }), 1);
  assert.equal(await count({ nameLike: "post*y" }), 1);
  assert.equal(await count({ nameLike: "_" }), 0);
  assert.equal(await count({ projectId: "2" }), 0);
});

Deno.test("a chart has a point for each step that something happened in", async () => {
  await using world = await statsWorld();
  const now = Date.now();
  const step = 5 * 60_000;
  const first = Math.floor((now - 50 * 60_000) / step) * step;
  await world.send(
    { timestamp: new Date(first + 1), name: "a" },
    { timestamp: new Date(first + step - 1), name: "a" },
    { timestamp: new Date(first + 3 * step), name: "b" },
  );
  const points = await readStatsOverTime(world.sql, selection({ kind: "total" }), step);
  assert.deepEqual(points.map(({ time, stats }) => [(time - first) / step, stats.count]), [
    [0, 2],
    [3, 1],
  ]);
  const named = await readSeriesOverTime(world.sql, selection(), ["name"], step);
  assert.deepEqual(named.map(({ group, stats }) => [group.name, stats.count]), [["a", 2], [
    "b",
    1,
  ]]);
});

Deno.test("spans are added up by what they do, and by the transaction that did it", async () => {
  await using world = await statsWorld();
  const end = Date.now() / 1000;
  const query = { category: "db", group: "SELECT ?", start: end - 0.02, end } as const;
  await world.writer.store(
    "1",
    spanBatchRecord({ transaction: "GET /a", spans: [spanRecord(query), spanRecord(query)] }),
    spanBatchRecord({
      transaction: "GET /b",
      spans: [spanRecord(query), spanRecord({ category: "", group: "" })],
    }),
  );
  const [spans] = await readStats(world.sql, selection({ kind: "span" }), ["category", "name"]);
  assert.deepEqual([spans?.category, spans?.name, spans?.count], ["db", "SELECT ?", 3]);
  assert.ok(Math.abs((spans?.sum ?? 0) - 60) < 0.1);
  const callers = await readStats(world.sql, selection({ kind: "caller" }), ["parent"]);
  assert.deepEqual(callers.map(({ parent, count }) => [parent, count]), [["GET /a", 2], [
    "GET /b",
    1,
  ]]);
});

Deno.test("vitals come from transactions and from spans that are sent alone", async () => {
  await using world = await statsWorld();
  await world.writer.store(
    "1",
    transactionRecord({
      name: "/cart",
      tags: [["browser.name", "Firefox"]],
      measurements: [{ name: "lcp", value: 1_200, unit: "millisecond" }, {
        name: "lcp",
        value: 90_000,
        unit: "millisecond",
      }, { name: "connection.rtt", value: 50, unit: "millisecond" }],
    }),
    // Its measurements stand on the span that it is as well.
    transactionRecord({
      name: "/cart",
      sentAs: "segment",
      measurements: [{ name: "lcp", value: 1, unit: "" }],
    }),
    spanBatchRecord({
      transaction: "/cart",
      spans: [spanRecord({
        category: "",
        group: "",
        measurements: [{ name: "cls", value: 0.2, unit: "" }],
        data: {
          "user_agent.original":
            "Mozilla/5.0 (iPhone) AppleWebKit Version/18.0 Mobile Safari/604.1",
        },
      })],
    }),
  );
  const pages = await readStats(world.sql, selection({ kind: "vital" }), ["name", "op"]);
  assert.deepEqual(pages.map(({ op, count }) => [op, count]), [["lcp", 1], ["cls", 1]]);
  const visits = await readStats(world.sql, selection({ kind: "visit" }), [
    "name",
    "op",
    "browser",
    "device",
  ]);
  assert.deepEqual(visits.map(({ name, op, browser, device }) => [name, op, browser, device]), [
    ["/cart", "lcp", "Firefox", ""],
    ["/cart", "cls", "Safari", "mobile"],
  ]);
});

Deno.test("rows that are written often stay small and lose nothing", async () => {
  await using world = await statsWorld();
  for (let round = 0; round < 60; round++) {
    await world.send(...Array.from({ length: 20 }, (_, i) => ({
      durationMs: 1 + round * 20 + i,
      user: `id:${round * 20 + i}`,
    })));
  }
  // So many take longer than whoever reads waits.
  await foldStats(world.sql);
  const [total] = await readStats(world.sql, selection({ kind: "total" }), []);
  assert.equal(total?.count, 1_200);
  assert.equal(total?.sketch.count, 1_200);
  assert.ok(Math.abs((total?.users ?? 0) - 1_200) < 200, `${total?.users}`);
  const [size] = await world.sql<{ sketch: number; users: number }[]>`
    select max(octet_length(sketch)) as sketch, max(octet_length(users)) as users from stat_hours
  `;
  assert.ok(Number(size?.sketch) < 1_200, `${size?.sketch}`);
  assert.ok(Number(size?.users) < 2_700, `${size?.users}`);
});

Deno.test("a vital that comes alone is counted for the page of its page load", async () => {
  await using world = await statsWorld();
  const load = transactionRecord({ name: "/cart", op: "pageload", sentAs: "segment" });
  const other = transactionRecord({
    name: "/home",
    op: "pageload",
    sentAs: "segment",
    traceId: load.traceId,
  });
  const lcp = spanRecord({
    category: "",
    group: "",
    measurements: [{ name: "lcp", value: 900, unit: "millisecond" }],
    data: { "sentry.pageload.span_id": load.spanId },
  });
  await world.writer.store("1", load, other);
  const { stored } = await world.writer.store(
    "1",
    spanBatchRecord({ transaction: "Pageload", traceId: load.traceId, spans: [lcp] }),
  );
  assert.equal(stored, 1);
  const [vital] = await readStats(world.sql, selection({ kind: "vital" }), ["name", "op"]);
  assert.deepEqual([vital?.name, vital?.op, vital?.count], ["/cart", "lcp", 1]);
});

Deno.test("spans of several transactions in one batch are counted for the one they are part of", async () => {
  await using world = await statsWorld();
  const [one, other] = ["GET /a", "GET /b"].map((name) =>
    transactionRecord({ name, sentAs: "entry", traceId: "a".repeat(32) })
  );
  assert.ok(one && other);
  const of = (segmentId: string | null) =>
    spanRecord({ category: "db", group: "SELECT ?", segmentId });
  await world.writer.store(
    "1",
    one,
    other,
    spanBatchRecord({
      traceId: one.traceId,
      transaction: "",
      spans: [of(one.spanId), of(other.spanId), of(other.spanId), of(null)],
    }),
  );
  const callers = await readStats(world.sql, selection({ kind: "caller" }), ["parent"]);
  assert.deepEqual(
    callers.map(({ parent, count }) => [parent, count]).sort(),
    [["", 1], ["GET /a", 1], ["GET /b", 2]],
  );
});

Deno.test("all environments and releases together count what each of them counts", async () => {
  await using world = await statsWorld();
  await world.send(
    { environment: "production", release: "1.0", durationMs: 100, user: "id:1" },
    { environment: "staging", release: "1.0", durationMs: 200, user: "id:1" },
    { environment: "production", release: "2.0", durationMs: 300, user: "id:2", isFailed: true },
  );
  const [whole] = await readStats(world.sql, selection(), ["name"]);
  const apart = await readStats(world.sql, selection(), ["name", "environment", "release"]);
  assert.deepEqual([whole?.count, whole?.failures, whole?.sum, whole?.users], [3, 1, 600, 2]);
  assert.equal(apart.length, 3);
  const sum = (of: (each: typeof apart[number]) => number) =>
    apart.reduce((total, each) => total + of(each), 0);
  assert.deepEqual([sum(({ count }) => count), sum(({ sum }) => sum)], [3, 600]);
  const rows = await world.sql`select distinct kind from stat_hours order by kind`;
  assert.deepEqual(rows.map(({ kind }) => kind), [1, 2, 11, 12]);
});

Deno.test("series of a method and route are found by them, and not among all of the project", async () => {
  await using world = await statsWorld();
  await world.sql`
    insert into stat_series
    select 1, n, 2, 'production', '', '', 'n' || n, '', '', '', 'GET', '/' || n, '', '', '', '', current_date
    from generate_series(1, 2000) as numbers (n)
  `;
  await world.sql`analyze stat_series`;
  const [row] = await world.sql`
    explain (format json) select series_id from stat_series as series where series.project_id = 1
      and series.kind = 2 and series.http_method = any ('{GET}'::text[])
      and series.route = any ('{/7,/70}'::text[])
  `;
  assert.match(JSON.stringify(row), /stat_series_by_route/);
});

Deno.test("what is left out is not there at all, and all the rest is", async () => {
  await using world = await statsWorld();
  await world.send({ durationMs: 100, user: "id:1" }, { durationMs: 300, user: "id:2" });
  const [both] = await readStats(world.sql, selection(), ["name"]);
  const [bare] = await readStats(world.sql, selection(), ["name"], ["sketch", "users"]);
  assert.ok(both && bare);
  const { sketch, users, ...rest } = both;
  assert.deepEqual([sketch.count, users], [2, 2]);
  assert.deepEqual(bare, rest);
  // @ts-expect-error: the type does not have what was left out.
  assert.equal(bare.users, undefined);
  const [named] = await readStats(world.sql, selection(), ["name"], ["users"]);
  assert.equal(named?.sketch.count, 2);
  const [point] = await readStatsOverTime(world.sql, selection(), 2 * HOUR_MS, ["sketch"]);
  assert.ok(point && !("sketch" in point.stats));
  assert.ok(point.stats.users > 0);
});

Deno.test("counts by each of several columns are the same as those by one column after the other", async () => {
  await using world = await statsWorld();
  await world.send(
    { name: "a", op: "http", environment: "one", durationMs: 10 },
    { name: "a", op: "", environment: "two", durationMs: 20 },
    { name: "b", op: "http", environment: "two", durationMs: 400, user: "id:1" },
  );
  const columns = ["name", "op", "environment"] as const;
  const each = await readStatsByEach(world.sql, selection(), columns);
  for (const column of columns) {
    assert.deepEqual(each[column], await readStats(world.sql, selection(), [column]), column);
  }
  const none = selection({ projectId: "2" });
  const nothing = { name: [], op: [], environment: [] };
  assert.deepEqual(await readStatsByEach(world.sql, none, columns), nothing);
  assert.deepEqual(
    await readStatsByEach(world.sql, { ...none, end: none.start }, columns),
    nothing,
  );
});

Deno.test("of each value of a column as many groups are read", async () => {
  await using world = await statsWorld();
  const names = Array.from({ length: MAX_GROUPS + 10 }, (_, i) => `many/${i}`);
  await world.sql`
    insert into stat_series
    select 1, row_number() over (), 12, '', '', '', name, case when name = 'few' then 'b' else 'a' end,
      '', '', '', '', '', '', '', '', current_date
    from unnest(${[...names, "few"]}::text[]) as named (name)
  `;
  await world.sql`
    insert into stat_days
    select 1, 12, date_trunc('day', now(), 'UTC') - interval '2 days', series_id, 1, 0, 1, series_id::float / 1e6, 0, 0, 0, 0, '', '', null
    from stat_series
  `;
  const days = selection({ start: new Date(Date.now() - 120 * HOUR_MS) });
  const all = await readStats(world.sql, days, ["op", "name"], ["sketch", "users"]);
  assert.equal(all.length, MAX_GROUPS);
  const each = await readStats(world.sql, days, ["op", "name"], ["sketch", "users"], "op");
  assert.deepEqual([each.length, each[0]?.name, each.at(-1)?.name], [
    MAX_GROUPS + 1,
    "few",
    "many/10",
  ]);
});

Deno.test("counts that are added up later are those that are read together", async () => {
  await using world = await statsWorld();
  await world.send(
    { name: "a", durationMs: 10, httpStatus: 404 },
    { name: "b", durationMs: 900, isFailed: true, httpStatus: 500, clientSampleRate: 0.5 },
  );
  const [total] = await readStats(world.sql, selection(), [], ["users"]);
  const names = await readStats(world.sql, selection(), ["name"], ["users"]);
  assert.ok(total);
  const { traceId, ...sum } = sumOf(names);
  const { traceId: _, ...rest } = total;
  assert.deepEqual(sum, rest);
  assert.ok(names.some((each) => each.traceId === traceId));
});
