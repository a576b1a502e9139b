import assert from "node:assert/strict";
import { outcomesOf } from "@/lib/usage/counts.ts";
import type { Outcome } from "@/lib/records/mod.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testDatabase } from "../../support/database.ts";
import { testWriter } from "../../support/writer.ts";

const HOUR_MS = 3_600_000;

Deno.test("outcomesOf() accounts for everything that a project was sent", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const before = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
  const limited: Outcome = {
    category: "error",
    kind: "rate_limited",
    reason: "project",
    quantity: 3,
  };
  const session: Outcome = {
    category: "session",
    kind: "unsupported",
    reason: "later",
    quantity: 1,
  };
  {
    await using writer = testWriter(sql);
    const event = errorEvent();
    await writer.commit("1", {
      records: [event, errorEvent({ type: "csp" })],
      outcomes: [session],
    });
    await writer.commit("1", { records: [event], outcomes: [] });
    writer.count("1", [limited]);
    writer.count("2", [limited]);
  }
  const range = { start: before, end: new Date(Date.now() + HOUR_MS) };

  const outcomes = await outcomesOf(sql, "1", range);

  assert.deepEqual(
    outcomes.map(({ hour: _, ...rest }) => rest),
    [
      { category: "error", kind: "accepted", reason: "", quantity: 1 },
      { category: "error", kind: "duplicate", reason: "", quantity: 1 },
      limited,
      { category: "security", kind: "accepted", reason: "", quantity: 1 },
      session,
    ].map(({ category, kind, reason, quantity }) => ({ category, kind, reason, quantity })),
  );
  assert.ok(outcomes.every(({ hour }) => hour >= before && hour.getTime() % HOUR_MS === 0));
  assert.deepEqual(await outcomesOf(sql, "1", { start: range.end, end: range.end }), []);
});
