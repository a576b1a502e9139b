import assert from "node:assert/strict";
import type { MetricSource } from "@/lib/alerts/rule.ts";
import type { MetricQuery } from "@/lib/metrics/query_types.ts";
import { type AlertWorld, alertWorld } from "@/test/support/alert_world.ts";
import { counterSeries, gaugeSeries, metricBatch } from "@/test/support/metric_series.ts";

function query(fields: Partial<MetricQuery> = {}): MetricQuery {
  return {
    id: "a",
    metric: "disk.used",
    kind: "gauge",
    unit: "By",
    aggregation: "avg",
    filter: [],
    groupBy: [],
    top: 10,
    ...fields,
  };
}

function sourceOf(...queries: MetricQuery[]): MetricSource {
  return { kind: "metric", queries, formulas: [], judged: queries[0]?.id ?? "" };
}

/** Stores the values of a gauge by host, one each ten seconds of a minute. */
async function fill(world: AlertWorld, minute: number, hosts: Record<string, number>) {
  const series = Object.entries(hosts).map(([host, value]) =>
    gaugeSeries(
      "disk.used",
      { host },
      [0, 10, 20, 30, 40, 50].map((seconds) => [
        world.at(minute).getTime() + seconds * 1_000,
        value,
      ]),
    )
  );
  await world.store(metricBatch(series, world.at(minute + 1)));
}

const above = { comparison: ">", warning: null, critical: 100, recovery: null } as const;

Deno.test("each group of a metric has a state and an incident of its own", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({
    name: "Disk",
    source: sourceOf(query({ groupBy: ["host"] })),
    condition: above,
  });
  await fill(world, 1, { a: 50, b: 200 });
  await fill(world, 2, { a: 300, b: 200 });
  await world.judgeAll(2, 3);

  const states = await world.states(rule);
  assert.deepEqual(
    states.map(({ group, status, value }) => [group, status, value]).toSorted(),
    [["host=a", "firing", 300], ["host=b", "firing", 200]],
  );
  const notices = await world.notices();
  assert.deepEqual(notices.map(({ title }) => title), [
    "avg of disk.used by host (host=b) is 200 B",
    "avg of disk.used by host (host=a) is 300 B",
  ]);
  assert.equal(new Set(notices.map(({ incidentKey }) => incidentKey)).size, 2);
  const url = new URL(notices[0]?.url ?? "");
  assert.match(url.pathname, /\/metrics\/explore$/);
  assert.equal(url.searchParams.get("a.metric"), "disk.used");
  assert.ok(new Date(url.searchParams.get("start") ?? "") < world.at(1));
  assert.ok(new Date(url.searchParams.get("end") ?? "") > world.at(2));
});

Deno.test("a group that vanishes is over after a while, and forgotten a day later", async () => {
  await using world = await alertWorld();
  const source = sourceOf(query({ groupBy: ["host"] }));
  const ok = await world.rule({ source, condition: above });
  const alert = await world.rule({ source, condition: above, noData: "alert" });
  await fill(world, 1, { a: 200, b: 50 });
  for (const minute of [2, 3, 4, 5]) await fill(world, minute, { b: 50 });
  await world.judgeAll(2, 6);
  const statuses = async (rule: typeof ok) =>
    (await world.states(rule)).map(({ group, status }) => `${group} ${status}`).toSorted();
  assert.deepEqual(await statuses(ok), ["host=a ok", "host=b ok"]);
  assert.deepEqual(await statuses(alert), ["host=a no_data", "host=b ok"]);

  await world.judge(24 * 60 + 10);
  assert.deepEqual(await statuses(ok), []);
  assert.deepEqual(await statuses(alert), []);
  assert.equal((await world.notices()).at(-1)?.state, "resolved");
});

Deno.test("a metric of which nothing has ever come is no data", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({
    source: sourceOf(query({ groupBy: ["host"] })),
    condition: above,
    noData: "alert",
  });
  await world.judgeAll(1, 3);
  assert.deepEqual((await world.notices()).map(({ state }) => state), ["no_data"]);
  await fill(world, 3, { a: 1 });
  await world.judge(4);
  assert.deepEqual((await world.notices()).map(({ state }) => state), ["no_data", "resolved"]);
  assert.deepEqual((await world.states(rule)).map(({ group }) => group), ["host=a"]);
});

Deno.test("a formula over queries is judged", async () => {
  await using world = await alertWorld();
  const times = [0, 10, 20, 30, 40, 50].map((seconds) => world.at(1).getTime() + seconds * 1_000);
  const series = (name: string, step: number) =>
    counterSeries(name, {}, times.map((time) => [time, step]), { temporality: "delta" });
  await world.store(metricBatch([series("requests", 10), series("failures", 1)], world.at(2)));
  const count = { kind: "counter", unit: "{request}", aggregation: "increase" } as const;
  const rule = await world.rule({
    source: {
      kind: "metric",
      queries: [
        query({ ...count, metric: "failures" }),
        query({ ...count, id: "b", metric: "requests" }),
      ],
      formulas: [{ id: "f1", expression: "a / b * 100", unit: "%" }],
      judged: "f1",
    },
    condition: { comparison: ">=", warning: null, critical: 5, recovery: null },
  });
  await world.judge(2);
  const [state] = await world.states(rule);
  assert.equal(state?.status, "firing");
  assert.ok(Math.abs((state?.value ?? 0) - 10) < 1e-9);
});

Deno.test("a window that is shorter than the points are apart reaches back to one", async () => {
  await using world = await alertWorld();
  const minutes = [0, 2, 4, 6, 8].map((minute) => world.at(minute).getTime());
  const points = minutes.map((time) => [time, 200] as const);
  await world.store(metricBatch([gaugeSeries("disk.used", {}, points)], world.at(9)));
  const rule = await world.rule({ source: sourceOf(query()), condition: above });
  await world.judge(9.5);
  const [state] = await world.states(rule);
  assert.deepEqual([state?.status, state?.value], ["firing", 200]);
});

Deno.test("far more groups than a page shows are judged, the smallest among them", async () => {
  await using world = await alertWorld();
  const time = world.at(1.5).getTime();
  const series = Array.from(
    { length: 150 },
    (_, host) => gaugeSeries("disk.free", { host: String(host) }, [[time, host === 7 ? 1 : 1_000]]),
  );
  await world.store(metricBatch(series, world.at(2)));
  await world.rule({
    source: sourceOf(query({ metric: "disk.free", groupBy: ["host"], top: 5 })),
    condition: { comparison: "<", warning: null, critical: 10, recovery: null },
  });
  await world.judge(2);
  assert.deepEqual((await world.notices()).map(({ title }) => title), [
    "avg of disk.free by host (host=7) is 1 B",
  ]);
});

Deno.test("where groups come and go by the hundred, those that are gone are forgotten soon", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({
    source: sourceOf(query({ groupBy: ["host"] })),
    condition: above,
  });
  for (const minute of [1, 2, 3, 4, 5]) {
    const names = Array.from({ length: 400 }, (_, host) => `${minute}/${host}`);
    const hosts = Object.fromEntries(names.map((name) => [name, name === "1/7" ? 200 : 50]));
    await fill(world, minute, hosts);
  }
  await world.judgeAll(2, 6);
  const minutes = (await world.states(rule)).map(({ group }) => group.slice("host=".length, -2)[0]);
  assert.deepEqual([...new Set(minutes)].toSorted(), ["4", "5"]);
  assert.deepEqual((await world.notices()).map(({ state }) => state), ["firing", "resolved"]);
});
