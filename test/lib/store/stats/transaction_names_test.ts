import assert from "node:assert/strict";
import { transactionNames } from "@/lib/store/stats/series_names.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { testServices } from "@/test/support/services.ts";

Deno.test("the names of a project's transactions are listed once, by name", async () => {
  await using opened = await testServices();
  const { sql, writer } = opened.services;
  const old = new Date(Date.now() - 10 * 86_400_000);
  const records = [
    transactionRecord({ name: "GET /cart" }),
    transactionRecord({ name: "GET /cart", environment: "staging" }),
    transactionRecord({ name: "GET /about" }),
  ];
  await writer.commit("1", { records, outcomes: [] });
  await writer.commit("2", { records: [transactionRecord({ name: "other" })], outcomes: [] });
  await writer.commit("1", {
    records: [transactionRecord({ name: "old", timestamp: old, startedAt: old })],
    outcomes: [],
  });
  assert.deepEqual(await transactionNames(sql, "1"), ["GET /about", "GET /cart"]);
});
