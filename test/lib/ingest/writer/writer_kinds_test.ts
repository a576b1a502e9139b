import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import type { Batch, TelemetryRecord } from "@/lib/records/mod.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";
import {
  attachmentRecord,
  checkInRecord,
  feedbackRecord,
  logRecord,
  metricRecord,
  profileRecord,
  sessionCountsRecord,
  sessionRecord,
  spanBatchRecord,
  transactionRecord,
} from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const ALL_KINDS = (): TelemetryRecord[] => [
  errorEvent(),
  transactionRecord(),
  spanBatchRecord(),
  attachmentRecord(),
  feedbackRecord(),
  sessionRecord({ status: "crashed", userHash: "a" }),
  sessionCountsRecord(),
  checkInRecord(),
  logRecord(),
  profileRecord(),
  metricRecord(),
];

const TABLES = [
  "events",
  "transactions",
  "span_batches",
  "attachments",
  "feedback",
  "sessions",
  "session_hours",
  "session_users",
  "check_ins",
  "monitors",
  "logs",
  "profiles",
  "metrics",
  "metric_series",
  "metric_batches",
  "outcomes",
  "receipts",
] as const;

async function contents(sql: Sql): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const table of TABLES) {
    const rows = await sql`select t::text as row from ${sql(table)} as t order by 1`;
    all[table] = rows.map(({ row }) => row);
  }
  return all;
}

async function outcomes(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; quantity: number }[]>`
    select category || '/' || kind as name, sum(quantity)::int as quantity from outcomes group by 1
  `;
  return Object.fromEntries(rows.map(({ name, quantity }) => [name, quantity]));
}

Deno.test("every kind of record is stored and counted", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const result = await writer.store("1", ...ALL_KINDS());
  assert.deepEqual(result, { stored: 11, duplicates: 0, refused: 0 });
  const stored = await contents(sql);
  for (const table of TABLES) {
    if (table !== "receipts") assert.notDeepEqual(stored[table], [], table);
  }
  assert.deepEqual(await outcomes(sql), {
    "error/accepted": 1,
    "transaction/accepted": 1,
    "span/accepted": 2,
    "attachment/accepted": 1,
    "feedback/accepted": 1,
    "session/accepted": 2,
    "monitor/accepted": 1,
    "log_item/accepted": 1,
    "profile/accepted": 1,
    "trace_metric/accepted": 1,
  });
});

Deno.test("a request that is stored a second time changes nothing and counts nothing", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const batch: Pick<Batch, "records" | "outcomes"> = {
    records: ALL_KINDS(),
    outcomes: [{ category: "error", kind: "client_discard", reason: "before_send", quantity: 7 }],
  };
  const receipt = { requestId: crypto.randomUUID(), receivedAt: new Date() };
  await writer.commit("1", batch, receipt);
  const once = await contents(sql);
  const again = await writer.commit("1", batch, receipt);
  assert.equal(again.stored, batch.records.length);
  await Promise.all([writer.commit("1", batch, receipt), writer.commit("1", batch, receipt)]);
  assert.deepEqual(await contents(sql), once);
});

Deno.test("the same records in another request are duplicates", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const records = ALL_KINDS().filter(({ kind }) => kind !== "sessions");
  await writer.store("1", ...records);
  const again = await writer.store("1", ...records);
  assert.deepEqual(again, { stored: 0, duplicates: records.length, refused: 0 });
  assert.equal((await outcomes(sql))["span/duplicate"], 2);
});

Deno.test("of a request with a record that Postgres refuses, the others are stored", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const bad = logRecord({ attributes: "{" });
  const good = logRecord();
  const receipt = { requestId: crypto.randomUUID(), receivedAt: new Date() };
  const [mixed, neighbour] = await Promise.all([
    writer.commit("1", { records: [bad, good, errorEvent()], outcomes: [] }, receipt),
    writer.store("2", logRecord(), transactionRecord()),
  ]);
  assert.deepEqual(mixed, { stored: 2, duplicates: 0, refused: 1 });
  assert.deepEqual(neighbour, { stored: 2, duplicates: 0, refused: 0 });
  const rows = await sql`
    select kind, reason, quantity::int from outcomes
    where project_id = 1 and category = 'log_item' order by 1
  `;
  assert.deepEqual([...rows], [
    { kind: "accepted", reason: "", quantity: 1 },
    { kind: "invalid", reason: "refused_by_store", quantity: 1 },
  ]);
});

