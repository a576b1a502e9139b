import assert from "node:assert/strict";
import { foldForReading } from "@/lib/store/stats/fold_stats.ts";
import { releaseStarts } from "@/lib/store/stats/series_names.ts";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { testServices } from "@/test/support/services.ts";

Deno.test("releases begin in the hour of their first transaction, those of a stretch of time are told", async () => {
  await using opened = await testServices();
  const { sql, writer } = opened.services;
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const at = (days: number, hours: number) => new Date(today - days * DAY_MS + hours * HOUR_MS);
  const sent = (release: string, timestamp: Date, environment = "production") =>
    transactionRecord({ release, environment, timestamp, startedAt: timestamp });
  const records = [
    sent("1.0", at(9, 3)),
    sent("1.0", at(3, 3)),
    sent("1.1", at(4, 20)),
    sent("1.1", at(4, 7.5), "staging"),
    sent("1.1", at(2, 1)),
    sent("1.2", at(2, 5)),
    sent("", at(2, 6)),
  ];
  await writer.commit("1", { records, outcomes: [] });
  await writer.commit("2", { records: [sent("other", at(3, 1))], outcomes: [] });
  await foldForReading(sql);
  assert.deepEqual([...await releaseStarts(sql, "1", { start: at(5, 0), end: at(0, 0) })], [
    { release: "1.2", at: at(2, 5) },
    { release: "1.1", at: at(4, 7) },
  ]);
  // Of the first day only what comes after the start, and nothing that began before.
  const starts = [...await releaseStarts(sql, "1", { start: at(4, 12), end: at(2, 4) })];
  assert.deepEqual(starts, []);
  assert.deepEqual([...await releaseStarts(sql, "1", { start: at(1, 0), end: at(0, 0) })], []);
});
