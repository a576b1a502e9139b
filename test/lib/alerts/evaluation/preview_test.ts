import assert from "node:assert/strict";
import type { AlertSource } from "@/lib/alerts/rule.ts";
import { previewRule } from "@/lib/alerts/evaluation/preview.ts";
import { alertInput } from "@/test/support/alert_input.ts";
import { type AlertWorld, alertWorld } from "@/test/support/alert_world.ts";
import { gaugeSeries, metricBatch } from "@/test/support/metric_series.ts";
import { transactionRecord } from "@/test/support/records.ts";

async function previewed(world: AlertWorld, source: AlertSource, critical: number) {
  const condition = { comparison: ">", warning: null, critical, recovery: null } as const;
  const input = alertInput({ source, condition, windowMinutes: 1 });
  const interval = { start: world.at(1), end: world.at(5) };
  const preview = await previewRule(world.services, { id: world.projectId }, input, interval);
  assert.equal(preview.stepMs, 60_000);
  assert.deepEqual(preview.times, [1, 2, 3, 4].map((minute) => world.at(minute).getTime()));
  return preview.groups.map(({ group, values, statuses }) => [group, values, statuses.join(" ")]);
}

Deno.test("a preview has the values of each window, and the states they would have made", async () => {
  await using world = await alertWorld();
  for (const [minute, times] of [[1.5, 2], [3, 9], [3.99, 1], [5, 50]] as const) {
    await world.happen(minute, times, { user: `id:${minute}`, group: `at ${minute}` });
  }
  const errors = (measure: "events" | "users" | "spike" | "new_issue") =>
    previewed(world, { kind: "errors", measure, search: "" }, measure === "events" ? 5 : 1);
  assert.deepEqual(await errors("events"), [["", [2, 0, 10, 0], "ok ok firing ok"]]);
  assert.deepEqual(await errors("users"), [["", [1, 0, 2, 0], "ok ok firing ok"]]);
  assert.deepEqual(await errors("spike"), [["", [2, 0, 10, 0], "firing ok firing ok"]]);
  assert.deepEqual(await errors("new_issue"), [["", [1, 0, 2, 0], "ok ok firing ok"]]);
});

Deno.test("transactions and metrics are previewed alike", async () => {
  await using world = await alertWorld();
  const at = (minute: number) => ({ timestamp: world.at(minute), startedAt: world.at(minute) });
  await world.store(
    transactionRecord({ isFailed: true, ...at(1.5) }),
    transactionRecord(at(3.5)),
    metricBatch([gaugeSeries("depth", {}, [[world.at(2.5).getTime(), 7]], "1")], world.at(3)),
  );
  assert.deepEqual(
    await previewed(
      world,
      { kind: "transactions", measure: "failure_rate", transaction: null },
      0.5,
    ),
    [["", [1, null, 0, null], "firing firing ok ok"]],
  );
  assert.deepEqual(
    await previewed(world, { kind: "transactions", measure: "throughput", transaction: null }, 0.5),
    [["", [1, 0, 1, 0], "firing ok firing ok"]],
  );
  const query = { id: "a", metric: "depth", kind: null, unit: null, aggregation: "avg" } as const;
  const source: AlertSource = {
    kind: "metric",
    queries: [{ ...query, filter: [], groupBy: [], top: 1 }],
    formulas: [],
    judged: "a",
  };
  assert.deepEqual(await previewed(world, source, 5), [[
    "",
    [null, 7, null, null],
    "ok firing firing ok",
  ]]);
});

Deno.test("windows of minutes are counted by the minute for a whole day, and not at all where only hours are kept", async () => {
  await using world = await alertWorld();
  const now = Date.now();
  const hoursAgo = (hours: number) => new Date(Math.floor(now / 3_600_000 - hours) * 3_600_000);
  const transactions = [20, 10, 100].flatMap((hours) =>
    [10, 10.5, 40].map((minute) => {
      const at = new Date(hoursAgo(hours).getTime() + minute * 60_000);
      return transactionRecord({ timestamp: at, startedAt: at });
    })
  );
  await world.store(...transactions);
  const source = { kind: "transactions", measure: "throughput", transaction: null } as const;
  const { times, groups } = await previewRule(
    world.services,
    { id: world.projectId },
    alertInput({ source, windowMinutes: 5 }),
    { start: hoursAgo(101), end: hoursAgo(0) },
  );
  const found = times.flatMap((time, place) => {
    const value = groups[0]?.values[place] ?? 0;
    return value === 0 ? [] : [[(time - hoursAgo(20).getTime()) / 60_000, value]];
  });
  assert.deepEqual(found, [[10, 0.4], [40, 0.2], [610, 0.4], [640, 0.2]]);
  assert.equal(groups[0]?.values[0], null);
});
