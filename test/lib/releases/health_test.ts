import assert from "node:assert/strict";
import { releaseHealth } from "@/lib/releases/health.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent } from "../../support/error_event.ts";
import { sessionCountsRecord, sessionRecord } from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const DAY = { environments: [], releases: [] };

Deno.test("releases tell to the millisecond when they were last heard of", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const at = (time: string) => new Date(`2026-11-20T${time}Z`);
  const scope = { ...DAY, start: at("00:00:00"), end: new Date("2026-11-21") };
  const lastSeen = async () => {
    const rows = await releaseHealth(sql, "1", scope);
    return rows.map((row) => [row.release, row.lastSeen.toISOString().slice(11)]);
  };

  await writer.store("1", errorEvent({ release: "a", timestamp: at("13:45:10.125") }));
  await writer.store("1", errorEvent({ release: "a", timestamp: at("13:02:00") }));
  await writer.store("1", sessionRecord({ release: "b", timestamp: at("13:50:20") }));
  const counts = { userHash: null, exited: 1, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 };
  const aggregates = [{ ...counts, startedAt: at("13:59:00") }];
  await writer.store("1", sessionCountsRecord({ release: "b", aggregates }));
  assert.deepEqual(await lastSeen(), [["b", "13:59:00.000Z"], ["a", "13:45:10.125Z"]]);

  // As versions before left it.
  await sql`update project_hours set last_seen = null`;
  assert.deepEqual(await lastSeen(), [["b", "13:59:00.000Z"], ["a", "13:00:00.000Z"]]);
});

Deno.test("sessions that ended unhandled are no crashes, neither of sessions nor of users", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const now = new Date();
  const scope = {
    ...DAY,
    start: new Date(now.getTime() - 7_200_000),
    end: new Date(now.getTime() + 7_200_000),
  };
  const ended = (status: "unhandled" | "crashed", user: string) =>
    sessionRecord({ release: "a", status, errors: 1, userHash: user });
  await writer.store("1", ...["ann", "bob", "eve"].map((user) => ended("unhandled", user)));
  const crashes = async () => {
    const [row] = await releaseHealth(sql, "1", scope);
    return row && [row.sessions, row.crashedSessions, row.users, row.crashedUsers];
  };
  assert.deepEqual(await crashes(), [3, 0, 3, 0]);
  await writer.store("1", ended("crashed", "ann"));
  assert.deepEqual(await crashes(), [4, 1, 3, 1]);
});
