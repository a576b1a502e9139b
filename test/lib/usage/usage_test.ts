import assert from "node:assert/strict";
import { usageOf, usageRows } from "@/lib/usage/counts.ts";
import type { Outcome } from "@/lib/records/mod.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testWriter } from "../../support/writer.ts";

const NOVEMBER = { start: new Date("2026-11-01"), end: new Date("2026-12-01") };

/** Outcomes of requests that came at these times. */
async function usageWorld() {
  const database = await testDatabase();
  await using writer = testWriter(database.sql);
  const send = (projectId: string, at: string, ...outcomes: Outcome[]) =>
    writer.commit(projectId, { records: [], outcomes }, {
      requestId: crypto.randomUUID(),
      receivedAt: new Date(at),
    });
  const crawlers = { category: "error", kind: "filtered", reason: "crawlers" } as const;
  const messages = { category: "error", kind: "filtered", reason: "message" } as const;
  const logs = { category: "log_item", kind: "accepted", reason: "" } as const;
  await send("1", "2026-10-31T23:59:59.999Z", { ...logs, quantity: 100 });
  await send("1", "2026-11-01T00:00:00Z", { ...logs, quantity: 1 }, { ...crawlers, quantity: 2 });
  await send("1", "2026-11-01T23:59:59Z", { ...logs, quantity: 4 }, { ...messages, quantity: 8 });
  await send("2", "2026-11-30T23:00:00Z", { ...logs, quantity: 16 });
  await send("2", "2026-12-01T00:00:00Z", { ...logs, quantity: 100 });
  await send("3", "2026-11-15T12:00:00Z", { ...logs, quantity: 100 });
  return database;
}

Deno.test("usageOf() adds up the days of a range by day, category, project and reason", async () => {
  await using database = await usageWorld();
  const usage = await usageOf(database.sql, ["1", "2"], NOVEMBER);
  const lines = (rows: readonly object[]) =>
    rows.map((row) => Object.values(row).filter((value) => value !== null).join(" ")).sort();
  assert.deepEqual(lines(usage.days), [
    "2026-11-01 accepted 5",
    "2026-11-01 filtered 10",
    "2026-11-30 accepted 16",
  ]);
  assert.deepEqual(lines(usage.categories), ["error filtered 10", "log_item accepted 21"]);
  assert.deepEqual(lines(usage.projects), ["1 accepted 5", "1 filtered 10", "2 accepted 16"]);
  assert.deepEqual(lines(usage.reasons), [
    "error filtered crawlers 2",
    "error filtered message 8",
    "log_item accepted  21",
  ]);
});

Deno.test("usageRows() lists the same in full detail", async () => {
  await using database = await usageWorld();
  assert.deepEqual(
    (await usageRows(database.sql, ["1", "2"], NOVEMBER)).map((row) =>
      Object.values(row).join(" ")
    ),
    [
      "1 2026-11-01 error filtered crawlers 2",
      "1 2026-11-01 error filtered message 8",
      "1 2026-11-01 log_item accepted  5",
      "2 2026-11-30 log_item accepted  16",
    ],
  );
});

Deno.test("without a project there is no usage", async () => {
  await using database = await testDatabase();
  const usage = await usageOf(database.sql, [], NOVEMBER);
  assert.deepEqual(usage, { days: [], categories: [], projects: [], reasons: [] });
  assert.deepEqual(await usageRows(database.sql, [], NOVEMBER), []);
});

Deno.test("days and hours of outcomes agree, also for counts of two hours in one transaction", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  {
    await using writer = testWriter(sql);
    const commits = ["10:59:59.999", "11:00:00.000"].map((time) =>
      writer.commit("1", { records: [errorEvent()], outcomes: [] }, {
        requestId: crypto.randomUUID(),
        receivedAt: new Date(`2026-11-01T${time}Z`),
      })
    );
    await Promise.all(commits);
    writer.count("1", [{ category: "error", kind: "invalid", reason: "x", quantity: 3 }]);
  }
  const [sums] = await sql`
    select (select count(*)::int from outcomes where kind = 'accepted') as hours,
      (select count(*)::int from outcomes_by_day where kind = 'accepted') as days,
      (select sum(quantity)::int from outcomes) as by_hour,
      (select sum(quantity)::int from outcomes_by_day) as by_day
  `;
  assert.deepEqual({ ...sums }, { hours: 2, days: 1, by_hour: 5, by_day: 5 });
});
