/** Files to import that were made to do harm: their work is bounded, their counts are, and they end in a sentence. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { crc32 } from "node:zlib";
import { createProject } from "@/lib/accounts/projects.ts";
import { discardGroup } from "@/lib/errors/manage/discarded_groups.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { failureWords } from "@/lib/transfers/failure_words.ts";
import { takeImport } from "@/lib/transfers/files.ts";
import { findTransfer } from "@/lib/transfers/transfers.ts";
import { type TestEntry, zipOf } from "../../support/artifact_bundles.ts";
import { FIELD_VALUES, longText } from "../../support/hostile_values.ts";
import { createOrganization } from "../../support/organizations.ts";
import { changedAnywhere } from "../../support/sample_body.ts";
import { AT, transferred } from "../../support/transferred.ts";

const encoder = new TextEncoder();
const A = "a".repeat(32);
const EVENT = JSON.stringify({ event_id: A, timestamp: AT, platform: "node", message: "fine" });
const OUR_FAULT = /error of Watchpost/;

const file = (name: string, more: Partial<TestEntry> = {}): TestEntry => (
  { name, bytes: EVENT, ...more }
);
const nested = zipOf([file("events.jsonl", { bytes: zipOf([file("events.jsonl")]) })]);

const ARCHIVES: readonly (readonly [what: string, entries: readonly TestEntry[]])[] = [
  ["a size that is a lie", [file("events.jsonl", { size: 7 })]],
  ["a size of 4 GB", [file("events.jsonl", { size: 0xfffffffe })]],
  ["a packed size that is a lie", [file("events.jsonl", { compressedSize: 7 })]],
  ["a checksum that is a lie", [file("events.jsonl", { crc: crc32("x") })]],
  ["a name that leads out", [file("../events.jsonl")]],
  ["a name with NUL that is damaged", [file("a\0b.jsonl", { size: 7 })]],
  ["a name of 60 kB that is damaged", [file(`${"x".repeat(60_000)}.jsonl`, { size: 7 })]],
  ["a name that is another", [file("events.jsonl", { localName: "other.jsonl" })]],
  ["60,000 files", Array.from({ length: 60_000 }, (_, i) => file(`${i}`, { bytes: "" }))],
  ["a file with a password", [file("events.jsonl", { flags: 1 })]],
  ["another method", [file("events.jsonl", { method: 9 })]],
  ["the same name twice", [file("events.jsonl"), file("events.jsonl")]],
  ["files over each other", [file("events.jsonl"), file("logs.jsonl", { offset: 0 })]],
  ["no JSON", [file("photo.png")]],
  ["3,000 files of JSON", Array.from({ length: 3_000 }, (_, i) => file(`${i}.json`))],
];

/** A whole archive with other bytes. @param at from its end, where that is negative */
function patched(at: number, bytes: readonly number[]): Uint8Array {
  const archive = Uint8Array.from(zipOf([file("a.jsonl"), file("b.jsonl")]));
  archive.set(bytes, at < 0 ? archive.length + at : at);
  return archive;
}

const BYTES: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["ZIP64", patched(-12, [0xff, 0xff])],
  ["ZIP64 in an entry", zipOf([file("a.jsonl", { size: 0xffffffff })])],
  ["one part of several", patched(-18, [1, 0])],
  ["a directory that is elsewhere", patched(-6, [9, 9])],
  ["a name of no UTF-8", zipOf([file("~.jsonl")]).map((byte) => byte === 0x7e ? 0xff : byte)],
  ["a half archive", patched(-1, []).subarray(0, 60)],
  ["a gzip of nothing", Uint8Array.of(0x1f, 0x8b, 1)],
];

Deno.test("an archive that lies ends in a sentence in the reader's language that is not about an error of ours", async (t) => {
  await using world = await transferred();
  const archives = ARCHIVES.map(([what, entries]) => [what, zipOf(entries)] as const);
  for (const [what, bytes] of [...archives, ...BYTES]) {
    await t.step(what, async () => {
      const done = await world.imported(world.project, "a.zip", bytes);
      assert.equal(done.state, "failed");
      assert.notEqual(done.lastError, "");
      assert.doesNotMatch(done.lastError, OUR_FAULT);
      const words = inLanguage({ language: "ru" }, () => failureWords(done.lastError));
      assert.match(words, /\p{Script=Cyrillic}/u);
    });
  }
  const done = await world.imported(world.project, "a.zip", nested);
  assert.deepEqual([done.state, done.counts], ["done", { unreadable: 1 }]);
});

