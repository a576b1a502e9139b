import assert from "node:assert/strict";
import type { TransactionMeasure } from "@/lib/alerts/measures.ts";
import { RELATIVE_ERROR } from "@/lib/store/stats/sketch.ts";
import { readValues } from "@/lib/alerts/evaluation/values.ts";
import { type AlertWorld, alertWorld } from "@/test/support/alert_world.ts";
import { transactionRecord } from "@/test/support/records.ts";

async function valueOf(
  world: AlertWorld,
  measure: TransactionMeasure,
  transaction: string | null,
  minutes = 5,
): Promise<number | null | undefined> {
  const [group] = await readValues(world.services, {
    projectId: world.projectId,
    ruleId: null,
    source: { kind: "transactions", measure, transaction },
    environments: [],
    windowMinutes: minutes,
    apdexMs: 300,
  }, { start: world.at(10 - minutes), end: world.at(10) });
  return group?.value;
}

Deno.test("transactions are judged by duration, failures, throughput, Apdex and vitals", async () => {
  await using world = await alertWorld();
  const at = (minute: number) => ({ timestamp: world.at(minute), startedAt: world.at(minute) });
  const measured = [{ name: "lcp", value: 2_000, unit: "millisecond" }];
  const slow = { name: "GET /slow", durationMs: 1_000, measurements: measured };
  await world.store(
    ...[6, 7, 8, 9].map((minute) => transactionRecord({ ...slow, ...at(minute) })),
    transactionRecord({ ...slow, ...at(9), isFailed: true, status: "internal_error" }),
    transactionRecord({ ...slow, ...at(2), durationMs: 90_000 }),
    ...Array.from(
      { length: 5 },
      () => transactionRecord({ name: "GET /", durationMs: 100, ...at(8) }),
    ),
  );
  const near = (value: number | null | undefined, wanted: number) =>
    assert.ok(Math.abs((value ?? NaN) / wanted - 1) <= 2 * RELATIVE_ERROR, `${value}, ${wanted}`);

  near(await valueOf(world, "p95", "GET /slow"), 1_000);
  near(await valueOf(world, "p50", "GET /"), 100);
  assert.equal(await valueOf(world, "failure_rate", "GET /slow"), 0.2);
  assert.equal(await valueOf(world, "throughput", "GET /slow"), 1);
  assert.equal(await valueOf(world, "throughput", null), 2);
  assert.equal(await valueOf(world, "apdex", null), 0.75);
  near(await valueOf(world, "lcp", null), 2_000);
  assert.equal(await valueOf(world, "p95", "GET /none"), null);
  assert.equal(await valueOf(world, "throughput", "GET /none"), 0);
});

Deno.test("transactions without data are no data only after a while, and then as the rule says", async () => {
  await using world = await alertWorld();
  const source = { kind: "transactions", measure: "p95", transaction: null } as const;
  const condition = { comparison: ">", warning: null, critical: 500, recovery: null } as const;
  const rules = await Promise.all(
    (["ok", "keep", "alert"] as const).map((noData) =>
      world.rule({ name: noData, source, condition, noData })
    ),
  );
  const at = { timestamp: world.at(1.5), startedAt: world.at(1.5) };
  await world.store(transactionRecord({ durationMs: 1_000, ...at }));
  await world.judgeAll(2, 6);

  const ends = await Promise.all(rules.map(async (rule) => {
    const history = await world.history(rule);
    return history.map(({ from, to, at }) => [`${from}>${to}`, at]);
  }));
  const firing = ["ok>firing", world.at(2)];
  assert.deepEqual(ends, [
    [firing, ["firing>ok", world.at(4)]],
    [firing],
    [firing, ["firing>no_data", world.at(4)]],
  ]);
  const last = (await world.notices()).find(({ state }) => state === "no_data");
  assert.equal(last?.severity, "warning");
  assert.equal(last?.title, "No data: p95 duration of all transactions");
});
