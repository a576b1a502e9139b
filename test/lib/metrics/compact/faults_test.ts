import assert from "node:assert/strict";
import { Overtaken } from "@/lib/metrics/compact/apply_change.ts";
import { packWaiting } from "@/lib/metrics/compact/pack_waiting.ts";
import { counterSeries, gaugeSeries } from "@/test/support/metric_series.ts";
import { metricStore, PROJECT } from "@/test/support/metric_store.ts";
import { changeTriggers } from "@/test/support/refusing_trigger.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Math.floor(Date.now() / (2 * HOUR)) * 2 * HOUR - 24 * HOUR;
const RANGE = { startMs: START, endMs: START + 2 * HOUR };
const LATER = new Date(START + 5 * HOUR);

const minutes = (from: number, to: number) =>
  counterSeries(
    "jobs",
    {},
    Array.from({ length: to - from }, (_, place) => [START + (from + place + 1) * MINUTE, 2]),
    { temporality: "observed" },
  );

type Store = Awaited<ReturnType<typeof metricStore>>;

async function total(store: Store): Promise<number> {
  const [steps] = await store.steps(minutes(0, 1), RANGE, 2 * HOUR);
  return steps !== undefined && "increases" in steps ? steps.increases[0] ?? 0 : 0;
}

/** Every statement that begins so fails from now on. */
async function refuse(store: Store, event: string, table: string): Promise<void> {
  await changeTriggers(store.sql, [
    `create function refuse_${table}() returns trigger language plpgsql as
      $$ begin raise exception 'the process was killed'; end $$`,
    `create trigger refuse before ${event} on ${table} for each statement
      execute function refuse_${table}()`,
  ]);
}

async function allow(store: Store, table: string): Promise<void> {
  await changeTriggers(store.sql, [
    `drop trigger refuse on ${table}`,
    `drop function refuse_${table}()`,
  ]);
}

Deno.test("packing that ends in the middle loses and doubles nothing", async () => {
  await using store = await metricStore();
  await store.store(minutes(0, 10));
  await store.store(minutes(10, 20));
  // The last statement of the transaction: all the others have run by then.
  await refuse(store, "insert", "metric_slots");
  await assert.rejects(store.pack(), /killed/);
  assert.equal(await total(store), 40);
  assert.deepEqual(await store.blocks(), []);
  await allow(store, "metric_slots");
  assert.equal(await store.pack(), 2);
  assert.equal(await store.pack(), 0);
  assert.equal(await total(store), 40);
});

Deno.test("settling that ends in the middle loses and doubles nothing", async () => {
  await using store = await metricStore();
  await store.store(minutes(0, 20));
  await store.pack();
  await store.store(minutes(20, 30));
  await store.pack();
  await refuse(store, "update", "metric_slots");
  await assert.rejects(store.settle(LATER), /killed/);
  assert.equal(await total(store), 60);
  await allow(store, "metric_slots");
  assert.equal(await store.settle(LATER), 1);
  assert.equal(await total(store), 60);
  assert.equal(await store.settle(LATER), 0);
});

Deno.test("two that pack at once pack everything once", async () => {
  await using store = await metricStore();
  for (let batch = 0; batch < 5; batch++) await store.store(minutes(batch, batch + 1));
  const other = { ...store.services, sql: store.connect() };
  const results = await Promise.allSettled([
    store.pack(),
    packWaiting(other, PROJECT),
    store.pack(),
  ]);
  for (const result of results) {
    if (result.status === "rejected") assert.ok(result.reason instanceof Overtaken, result.reason);
  }
  assert.equal(await total(store), 10);
});

Deno.test("two that settle at once settle once", async () => {
  await using store = await metricStore();
  await store.store(minutes(0, 20));
  await store.pack();
  const results = await Promise.allSettled([store.settle(LATER), store.settle(LATER)]);
  for (const result of results) {
    if (result.status === "rejected") assert.ok(result.reason instanceof Overtaken, result.reason);
  }
  await store.settle(LATER);
  assert.equal(await total(store), 40);
  // A point a minute needs no minutes beside it.
  assert.equal((await store.blocks()).length, 1);
});

Deno.test("a damaged block is set aside with a line in the log, and the rest is settled", async () => {
  await using store = await metricStore();
  await store.store(minutes(0, 10));
  await store.pack();
  await store.store(minutes(10, 15));
  await store.pack();
  await store.sql`
    update metric_packs set body = '\\x0102030405'::bytea
    where pack = (select min(pack) from metric_packs)
  `;
  assert.equal(await total(store), 10);
  await store.settle(LATER);
  assert.equal(await total(store), 10);
  const [row] = await store
    .sql`select count(*)::int as count from metric_stored_blocks where is_damaged`;
  assert.deepEqual(row, { count: 1 });
  assert.ok(store.lines.some(({ message }) => /damaged/.test(message)));
  // Nobody looks at it again.
  await store.store(minutes(15, 20));
  await store.pack();
  await store.settle(new Date(Date.now() + HOUR));
  assert.equal(await total(store), 20);
});

Deno.test("a damaged row that waits is set aside, and the others are packed", async () => {
  await using store = await metricStore();
  await store.store(minutes(0, 10));
  await store.sql`update metric_batches set body = '\\xff'::bytea`;
  await store.store(minutes(10, 15));
  assert.equal(await total(store), 10);
  assert.equal(await store.pack(), 1);
  assert.equal(await store.pack(), 0);
  assert.equal(await total(store), 10);
});

Deno.test("many small packs of a slot become one", async () => {
  await using store = await metricStore();
  for (let batch = 0; batch < 12; batch++) {
    await store.store(minutes(batch, batch + 1), gaugeSeries(`g${batch}`, {}, [[START, 1]]));
    await store.pack();
  }
  assert.equal(await total(store), 24);
  const [row] = await store.sql`
    select count(*)::int as count from metric_packs
    where metric_id = (select metric_id from metrics where name = 'jobs')
  `;
  assert.deepEqual(row, { count: 4 });
});
