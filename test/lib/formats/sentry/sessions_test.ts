import assert from "node:assert/strict";
import { decodeItem, NOW, only, reasons } from "./decode_item.ts";

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const session = (fields: Record<string, unknown> = {}) => ({
  sid: "01234567-89ab-cdef-0123-456789abcdef",
  did: "ann@example.com",
  init: true,
  started: iso(NOW - 10),
  timestamp: iso(NOW - 5),
  status: "ok",
  errors: 0,
  attrs: { release: "shop@1.0", environment: "production" },
  ...fields,
});

Deno.test("an update of a session is read, and its user is kept as a hash only", () => {
  const { userHash, receivedAt: _, timestamp, ...rest } = only(
    decodeItem("session", session()),
    "session",
  );
  assert.match(userHash ?? "", /^[0-9a-f]{32}$/);
  assert.equal(timestamp.getTime(), (NOW - 10) * 1000);
  assert.deepEqual(rest, {
    kind: "session",
    sessionId: "0123456789abcdef0123456789abcdef",
    seq: 0,
    status: "ok",
    errors: 0,
    durationSec: null,
    release: "shop@1.0",
    environment: "production",
  });
});

Deno.test("later updates of a session have higher numbers", () => {
  const seqOf = (fields: Record<string, unknown>) =>
    only(decodeItem("session", session(fields)), "session").seq;
  const [first, second, third] = [
    seqOf({}),
    seqOf({ init: false }),
    seqOf({ init: false, timestamp: iso(NOW - 4) }),
  ];
  assert.ok(first < second && second < third);
  assert.equal(seqOf({ seq: 7 }), 7);
});

Deno.test("a crash counts as an error, even when the client counted none", () => {
  const { errors, status } = only(
    decodeItem("session", session({ status: "crashed" })),
    "session",
  );
  assert.deepEqual([errors, status], [1, "crashed"]);
});

Deno.test("sessions without release, from long ago or from the future are invalid", () => {
  const reasonOf = (fields: Record<string, unknown>) =>
    reasons(decodeItem("session", session(fields)));
  assert.deepEqual(reasonOf({ attrs: {} }), ["1 session invalid/no_release"]);
  assert.deepEqual(reasonOf({ started: iso(NOW - 6 * 86_400) }), [
    "1 session invalid/session_too_old",
  ]);
  assert.deepEqual(reasonOf({ started: iso(NOW + 120) }), ["1 session invalid/session_in_future"]);
  assert.deepEqual(reasonOf({ sid: "x" }), ["1 session invalid/no_session_id"]);
});

Deno.test("what a server counted is one item, whatever it counted", () => {
  const record = only(
    decodeItem("sessions", {
      aggregates: [
        { started: iso(NOW - 60), exited: 10, errored: 1 },
        { started: iso(NOW - 120), exited: 5, unhandled: 2, crashed: null },
        { started: iso(NOW - 9 * 86_400), exited: 5 },
      ],
      attrs: { release: "shop@1.0" },
    }),
    "sessions",
  );
  assert.deepEqual(
    record.aggregates.map(({ exited, errored, unhandled, crashed }) => ({
      exited,
      errored,
      unhandled,
      crashed,
    })),
    [
      { exited: 10, errored: 1, unhandled: 0, crashed: 0 },
      { exited: 5, errored: 0, unhandled: 2, crashed: 0 },
    ],
  );
  const empty = { aggregates: [], attrs: { release: "x" } };
  assert.deepEqual(reasons(decodeItem("sessions", empty)), ["1 session invalid/no_aggregates"]);
});
