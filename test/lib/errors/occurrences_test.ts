import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import {
  firstEvent,
  occurrences,
  type OccurrencesQuery,
  projectSparklines,
} from "@/lib/errors/issue_counts.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testDatabase } from "../../support/database.ts";
import { testWriter } from "../../support/writer.ts";

const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-11-20T12:00:00Z");

async function happen(sql: Sql, projectId: string, ...events: Parameters<typeof errorEvent>[0][]) {
  await using writer = testWriter(sql);
  await writer.store(projectId, ...events.map((event) => errorEvent(event)));
}

function at(hours: number, fields: Parameters<typeof errorEvent>[0] = {}) {
  return { timestamp: new Date(NOON + hours * HOUR_MS), ...fields };
}

function range(hours: [number, number], bucketSec: number): OccurrencesQuery {
  const [start, end] = hours.map((hour) => new Date(NOON + hour * HOUR_MS));
  return {
    start: start ?? new Date(),
    end: end ?? new Date(),
    bucketSec,
    environments: [],
    releases: [],
  };
}

Deno.test("occurrences() counts an issue in buckets of any length", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await happen(
    sql,
    "1",
    at(-49),
    at(-0.5),
    at(-0.5, { environment: "staging" }),
    at(0),
    at(1.99),
    at(0.2, { group: "other" }),
  );
  const [issue] = await sql`select id from issues where title = 'Error: group'`;
  const id = issue?.id;

  const hourly = range([-2, 2], 3_600);
  assert.deepEqual(await occurrences(sql, "1", id, hourly), {
    start: new Date(NOON - 2 * HOUR_MS),
    counts: [0, 2, 1, 1],
  });
  const staging = { ...hourly, environments: ["staging"] };
  assert.deepEqual((await occurrences(sql, "1", id, staging)).counts, [0, 1, 0, 0]);
  assert.deepEqual(await occurrences(sql, "1", id, range([-50, 2], 86_400)), {
    start: new Date("2026-11-18"),
    counts: [1, 0, 4],
  });
  assert.deepEqual((await occurrences(sql, "1", id, range([-1, 1], 1_800))).counts, [0, 2, 1, 0]);
  assert.deepEqual((await occurrences(sql, "1", id, range([-6, 6], 6 * 3_600))).counts, [2, 2]);
  assert.deepEqual((await occurrences(sql, "2", id, hourly)).counts, [0, 0, 0, 0]);
});

Deno.test("occurrences() refuses more buckets than a chart can show", async () => {
  await using database = await testDatabase();
  await assert.rejects(
    occurrences(database.sql, "1", "1", range([0, 100_000], 3_600)),
    RangeError,
  );
});

Deno.test("projectSparklines() counts the last 24 hours of each project", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const now = new Date(NOON + HOUR_MS / 2);
  await happen(sql, "1", at(0), at(0.1), at(-1), at(-23), at(-24));
  await happen(sql, "2", at(-2));

  const lines = await projectSparklines(sql, ["1", "2", "3"], now);

  const line = (counts: Record<number, number>) =>
    Array.from({ length: 24 }, (_, hour) => counts[hour - 23] ?? 0);
  assert.deepEqual([...lines], [
    ["1", line({ 0: 2, [-1]: 1, [-23]: 1 })],
    ["2", line({ [-2]: 1 })],
    ["3", line({})],
  ]);
});

Deno.test("firstEvent() tells when a project heard of its first error", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  assert.equal(await firstEvent(sql, "1"), null);
  await happen(sql, "2", at(-9));
  assert.equal(await firstEvent(sql, "1"), null);
  await happen(sql, "1", at(0, { group: "a" }), at(-3, { group: "b" }), at(1, { group: "b" }));

  const [issue] = await sql`select id from issues where title = 'Error: b'`;
  assert.deepEqual({ ...await firstEvent(sql, "1") }, {
    issueId: issue?.id,
    timestamp: new Date(NOON - 3 * HOUR_MS),
  });
});
