import assert from "node:assert/strict";
import { normalizeEvent } from "@/lib/formats/sentry/normalize.ts";
import { normalized, RECEIVED_AT } from "./decode.ts";

const NOW = RECEIVED_AT.getTime() / 1000;
const ID = "0123456789abcdef0123456789abcdef";

Deno.test("normalizeEvent() makes an event of nothing at all", () => {
  const { event_id, ...rest } = normalized({});
  assert.match(event_id, /^[0-9a-f]{32}$/);
  assert.deepEqual(rest, {
    type: "default",
    level: "error",
    platform: "other",
    timestamp: NOW,
    received: NOW,
  });
});

Deno.test("normalizeEvent() takes null for absent in every field", () => {
  const fields = [
    ...["event_id", "type", "timestamp", "received", "platform", "level", "logger", "transaction"],
    ...[
      "server_name",
      "release",
      "dist",
      "environment",
      "site",
      "message",
      "logentry",
      "exception",
    ],
    ...["stacktrace", "threads", "template", "breadcrumbs", "tags", "user", "request", "contexts"],
    ...[
      "extra",
      "fingerprint",
      "checksum",
      "culprit",
      "modules",
      "sdk",
      "debug_meta",
      "errors",
      "csp",
    ],
  ];
  const { event_id: _, ...rest } = normalized(Object.fromEntries(fields.map((key) => [key, null])));
  assert.deepEqual(rest, {
    type: "default",
    level: "error",
    platform: "other",
    timestamp: NOW,
    received: NOW,
  });
});

Deno.test("normalizeEvent() refuses what is no object or another kind of record", () => {
  const context = { receivedAt: RECEIVED_AT, sentAt: null, retentionDays: 90 };
  for (const raw of [null, 1, "x", [], [{}]]) {
    assert.deepEqual(normalizeEvent(raw, context), { invalid: "not_an_object" });
  }
  for (const type of ["transaction", "feedback"] as const) {
    assert.deepEqual(normalizeEvent({ type }, context), { invalid: type });
  }
});

Deno.test("normalizeEvent() prefers the id of the envelope, then the event's, whatever its form", () => {
  const hyphenated = "01234567-89AB-CDEF-0123-456789ABCDEF";
  assert.equal(normalized({ event_id: hyphenated }).event_id, ID);
  assert.equal(normalized({ event_id: "f".repeat(32) }, { eventId: ID }).event_id, ID);
  const made = normalized({ event_id: "0".repeat(32) }).event_id;
  assert.match(made, /^[0-9a-f]{32}$/);
  assert.notEqual(made, "0".repeat(32));
});

Deno.test("normalizeEvent() keeps fields it does not know, at every level", () => {
  const event = normalized({
    custom: { a: [1, null] },
    exception: {
      values: [{ type: "E", note: 1, stacktrace: { frames: [{ function: "f", lock: {} }] } }],
    },
    breadcrumbs: [{ message: "x", origin: "auto", other: true }],
  });
  assert.deepEqual((event as unknown as Record<string, unknown>).custom, { a: [1, null] });
  assert.equal(JSON.stringify(event.exception).includes('"note":1'), true);
  assert.equal(JSON.stringify(event.exception).includes('"lock":{}'), true);
  assert.equal(JSON.stringify(event.breadcrumbs).includes('"other":true'), true);
});

Deno.test("normalizeEvent() makes texts of numbers and keeps names on one line within their limits", () => {
  const event = normalized({
    release: 1.5,
    dist: 7,
    environment: " prod\nblue ",
    logger: "x".repeat(100),
    transaction: "/é".repeat(200),
    platform: "PHP",
  });
  assert.equal(event.release, "1.5");
  assert.equal(event.dist, "7");
  assert.equal(event.environment, "prod blue");
  assert.equal(event.logger, "x".repeat(61) + "...");
  assert.equal(event.transaction?.length, 200);
  assert.equal(event.platform, "php");
});

