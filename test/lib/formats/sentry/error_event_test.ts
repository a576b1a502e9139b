import assert from "node:assert/strict";
import { toErrorEvent } from "@/lib/formats/sentry/error_event.ts";
import { RECEIVED_AT, recorded } from "./decode.ts";

const ID = "0123456789abcdef0123456789abcdef";
const TRACE = "13216d32ed5743dd8e33c31da7272926";

Deno.test("toErrorEvent() fills the columns and keeps the event as text", () => {
  const { payload, grouping, ...columns } = recorded({
    event_id: ID,
    timestamp: "2026-11-21T00:19:59.5Z",
    platform: "python",
    level: "warning",
    release: "shop@1.4.0",
    environment: "production",
    dist: "7",
    transaction: "/pay",
    exception: { type: "KeyError", value: "'pear'" },
    user: { id: 7, email: "ann@example.com" },
    contexts: { trace: { trace_id: TRACE, span_id: "bec27b5bb603b6f5" } },
    sdk: { name: "sentry.python", version: "2.68.0" },
    tags: { a: "b" },
  });
  assert.deepEqual(columns, {
    kind: "error",
    eventId: ID,
    timestamp: new Date("2026-11-21T00:19:59.500Z"),
    receivedAt: RECEIVED_AT,
    type: "error",
    level: "warning",
    platform: "python",
    environment: "production",
    release: "shop@1.4.0",
    dist: "7",
    transaction: "/pay",
    title: "KeyError: 'pear'",
    culprit: "/pay",
    metadata: { type: "KeyError", value: "'pear'" },
    user: "id:7",
    traceId: TRACE,
    spanId: "bec27b5bb603b6f5",
    sdk: "sentry.python/2.68.0",
    tags: [
      ["a", "b"],
      ["level", "warning"],
      ["environment", "production"],
      ["release", "shop@1.4.0"],
      ["dist", "7"],
      ["transaction", "/pay"],
      ["user", "id:7"],
    ],
    facts: [
      ["user.email", "ann@example.com"],
      ["error.type", "KeyError"],
      ["error.value", "'pear'"],
    ],
    texts: ["0'pear'"],
  });
  assert.equal(grouping.version, 3);
  assert.equal(JSON.parse(payload).user.email, "ann@example.com");
});

Deno.test("toErrorEvent() leaves columns empty for what an event does not say", () => {
  const { environment, release, dist, transaction, culprit, metadata, user, traceId, spanId, sdk } =
    recorded({});
  assert.deepEqual({
    environment,
    release,
    dist,
    transaction,
    culprit,
    metadata,
    user,
    traceId,
    spanId,
    sdk,
  }, {
    environment: "",
    release: "",
    dist: "",
    transaction: "",
    culprit: "",
    metadata: {},
    user: null,
    traceId: null,
    spanId: null,
    sdk: "",
  });
});

Deno.test("toErrorEvent() derives everything from the scrubbed event", () => {
  const secret = (n: number) => ({
    exception: { type: "E", value: `token s${n}cret refused` },
    tags: { token: `s${n}cret` },
  });
  const scrub = (event: object) =>
    JSON.parse(JSON.stringify(event).replaceAll(/s\dcret/g, "[Filtered]"));
  const [one, two] = [1, 2].map((n) => recorded(secret(n), { scrub }));
  assert.ok(one && two);
  assert.equal(one.title, "E: token [Filtered] refused");
  assert.deepEqual(one.tags[0], ["token", "[Filtered]"]);
  assert.doesNotMatch(one.payload, /s1cret/);
  assert.deepEqual(one.grouping, two.grouping);
});

Deno.test("toErrorEvent() lets scrubbing work in place", () => {
  const record = recorded({ message: "secret" }, {
    scrub(event) {
      event.logentry = { message: "[Filtered]" };
    },
  });
  assert.equal(record.title, "[Filtered]");
});

Deno.test("toErrorEvent() counts what is no error event", () => {
  const context = { receivedAt: RECEIVED_AT, sentAt: null, retentionDays: 90 };
  assert.deepEqual(toErrorEvent([], context), {
    dropped: { category: "error", kind: "invalid", reason: "not_an_object", quantity: 1 },
  });
  assert.deepEqual(toErrorEvent({ type: "transaction" }, context), {
    dropped: { category: "transaction", kind: "unsupported", reason: "not_an_error", quantity: 1 },
  });
});
