import assert from "node:assert/strict";
import { zipSync } from "fflate";
import { gzipSync } from "node:zlib";
import { joinBytes } from "@/lib/core/read_body.ts";
import { bugsinkEvent, ISO, sentryEvent } from "../../../support/foreign_events.ts";
import {
  AT,
  OTLP_LOGS,
  OTLP_METRICS,
  OTLP_SPANS,
  transferred,
} from "../../../support/transferred.ts";

const text = new TextEncoder();

const [A, B, C] = ["a", "b", "c"].map((digit) => digit.repeat(32)) as [string, string, string];

Deno.test("pages of Sentry's and GlitchTip's API become events and issues that stand as they did there", async () => {
  await using world = await transferred();
  const { project, owner } = world;
  const issue = (id: string, fields: Record<string, unknown>) => ({
    id,
    shortId: `OLD-${id}`,
    title: "boom",
    status: "unresolved",
    statusDetails: {},
    assignedTo: null,
    count: "1",
    userCount: 1,
    firstSeen: ISO(AT - 86_400 * 3),
    lastSeen: ISO(AT + 5),
    ...fields,
  });
  const archive = zipSync({
    // Issues come first in the archive, and wait for their events.
    "issues-1.json": text.encode(JSON.stringify(
      [
        issue("100", { status: "resolved", count: "4812" }),
        issue("200", {
          status: "ignored",
          assignedTo: { type: "user", id: "5", name: "Owner", email: owner.email },
        }),
        issue("300", { count: "77" }),
      ],
      null,
      2,
    )),
    "pages/events-1.json": text.encode(JSON.stringify([
      sentryEvent(A, "100", "ValueError", AT),
      sentryEvent(B, "100", "ValueError", AT + 5),
    ])),
    "pages/events-2.json": text.encode(JSON.stringify([sentryEvent(C, "200", "KeyError", AT + 1)])),
    "readme.txt": text.encode("hello"),
  });
  const done = await world.imported(project, "saved.zip", archive);
  assert.equal(done.state, "done", done.lastError);
  assert.deepEqual(done.counts, {
    events: 3,
    issues: 2,
    issues_without_events: 1,
    events_elsewhere: 4_810 + 77,
    files_left_out: 1,
  });
  type Listed = Record<"id" | "title" | "status" | "count" | "firstSeen", string> & {
    readonly assignedTo: { readonly email?: string } | null;
  };
  const issues = await world.read<Listed[]>(project, "/issues/?query=&statsPeriod=24h");
  const facts = issues.map(({ title, status, count, firstSeen, assignedTo }) => [
    title,
    status,
    count,
    firstSeen,
    assignedTo?.email ?? null,
  ]);
  assert.deepEqual(facts.sort(), [
    ["KeyError: boom", "ignored", "1", ISO(AT - 86_400 * 3), owner.email],
    ["ValueError: boom", "resolved", "2", ISO(AT - 86_400 * 3), null],
  ]);
  const resolved = issues.find(({ status }) => status === "resolved");
  const comments = await world.read<{ data: { text: string } }[]>(
    project,
    `/issues/${resolved?.id}/comments/`,
  );
  assert.match(comments[0]?.data.text ?? "", /OLD-100.*4812 times.*2 of its events/);
  const [event] = await world.read<Record<string, unknown>[]>(
    project,
    `/issues/${resolved?.id}/events/?full=1`,
  );
  const shown = JSON.stringify(event);
  for (
    const part of ["bo@example.com", "raise error", "plum", "CPython", "django", "shop@3", "/pay"]
  ) {
    assert.ok(shown.includes(part), part);
  }
});

