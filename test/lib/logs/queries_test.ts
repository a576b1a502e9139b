import assert from "node:assert/strict";
import { listLogs } from "@/lib/logs/queries.ts";
import { testDatabase } from "../../support/database.ts";
import { logRecord } from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const MS = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);

Deno.test("logs within a millisecond are in the order in which they were written, on every page", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const later = new Date(Date.now() + 5_000);
  const lines = [
    logRecord({ body: "1", timestamp: MS, nanos: 100, place: 3, receivedAt: later }),
    ...Array.from(
      { length: 9 },
      (_, place) => logRecord({ body: `2.${place}`, timestamp: MS, nanos: 200, place }),
    ),
    logRecord({ body: "3 of the next request", timestamp: MS, nanos: 200, receivedAt: later }),
    logRecord({ body: "4", timestamp: MS, nanos: 201 }),
    logRecord({ body: "5", timestamp: new Date(MS.getTime() + 1) }),
  ];
  const written = lines.map(({ body }) => body);
  await writer.store("1", ...lines.toSorted(() => Math.random() - 0.5));

  const pages = async (cursor: string | null) =>
    await listLogs(database.sql, {
      projectId: "1",
      start: new Date(MS.getTime() - 60_000),
      end: new Date(MS.getTime() + 60_000),
      environments: [],
      releases: [],
      levels: [],
      words: [],
      terms: [],
      cursor,
      limit: 2,
    });
  const forth: string[] = [];
  let page = await pages(null);
  for (;;) {
    forth.unshift(...page.rows.map(({ body }) => body).reverse());
    if (page.nextCursor === null) break;
    page = await pages(page.nextCursor);
  }
  assert.deepEqual(forth, written);
  const back: string[] = [];
  for (;;) {
    back.push(...page.rows.map(({ body }) => body).reverse());
    if (page.previousCursor === null) break;
    page = await pages(page.previousCursor);
  }
  assert.deepEqual(back, written);
});
