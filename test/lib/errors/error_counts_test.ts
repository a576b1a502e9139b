import { errorCounts, type ErrorCountsQuery } from "@/lib/errors/issue_counts.ts";
import assert from "node:assert/strict";
import { parseIssueSearch } from "@/lib/errors/search/parse.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testWriter } from "../../support/writer.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The start of the hour before this one. */
const START = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS);
const at = (minutes: number) => new Date(START.getTime() + minutes * MINUTE_MS);

/** A project with three errors of which two are fatal, and another project. */
async function project() {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  await writer.commit("1", {
    records: [
      errorEvent({ group: "disk", level: "fatal", timestamp: at(1) }),
      errorEvent({ group: "disk", level: "fatal", timestamp: at(12), environment: "staging" }),
      errorEvent({ group: "cart", timestamp: at(14) }),
    ],
    outcomes: [],
  });
  await writer.commit("2", { records: [errorEvent({ timestamp: at(2) })], outcomes: [] });
  return {
    count: async (changes: Partial<ErrorCountsQuery> = {}) => {
      const { start, counts } = await errorCounts(database.sql, {
        projectId: "1",
        environments: [],
        releases: [],
        start: START,
        end: at(20),
        bucketSec: 600,
        filter: null,
        ...changes,
      }, 10_000);
      return [start.getTime() - START.getTime(), ...counts];
    },
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("errors are counted by minutes and by hours, of one project", async () => {
  await using one = await project();
  assert.deepEqual(await one.count(), [0, 1, 2]);
  assert.deepEqual(await one.count({ bucketSec: 3_600 }), [0, 3]);
  assert.deepEqual(await one.count({ projectId: "2" }), [0, 1, 0]);
  assert.deepEqual(await one.count({ projectId: "3", bucketSec: 3_600 }), [0, 0]);
});

Deno.test("errors are counted within a scope and of a search", async () => {
  await using one = await project();
  for (const bucketSec of [600, 3_600]) {
    const sum = async (changes: Partial<ErrorCountsQuery>) =>
      (await one.count({ bucketSec, ...changes })).reduce((all, count) => all + count, 0);
    const { filter } = parseIssueSearch("level:fatal");
    assert.equal(await sum({ environments: ["staging"] }), 1);
    assert.equal(await sum({ filter }), 2);
    assert.equal(await sum({ filter, environments: ["staging"] }), 1);
    assert.equal(await sum({ filter: parseIssueSearch("cart").filter }), 1);
  }
});

Deno.test("the first bucket begins at a multiple of its length", async () => {
  await using one = await project();
  assert.deepEqual(await one.count({ start: at(13) }), [10 * MINUTE_MS, 2]);
  await assert.rejects(one.count({ bucketSec: 0.1 }), RangeError);
});
