import assert from "node:assert/strict";
import { normalized, RECEIVED_AT } from "./decode.ts";

function breadcrumbs(sent: unknown) {
  return normalized({ breadcrumbs: sent }).breadcrumbs?.values;
}

Deno.test("breadcrumbs come as values or as a list, with times in any form", () => {
  const time = Date.UTC(2026, 10, 21) / 1000;
  const expected = [{ timestamp: time, type: "default", level: "info", message: "x" }];
  assert.deepEqual(breadcrumbs([{ timestamp: time, message: "x" }]), expected);
  assert.deepEqual(
    breadcrumbs({ values: [{ timestamp: "2026-11-21T00:00:00.000Z", message: "x" }] }),
    expected,
  );
  for (const none of [null, [], {}, { values: [] }, "x"]) {
    assert.equal(breadcrumbs(none), undefined);
  }
});

Deno.test("a breadcrumb with a useless time is kept without it", () => {
  for (const timestamp of [null, "soon", -5, {}]) {
    assert.deepEqual(breadcrumbs([{ timestamp, message: "x" }]), [{
      type: "default",
      level: "info",
      message: "x",
    }]);
  }
});

Deno.test("a breadcrumb's fields are repaired", () => {
  const sent = {
    type: null,
    level: "log",
    message: { a: 1 },
    category: 7,
    data: [],
    event_id: null,
  };
  assert.deepEqual(breadcrumbs([sent]), [{
    type: "default",
    level: "info",
    message: '{"a":1}',
    category: "7",
  }]);
});

Deno.test("of more than 200 breadcrumbs the newest are kept", () => {
  const kept = breadcrumbs(Array.from({ length: 300 }, (_, i) => ({ message: `m${i}` })));
  assert.equal(kept?.length, 200);
  assert.equal(kept.at(-1)?.message, "m299");
});

Deno.test("breadcrumbs move with an event whose clock was wrong", () => {
  const now = RECEIVED_AT.getTime() / 1000;
  const event = normalized({
    timestamp: now - 7_200,
    breadcrumbs: [{ timestamp: now - 7_205, message: "x" }],
  }, { sentAt: new Date((now - 7_200) * 1000) });
  assert.equal(event.timestamp, now);
  assert.equal(event.breadcrumbs?.values[0]?.timestamp, now - 5);
});
