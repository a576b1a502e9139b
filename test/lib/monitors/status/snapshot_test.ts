import assert from "node:assert/strict";
import { prefixOf } from "@/lib/accounts/kv.ts";
import type { Measured } from "@/lib/monitors/status/measured.ts";
import { readSnapshot, saveSnapshot } from "@/lib/monitors/status/snapshot.ts";
import { testKv } from "../../../support/kv.ts";

/** Of a size that does not shrink: a hundred monitors would be far smaller. */
function large(seed: string): Measured {
  const entries = Object.fromEntries(Array.from({ length: 4_000 }, () => [crypto.randomUUID(), {
    state: "up" as const,
    since: seed,
    uptime: { "24h": Math.random(), "7d": 1, "30d": 1, "90d": null },
    days: [null],
  }]));
  return { measuredAt: seed, entries };
}

Deno.test("a state larger than a value of KV is kept in parts, and old parts go", async () => {
  await using store = await testKv();
  const { kv } = store;
  const parts = async () =>
    (await Array.fromAsync(kv.list({ prefix: prefixOf.statusSnapshotParts("1") }))).length;
  assert.equal(await readSnapshot(kv, "1"), null);
  const states = Array.from({ length: 4 }, (_, index) => large(`2026-11-2${index}T00:00:00.000Z`));
  const counts: number[] = [];
  for (const state of states) {
    await saveSnapshot(kv, "1", state);
    assert.deepEqual(await readSnapshot(kv, "1"), state);
    counts.push(await parts());
  }
  const [first = 0] = counts;
  assert.ok(first > 1);
  // The one before is kept for those who are just reading it; none before that.
  assert.ok(counts.every((count) => count <= 2 * first + 2), String(counts));
  assert.equal(await readSnapshot(kv, "2"), null);
});

Deno.test("who reads while others write gets one whole state or another", async () => {
  await using store = await testKv();
  const { kv } = store;
  await saveSnapshot(kv, "1", large("0"));
  const writing = (async () => {
    for (let index = 1; index <= 5; index++) await saveSnapshot(kv, "1", large(String(index)));
  })();
  const seen: string[] = [];
  for (let index = 0; index < 20; index++) {
    const state = await readSnapshot(kv, "1");
    assert.equal(
      Object.values(state?.entries ?? {}).every(({ since }) => since === state?.measuredAt),
      true,
    );
    seen.push(state?.measuredAt ?? "none");
  }
  await writing;
  assert.equal(seen.includes("none"), false);
});