Deno.test("normalizeEvent() takes the environment from a tag where the field is missing", () => {
  assert.equal(normalized({ tags: { environment: "qa" } }).environment, "qa");
  const both = normalized({ environment: "prod", tags: { environment: "qa", a: "b" } });
  assert.equal(both.environment, "prod");
  assert.deepEqual(both.tags, [["a", "b"]]);
  assert.equal(normalized({ environment: "none" }).environment, undefined);
});

Deno.test("normalizeEvent() calls a platform it cannot make sense of other", () => {
  for (const platform of ["", "a b", "<x>", {}, 0]) {
    assert.equal(normalized({ platform }).platform, platform === 0 ? "0" : "other");
  }
});

Deno.test("normalizeEvent() reads levels in all spellings", () => {
  const levels = {
    debug: "debug",
    log: "info",
    WARN: "warning",
    critical: "fatal",
    40: "error",
    50: "fatal",
    10: "debug",
    55: "fatal",
    odd: "error",
    3: "error",
  };
  for (const [sent, level] of Object.entries(levels)) {
    assert.equal(normalized({ level: sent }).level, level, sent);
    if (Number(sent)) assert.equal(normalized({ level: Number(sent) }).level, level, sent);
  }
});

Deno.test("normalizeEvent() gives a lone stack to the one exception without a stack", () => {
  const stacktrace = { frames: [{ function: "f" }] };
  const one = normalized({ stacktrace, exception: { type: "E" } });
  assert.deepEqual(one.exception?.values, [{ type: "E", stacktrace }]);
  assert.equal(one.stacktrace, undefined);
  const two = normalized({ stacktrace, exception: [{ type: "E" }, { type: "F" }] });
  assert.deepEqual(two.stacktrace, stacktrace);
});

Deno.test("normalizeEvent() reads the old names of interfaces", () => {
  const event = normalized({
    "sentry.interfaces.Exception": { values: [{ type: "E" }] },
    "sentry.interfaces.User": { id: 1 },
    "sentry.interfaces.Http": { url: "http://h/" },
  });
  assert.deepEqual(event.exception?.values, [{ type: "E" }]);
  assert.deepEqual(event.user, { id: "1" });
  assert.equal(event.request?.url, "http://h/");
  assert.equal("sentry.interfaces.User" in event, false);
});

Deno.test("normalizeEvent() tells errors, messages and policy reports apart", () => {
  assert.equal(normalized({ exception: { type: "E" } }).type, "error");
  assert.equal(normalized({ message: "x" }).type, "default");
  assert.equal(normalized({ csp: { effective_directive: "img-src" } }).type, "csp");
});

Deno.test("normalizeEvent() takes a message with the SDK's own stack for a message", () => {
  const synthetic = {
    value: "x",
    stacktrace: { frames: [{ function: "f" }] },
    mechanism: { synthetic: true },
  };
  assert.equal(normalized({ message: "x", exception: { values: [synthetic] } }).type, "default");
  assert.equal(normalized({ exception: { values: [synthetic] } }).type, "error");
  const typed = { ...synthetic, type: "UnhandledRejection" };
  assert.equal(normalized({ message: "x", exception: { values: [typed] } }).type, "error");
});

Deno.test("normalizeEvent() survives __proto__ and constructor as keys anywhere", () => {
  const sent =
    '{"__proto__":{"a":1},"tags":{"__proto__":"x","constructor":"y"},"contexts":{"__proto__":{"b":1}},' +
    '"user":{"id":1,"__proto__":{"c":1}},"extra":{"__proto__":{"d":1}},"request":{"data":"{\\"__proto__\\":1}"}}';
  const result = normalizeEvent(JSON.parse(sent), {
    receivedAt: RECEIVED_AT,
    sentAt: null,
    retentionDays: 90,
  });
  assert.ok("event" in result);
  const text = JSON.stringify(result.event);
  assert.equal(text.match(/"__proto__"/g)?.length, 6);
  for (const key of "abcd") assert.equal(({} as Record<string, unknown>)[key], undefined);
  assert.equal(Object.getPrototypeOf(result.event.contexts), Object.prototype);
});
