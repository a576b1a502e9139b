import assert from "node:assert/strict";
import { DEFAULT_SETTINGS } from "@/lib/accounts/projects.ts";
import { policyOf } from "@/lib/ingest/policy.ts";
import { decodeEnvelopeBytes } from "@/test/support/decode_events.ts";
import { decodeItem, ID, NOW, only, reasons, RECEIVED_AT, TRACE } from "./decode_item.ts";

Deno.test("a client report is an item, and tells what the client dropped", () => {
  const { records, outcomes } = decodeItem("client_report", {
    timestamp: NOW,
    discarded_events: [
      { reason: "before_send", category: "error", quantity: 2 },
      { reason: "brand_new", category: "teapot", quantity: 3 },
      { reason: "sample_rate", category: "transaction", quantity: 0 },
      { reason: "sample_rate", category: "transaction", quantity: -1 },
      null,
    ],
    rate_limited_events: [{ reason: "x", category: "error", quantity: 1 }],
  });
  assert.deepEqual(records, []);
  assert.deepEqual(outcomes, [
    { category: "internal", kind: "accepted", reason: "", quantity: 1 },
    { category: "error", kind: "client_discard", reason: "before_send", quantity: 2 },
    { category: "teapot", kind: "client_discard", reason: "brand_new", quantity: 3 },
    { category: "error", kind: "client_discard", reason: "x", quantity: 1 },
  ]);
});

Deno.test("a check-in is read as Python sends it", () => {
  const record = only(
    decodeItem("check_in", {
      type: "check_in",
      check_in_id: ID,
      monitor_slug: "Nightly Report!",
      status: "ok",
      duration: null,
      environment: null,
      monitor_config: { schedule: { type: "crontab", value: "@daily" } },
      contexts: { trace: { trace_id: TRACE } },
      timestamp: "2026-11-21T00:19:00.000000Z",
      platform: "python",
    }),
    "check_in",
  );
  assert.deepEqual(record, {
    kind: "check_in",
    checkInId: ID,
    monitorSlug: "nightly-report",
    status: "ok",
    durationSec: null,
    traceId: TRACE,
    monitorConfig: '{"schedule":{"type":"crontab","value":"@daily"}}',
    log: null,
    timestamp: new Date("2026-11-21T00:19:00Z"),
    receivedAt: RECEIVED_AT,
    environment: "production",
    release: "",
  });
  const zero = decodeItem("check_in", { check_in_id: "0".repeat(32), monitor_slug: "x" });
  assert.equal(only(zero, "check_in").checkInId, null);
  assert.deepEqual(reasons(decodeItem("check_in", { status: "ok" })), [
    "1 monitor invalid/no_monitor_slug",
  ]);
});

Deno.test("feedback keeps what was written, and the error it is about", () => {
  const record = only(
    decodeItem("feedback", {
      event_id: ID,
      type: "feedback",
      timestamp: NOW,
      platform: "javascript",
      release: "web@2",
      contexts: {
        feedback: {
          message: "  The button does nothing  ",
          contact_email: "ann",
          name: "Ann",
          url: "https://shop.example.com/cart?token=abc",
          source: "widget",
          associated_event_id: TRACE,
        },
      },
    }),
    "feedback",
  );
  assert.equal(record.feedbackId, ID);
  assert.equal(record.eventId, TRACE);
  assert.equal(record.message, "The button does nothing");
  assert.deepEqual([record.name, record.email, record.source, record.release], [
    "Ann",
    "ann",
    "widget",
    "web@2",
  ]);
  assert.ok(!record.url.includes("abc"));
  const empty = decodeItem("feedback", { contexts: { feedback: { message: " " } } });
  assert.deepEqual(reasons(empty), ["1 feedback invalid/empty_message"]);
});

Deno.test("the same user report sent twice has one id", () => {
  const report = { event_id: ID, name: "Ann", email: "ann@example.com", comments: "It broke" };
  const [one, other] = ["a", "b"].map((requestId) =>
    only(decodeItem("user_report", report, {}, { requestId }), "feedback")
  );
  assert.equal(one?.feedbackId, other?.feedbackId);
  assert.equal(one?.eventId, ID);
});

function withEvent(header: Record<string, unknown>, envelope: Record<string, unknown> = {}) {
  const lines = [envelope, { type: "attachment", length: 5, ...header }];
  const bytes = new TextEncoder().encode(
    `${lines.map((line) => JSON.stringify(line)).join("\n")}\na\nb\nc\n` +
      `{"type":"event"}\n{"event_id":"${ID}","message":"x"}`,
  );
  return decodeEnvelopeBytes(bytes, { receivedAt: RECEIVED_AT });
}

