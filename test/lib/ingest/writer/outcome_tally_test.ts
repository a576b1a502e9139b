import assert from "node:assert/strict";
import type { Outcome } from "@/lib/records/mod.ts";
import { OutcomeTally } from "@/lib/ingest/writer/counts.ts";

const dropped: Outcome = { category: "error", kind: "invalid", reason: "bad", quantity: 2 };

Deno.test("add() sums by project, hour, category, kind and reason", () => {
  const tally = new OutcomeTally();
  const now = Date.parse("2026-11-20T13:59:59.999Z");

  tally.add("1", dropped, now);
  tally.add("1", dropped, now);
  tally.add("2", dropped, now);
  tally.add("1", dropped, now + 1);
  tally.add("1", { ...dropped, reason: "w\0orse" }, now);
  tally.add("1", { ...dropped, quantity: 0 }, now);

  const count = { projectId: "1", hour: "2026-11-20T13:00:00.000Z", ...dropped };
  assert.deepEqual(tally.counts, [
    { ...count, quantity: 4 },
    { ...count, projectId: "2" },
    { ...count, hour: "2026-11-20T14:00:00.000Z" },
    { ...count, reason: "worse" },
  ]);
  assert.equal(tally.quantity, 10);
});

Deno.test("addAll() adds another tally and leaves it as it is", () => {
  const [one, two] = [new OutcomeTally(), new OutcomeTally()];
  one.add("1", dropped, 0);
  two.add("1", dropped, 0);

  one.addAll(two);
  one.add("1", dropped, 0);

  assert.deepEqual([one.quantity, two.quantity], [6, 2]);
});

Deno.test("reasons without number do not fill the memory", () => {
  const tally = new OutcomeTally();

  for (let i = 0; i < 20_000; i++) tally.add("1", { ...dropped, reason: `reason ${i}` }, 0);

  assert.ok(tally.counts.length <= 10_001);
  assert.equal(tally.quantity, 40_000);
});
