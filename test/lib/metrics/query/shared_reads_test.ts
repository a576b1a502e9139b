import assert from "node:assert/strict";
import { idsOf, metricIdOf } from "@/lib/metrics/ids.ts";
import { SharedReads } from "@/lib/metrics/query/shared_reads.ts";
import type { StepRequest } from "@/lib/metrics/read/raw.ts";
import type { Sql } from "@/lib/store/database.ts";
import { gaugeSeries } from "@/test/support/metric_series.ts";
import { metricStore, PROJECT } from "@/test/support/metric_store.ts";

const MINUTE = 60_000;
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE;
const host = (name: string) =>
  gaugeSeries("memory", { host: name }, [[START, 1], [START + MINUTE, 2]]);
const idOf = (name: string) => idsOf(host(name)).seriesId;

/** A store that counts what is asked of it. */
async function counted() {
  const store = await metricStore();
  await store.store(host("a"), host("b"), host("c"));
  let statements = 0;
  const sql = new Proxy(store.sql, {
    apply(target, self, given) {
      statements++;
      return Reflect.apply(target, self, given);
    },
  }) as Sql;
  const shared = new SharedReads();
  const request = (changes: Partial<StepRequest> = {}): StepRequest => ({
    metricId: metricIdOf(host("a").metric),
    kind: "gauge",
    seriesIds: null,
    startMs: START,
    endMs: START + 2 * MINUTE,
    stepMs: MINUTE,
    usualIntervalMs: MINUTE,
    ...changes,
  });
  return {
    async read(changes?: Partial<StepRequest>) {
      const before = statements;
      const { series } = await shared.read({ ...store.services, sql }, PROJECT, request(changes));
      return { ids: series.map(({ seriesId }) => seriesId), isRead: statements > before };
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

Deno.test("what is read already answers the same question, and those about some of its series", async () => {
  await using store = await counted();
  const all = await store.read();
  assert.equal(all.ids.length, 3);
  assert.equal(all.isRead, true);
  assert.deepEqual(await store.read(), { ids: all.ids, isRead: false });
  const some = { seriesIds: [idOf("b")] };
  assert.deepEqual(await store.read(some), { ids: [idOf("b")], isRead: false });
});

Deno.test("other steps and other series are read for themselves", async () => {
  await using store = await counted();
  await store.read({ seriesIds: [idOf("a")] });
  assert.equal((await store.read({ seriesIds: [idOf("b")] })).isRead, true);
  assert.equal((await store.read({ seriesIds: [idOf("a")], stepMs: 2 * MINUTE })).isRead, true);
  assert.equal((await store.read()).isRead, true);
});