Deno.test("an attachment belongs to the event of its envelope, wherever it stands", () => {
  const { records } = withEvent({ filename: "../../etc/pass\u0000wd\u202e.txt" });
  const attachment = records.find(({ kind }) => kind === "attachment");
  assert.ok(attachment?.kind === "attachment");
  assert.equal(attachment.eventId, ID);
  assert.equal(new TextDecoder().decode(attachment.blob.bytes), "a\nb\nc");
  assert.doesNotMatch(attachment.filename, /[/\\\0\u202e]/);
  assert.equal(attachment.contentType, "text/plain");
  assert.match(attachment.blob.key, /^attachments\/1\/2026-11-21\/[0-9a-f]{32}$/);
});

Deno.test("types of files are cleaned, and guessed from the name when they say nothing", () => {
  const typeOf = (header: Record<string, unknown>) => {
    const record = withEvent(header).records.find(({ kind }) => kind === "attachment");
    return record?.kind === "attachment" ? record.contentType : undefined;
  };
  assert.equal(typeOf({ content_type: "Image/PNG; charset=x" }), "image/png");
  assert.equal(typeOf({ content_type: "text/html\r\nx: y" }), "application/octet-stream");
  assert.equal(typeOf({ filename: "shot.JPG" }), "image/jpeg");
  assert.equal(typeOf({ filename: "constructor" }), "application/octet-stream");
});

Deno.test("an attachment of no event, and a crash dump, are not stored", () => {
  assert.deepEqual(reasons(decodeItem("attachment", "x", { header: { length: 1 } })), [
    "1 attachment invalid/no_event_id",
  ]);
  const dump = { length: 1, attachment_type: "event.minidump" };
  assert.deepEqual(reasons(decodeItem("attachment", "x", { header: dump })), [
    "1 attachment unsupported/event.minidump",
  ]);
});

const CSP = {
  "csp-report": {
    "document-uri": "https://shop.example.com/cart",
    "effective-directive": "script-src-elem",
    "blocked-uri": "https://evil.example.net/x.js",
  },
};

Deno.test("security reports in every form become events, grouped by directive and host", () => {
  const modern = {
    type: "csp-violation",
    url: "https://shop.example.com/cart",
    user_agent: "Mozilla/5.0",
    body: { effectiveDirective: "script-src-elem", blockedURL: "https://evil.example.net/y.js" },
  };
  const old = only(decodeItem("raw_security", CSP), "error");
  const { records } = decodeItem("raw_security", [modern, modern]);
  assert.equal(old.title, "Blocked 'script' from 'evil.example.net'");
  assert.equal(old.type, "csp");
  assert.equal(records.length, 2);
  for (const record of records) {
    assert.ok(record.kind === "error");
    assert.deepEqual(record.grouping, old.grouping);
  }
  const ct = only(
    decodeItem("raw_security", { "expect-ct-report": { hostname: "shop.example.com" } }),
    "error",
  );
  assert.equal(ct.title, "Certificate transparency failed for 'shop.example.com'");
  assert.deepEqual(reasons(decodeItem("raw_security", {})), [
    "1 security invalid/no_security_report",
  ]);
});

Deno.test("network error reports become logs", () => {
  const record = only(
    decodeItem("nel", [{
      type: "network-error",
      age: 1000,
      url: "https://shop.example.com/",
      body: { type: "tcp.timed_out", phase: "connection", elapsed_time: 12 },
    }]),
    "log",
  );
  assert.equal(record.body, "tcp.timed_out https://shop.example.com/");
  assert.equal(record.level, "error");
  assert.equal(record.timestamp.getTime(), (NOW - 1) * 1000);
});

Deno.test("what the project filters is counted with its reason and not stored", () => {
  const policy = {
    ...policyOf(DEFAULT_SETTINGS),
    filterEvent: () => "crawlers",
    filterOther: () => "crawlers",
  };
  const filtered = (type: string, payload: unknown) =>
    reasons(decodeItem(type, payload, {}, { policy }));
  assert.deepEqual(filtered("event", { message: "x" }), ["1 error filtered/crawlers"]);
  assert.deepEqual(filtered("raw_security", CSP), ["1 security filtered/crawlers"]);
  assert.deepEqual(filtered("log", { items: [{ timestamp: NOW, body: "x" }] }), [
    "1 log_item filtered/crawlers",
  ]);
  assert.deepEqual(filtered("session", { sid: ID, attrs: { release: "x" } }), [
    "1 session filtered/crawlers",
  ]);
  assert.deepEqual(filtered("check_in", { monitor_slug: "x" }), ["1 monitor filtered/crawlers"]);
});