Deno.test("millions of lines that are nothing are given up on, and hold nobody up meanwhile", async () => {
  await using world = await transferred();
  const bytes = gzipSync(encoder.encode("{}\n".repeat(4_000_000)));
  const done = await world.imported(world.project, "a.jsonl.gz", bytes);
  assert.match(done.lastError, /more than 100,000 lines/);
});

Deno.test("small files take a moment each, not a note in the store", async () => {
  await using world = await transferred();
  const files = Array.from({ length: 500 }, (_, i) => file(`${i}.json`, { bytes: "{}" }));
  const began = performance.now();
  const done = await world.imported(world.project, "a.zip", zipOf(files));
  assert.deepEqual([done.state, done.counts], ["done", { unreadable: 500 }]);
  assert.ok(performance.now() - began < 10_000);
});

Deno.test("whoever has asked for twenty imports lets another organization have its turn", async () => {
  await using world = await transferred();
  const { services, owner } = world;
  const other = await createOrganization(services.kv, { name: "Other", ownerId: owner.id });
  const theirs = await createProject(services.kv, {
    organizationId: other.id,
    name: "Theirs",
    platform: "",
  });
  const ask = (project: typeof theirs) =>
    takeImport(services, project, { name: "a.json", bytes: encoder.encode(EVENT) }, "olga");
  for (let i = 0; i < 3; i++) await ask(world.project);
  const id = await ask(theirs);
  await world.work();
  const last = await findTransfer(services.sql, theirs.id, id);
  const first = await services.sql<{ finishedAt: Date }[]>`
    select finished_at as "finishedAt" from transfers
    where project_id = ${world.project.id} order by finished_at
  `;
  assert.ok(last?.finishedAt && first[1] && last.finishedAt < first[1].finishedAt);
});

Deno.test("counts that nobody can have seen are bounded", async () => {
  await using world = await transferred();
  const issue = (id: string, count: unknown) => (
    { id, title: "x", firstSeen: "2026-11-20T10:00:00Z", count }
  );
  const lines = [issue("1", "4294967294"), issue("2", 9e15), issue("3", -1), issue("4", "x")];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const done = await world.imported(world.project, "issues.jsonl", text);
  assert.deepEqual(done.counts, { issues_without_events: 4, events_elsewhere: 2_000_000_000 });
});

Deno.test("events of a group that was discarded are counted as dropped", async () => {
  await using world = await transferred();
  const { sql } = world.services;
  await world.imported(world.project, "events.jsonl", EVENT);
  const hashes = await sql<{ hash: string; version: number }[]>`
    select replace(hash::text, '-', '') as hash, version from issue_hashes
    where project_id = ${world.project.id}
  `;
  const copy = await world.empty("Copy");
  const group = { type: "error", title: "fine", culprit: "", level: "error", hashes };
  await discardGroup(sql, copy.id, group, "olga");
  const done = await world.imported(copy, "events.jsonl", EVENT);
  assert.deepEqual([done.state, done.counts], ["done", { dropped: 1 }]);
});

/** As an issue of Sentry's API and of Bugsink's is answered. */
const ISSUES = [
  {
    id: "1",
    shortId: "SHOP-1",
    title: "fine",
    count: "3",
    firstSeen: "2026-11-20T10:00:00Z",
    lastSeen: "2026-11-21T10:00:00Z",
    status: "resolved",
    statusDetails: { inRelease: "shop@1" },
    assignedTo: { type: "user", email: "ann@example.com" },
    priority: "high",
    priorityLockedAt: "2026-11-20T10:00:00Z",
    comments: [{
      text: "Seen",
      dateCreated: "2026-11-20T11:00:00Z",
      user: { name: "Ann", email: "ann@example.com" },
    }],
  },
  {
    id: "1",
    first_seen: "2026-11-20T10:00:00Z",
    last_seen: "2026-11-21T10:00:00Z",
    digested_event_count: 3,
    is_resolved: false,
    is_muted: false,
    status: "ignored",
    snooze: { until: "2026-12-20T10:00:00Z", count: 3 },
  },
];

Deno.test("whatever one place of an issue of another service says, the import goes on", async () => {
  await using world = await transferred();
  const event = JSON.stringify({ ...JSON.parse(EVENT), issue: { id: "1" } });
  const values = [
    ...FIELD_VALUES,
    longText(5_000),
    longText(500_000),
    `${"x".repeat(99)}\u{1f600}`,
  ];
  const lines = values.flatMap((value) =>
    ISSUES.flatMap((issue) => [...changedAnywhere(issue, value)].slice(1))
  );
  const text = [event, ...lines.map((line) => JSON.stringify(line))].join("\n");
  const done = await world.imported(world.project, "a.jsonl", text);
  assert.equal(done.state, "done", done.lastError);
  assert.ok((done.counts.issues ?? 0) > 100, JSON.stringify(done.counts));
});