Deno.test("updates of a session count it once, by its worst end, whatever order they come in", async () => {
  const sessionId = newEventId();
  const timestamp = new Date(Date.now() - 60_000);
  const update = (seq: number, fields: Parameters<typeof sessionRecord>[0]) =>
    sessionRecord({ sessionId, seq, userHash: "ann", timestamp, ...fields });
  const updates = [
    update(1, {}),
    update(2, { status: "ok", errors: 1 }),
    update(3, { status: "crashed", errors: 2 }),
  ];
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 0, 2]]) {
    await using database = await testDatabase();
    const { sql } = database;
    await using writer = testWriter(sql);
    for (const index of order) {
      const record = updates[index];
      if (record !== undefined) await writer.store("1", record);
    }
    const [hour] = await sql`
      select total::int, errored::int, crashed::int from session_hours
    `;
    assert.deepEqual({ ...hour }, { total: 1, errored: 0, crashed: 1 }, order.join());
    const [user] = await sql`select is_errored, is_crashed from session_users`;
    assert.deepEqual({ ...user }, { is_errored: true, is_crashed: true });
  }
});

Deno.test("updates of one session in one batch, and from two writers at once, count it once", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using one = testWriter(sql);
  await using other = testWriter(sql);
  const sessionId = newEventId();
  await Promise.all([
    one.store("1", sessionRecord({ sessionId, seq: 1 }), sessionRecord({ sessionId, seq: 2 })),
    other.store("1", sessionRecord({ sessionId, seq: 3, status: "exited", errors: 1 })),
  ]);
  const [hour] = await sql`select total::int, errored::int, crashed::int from session_hours`;
  assert.deepEqual({ ...hour }, { total: 1, errored: 1, crashed: 0 });
});

Deno.test("sessions that servers counted add up by hour, release and environment", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const startedAt = new Date();
  const aggregate = {
    startedAt,
    userHash: null,
    exited: 10,
    errored: 2,
    unhandled: 0,
    abnormal: 0,
  };
  const record = sessionCountsRecord({ aggregates: [{ ...aggregate, crashed: 1 }] });
  await writer.store("1", record);
  await writer.store("1", record);
  const [hour] = await sql`select total::int, errored::int, crashed::int from session_hours`;
  assert.deepEqual({ ...hour }, { total: 26, errored: 4, crashed: 2 });
});

Deno.test("a check-in begins and ends a run; one without an id ends the open run", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const checkInId = newEventId();
  const start = Date.now() - 60_000;
  const at = (seconds: number) => new Date(start + seconds * 1000);
  const config = '{"schedule":{"type":"crontab","value":"0 * * * *"}}';
  await writer.store("1", checkInRecord({ checkInId, timestamp: at(0), monitorConfig: config }));
  await writer.store("1", checkInRecord({ checkInId, timestamp: at(5), status: "ok" }));
  const late = await writer.store("1", checkInRecord({ checkInId, status: "error" }));
  assert.equal(late.duplicates, 1);
  await writer.store("1", checkInRecord({ checkInId: null, timestamp: at(10) }));
  await writer.store("1", checkInRecord({ checkInId: null, timestamp: at(12), status: "error" }));
  const rows = await sql`select status, duration_sec from check_ins order by started_at`;
  assert.deepEqual([...rows], [
    { status: "ok", duration_sec: 5 },
    { status: "error", duration_sec: 2 },
  ]);
  const [monitor] = await sql`select slug, config->>'schedule' as schedule from monitors`;
  assert.deepEqual({ ...monitor }, { slug: "nightly-report", schedule: "0 * * * *" });
});

Deno.test("a run whose end arrives first learns its beginning from the later report, once", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const checkInId = newEventId();
  const end = Date.now() - 60_000;
  const ended = { checkInId, timestamp: new Date(end), status: "ok" as const, durationSec: null };
  const begun = { checkInId, timestamp: new Date(end - 5_000), durationSec: null };
  assert.equal((await writer.store("1", checkInRecord(ended))).stored, 1);
  assert.equal((await writer.store("1", checkInRecord(begun))).stored, 1);
  const rows = await sql`
    select status, duration_sec, extract(epoch from finished_at - started_at)::int as took from check_ins
  `;
  assert.deepEqual([...rows], [{ status: "ok", duration_sec: 5, took: 5 }]);
  assert.equal((await writer.store("1", checkInRecord(begun))).duplicates, 1);
  assert.equal((await writer.store("1", checkInRecord(ended))).duplicates, 1);
});

Deno.test("requests are counted by key and hour", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const writer = testWriter(sql);
  const at = new Date("2026-11-20T10:20:30Z");
  writer.countRequest({ projectId: "1", keyId: "k", isAccepted: true, at });
  writer.countRequest({ projectId: "1", keyId: "k", isAccepted: false, at });
  await writer.close();
  const [row] = await sql`
    select key_id, accepted::int, refused::int, last_used_at from key_hours
  `;
  assert.deepEqual({ ...row }, { key_id: "k", accepted: 1, refused: 1, last_used_at: at });
});

Deno.test("more logs than go into one statement are each stored once", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const logs = Array.from({ length: 4_500 }, (_, place) => logRecord({ place }));
  const result = await writer.store("1", ...logs, ...logs.slice(0, 2));
  assert.deepEqual(result, { stored: 4_500, duplicates: 2, refused: 0 });
  const [row] = await sql<{ logs: number }[]>`
    select count(distinct place)::int as logs from logs
  `;
  assert.equal(row?.logs, 4_500);
});