Deno.test("events and issues of Bugsink's API are taken as they are answered", async () => {
  await using world = await transferred();
  const { project } = world;
  const event = bugsinkEvent(A, "6f7e", {
    platform: "python",
    level: "error",
    timestamp: AT,
    logentry: { message: "from Bugsink" },
  });
  const issue = {
    id: "6f7e",
    first_seen: ISO(AT - 60),
    last_seen: ISO(AT),
    digested_event_count: 1,
    is_resolved: true,
    is_muted: false,
  };
  const file = `${JSON.stringify({ next: null, results: [issue] })}\n${JSON.stringify(event)}\n`;
  const done = await world.imported(project, "bugsink.jsonl", file);
  assert.deepEqual(done.counts, { events: 1, issues: 1 });
  const [found] = await world.read<{ title: string; status: string }[]>(project, "/issues/?query=");
  assert.deepEqual([found?.title, found?.status], ["from Bugsink", "resolved"]);
});

Deno.test("what a Collector's file exporter wrote is taken, with the errors that its spans tell of", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  const lines = [OTLP_SPANS, OTLP_LOGS, OTLP_METRICS].map((each) => JSON.stringify(each)).join(
    "\n",
  );
  const done = await world.imported(project, "telemetry.json", lines);
  assert.deepEqual(done.counts, {
    spans: 2,
    transactions: 1,
    events: 1,
    logs: 3,
    metric_points: 11,
  });
  const again = await world.imported(project, "telemetry.json", lines);
  assert.equal(again.counts.logs, undefined);
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from logs where project_id = ${project.id}
  `;
  assert.equal(row?.count, 3);
});

Deno.test("what is older than the retention is counted and left out", async () => {
  await using world = await transferred();
  const days = world.services.config.retentionDays;
  const old = sentryEvent(A, "1", "ValueError", AT - (days + 2) * 86_400);
  const done = await world.imported(world.project, "old.json", JSON.stringify([old]));
  assert.deepEqual([done.state, done.counts], ["done", { too_old: 1 }]);
});

Deno.test("hostile files are refused with a sentence, and harm nothing that is beside them", async (t) => {
  await using world = await transferred();
  const { project } = world;
  const event = JSON.stringify({ event_id: A, timestamp: AT, platform: "node", message: "fine" });
  const bomb = new Uint8Array(64 * 1024 ** 2);
  const files: readonly (readonly [name: string, bytes: Uint8Array | string, RegExp])[] = [
    ["leads out", zipSync({ "../../etc/events.jsonl": text.encode(event) }), /leads out/],
    ["bomb", zipSync({ "events.jsonl": bomb }), /unfolds to more than 200 times/],
    ["cut off", zipSync({ "events.jsonl": text.encode(event) }).subarray(0, 60), /whole ZIP/],
    ["no JSON", zipSync({ "photo.png": text.encode("x") }), /no file of JSON/],
    ["broken gzip", new Uint8Array([0x1f, 0x8b, 1, 2, 3]), /no whole gzip/],
    ["gzip in pieces", joinBytes(Array(10_001).fill(gzipSync(""))), /more than 10,000 parts/],
  ];
  for (const [name, bytes, sentence] of files) {
    await t.step(name, async () => {
      const done = await world.imported(project, `${name}.zip`, bytes);
      assert.equal(done.state, "failed");
      assert.match(done.lastError, sentence);
    });
  }
  await t.step("lines that are none cost themselves alone", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const done = await world.imported(
      project,
      "events.jsonl",
      [
        event,
        "not json",
        `{"event_id": {}, "timestamp": []}`,
        deep,
        `{"__proto__": {"event_id": 1}, "resourceSpans": [7, null, {"scopeSpans": "x"}]}`,
        `{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": 5}]}]}]}`,
        `{"profileId": "../../x", "file": "../../etc/passwd"}`,
        `{"resourceSpans": [{"resource": {"attributes": [{"key": "watchpost.rest", "value": {"stringValue": "{\\"batch\\": 1}"}}]}}]}`,
        event.replace(A, B),
      ].join("\n"),
    );
    assert.equal(done.state, "done", done.lastError);
    assert.equal(done.counts.events, 2);
    assert.ok((done.counts.unreadable ?? 0) >= 3, JSON.stringify(done.counts));
  });
});
