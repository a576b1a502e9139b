import assert from "node:assert/strict";
import { parseEnvelope } from "@/lib/formats/sentry/envelope.ts";
import { categoryOf, decodeItems } from "@/lib/formats/sentry/items.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { RECEIVED_AT } from "./decode.ts";

const ID = "0123456789abcdef0123456789abcdef";
const OTHER_ID = "f".repeat(32);

function decode(text: string) {
  const envelope = parseEnvelope(new TextEncoder().encode(text));
  const { records, ...batch } = decodeItems(envelope, decodeContext({ receivedAt: RECEIVED_AT }));
  return { ...batch, records: records.flatMap((each) => each.kind === "error" ? [each] : []) };
}

Deno.test("decodeItems() makes records of events under the id of the envelope", () => {
  const { records, outcomes, eventId } = decode(
    `{"event_id":"${ID}"}\n{"type":"event"}\n{"event_id":"${OTHER_ID}","message":"x"}`,
  );
  assert.deepEqual(records.map((record) => record.eventId), [ID]);
  assert.deepEqual(outcomes, []);
  assert.equal(eventId, ID);
});

Deno.test("decodeItems() answers with the event's id where the envelope has none", () => {
  assert.equal(decode(`{}\n{"type":"event"}\n{"event_id":"${OTHER_ID}"}`).eventId, OTHER_ID);
  assert.match(decode('{}\n{"type":"event"}\n{}').eventId ?? "", /^[0-9a-f]{32}$/);
  assert.equal(decode('{}\n{"type":"session"}\n{}').eventId, null);
});

Deno.test("decodeItems() gives a second event its own id", () => {
  const { records } = decode(
    `{"event_id":"${ID}"}\n{"type":"event"}\n{}\n{"type":"event"}\n{"event_id":"${OTHER_ID}"}`,
  );
  assert.deepEqual(records.map((record) => record.eventId), [ID, OTHER_ID]);
});

Deno.test("decodeItems() keeps the good items beside bad ones and counts these with their reason", () => {
  const { records, outcomes } = decode(
    '{}\n{"type":"event"}\nnot json\n{"type":"event"}\n[]\n{"type":"event"}\n{"message":"x"}\n' +
      '{"type":"event"}\n\n{"type":"event"}\n{"type":"transaction"}\nbroken',
  );
  assert.deepEqual(records.map(({ title }) => title), ["x"]);
  assert.deepEqual(outcomes, [
    { category: "unknown", kind: "invalid", reason: "broken_envelope", quantity: 1 },
    { category: "error", kind: "invalid", reason: "invalid_json", quantity: 2 },
    { category: "error", kind: "invalid", reason: "not_an_object", quantity: 1 },
    { category: "error", kind: "unsupported", reason: "not_an_error", quantity: 1 },
  ]);
});

Deno.test("decodeItems() counts what is no use by its reason, containers by their elements", () => {
  const { outcomes } = decode(
    '{}\n{"type":"session"}\n{}\n{"type":"log","item_count":7}\n{}\n{"type":"span","item_count":-1}\n{}\n' +
      '{"type":"log","item_count":1e12}\n{}\n{"type":"brand_new"}\n{}\n{"type":"session"}\n{}\n' +
      '{"type":"replay_event"}\n{}',
  );
  const kind = "invalid";
  assert.deepEqual(outcomes, [
    { category: "session", kind, reason: "no_release", quantity: 2 },
    { category: "log_item", kind, reason: "not_a_container", quantity: 10_007 },
    { category: "span", kind, reason: "not_a_container", quantity: 1 },
    { category: "unknown", kind: "unsupported", reason: "unknown_item_type", quantity: 1 },
    { category: "replay", kind: "unsupported", reason: "replay_event", quantity: 1 },
  ]);
});

Deno.test("decodeItems() drops an item that is too large and keeps its neighbour", () => {
  const large = JSON.stringify({ message: "x".repeat(1_000_000) });
  const { records, outcomes } = decode(
    `{}\n{"type":"event"}\n${large}\n{"type":"event"}\n{"message":"small"}`,
  );
  assert.deepEqual(records.map(({ title }) => title), ["small"]);
  assert.deepEqual(outcomes, [
    { category: "error", kind: "too_large", reason: "event", quantity: 1 },
  ]);
});

Deno.test("decodeItems() refuses what holds nothing but items that are too large, and says the limit", () => {
  const large = JSON.stringify({ message: "x".repeat(1_000_000) });
  assert.throws(() => decode(`{}\n{"type":"feedback"}\n${large}`), (error) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.status, 413);
    assert.match(error.detail, /feedback item is larger than 1000000 bytes/);
    return true;
  });
});

Deno.test("decodeItems() sets the clock right by the envelope's sent_at", () => {
  const { records } = decode(
    '{"sent_at":"2026-11-20T00:20:00Z"}\n{"type":"event"}\n{"timestamp":"2026-11-20T00:19:50Z"}',
  );
  assert.deepEqual(records[0]?.timestamp, new Date("2026-11-21T00:19:50Z"));
});

Deno.test("categoryOf() knows Sentry's item types", () => {
  assert.equal(categoryOf("event"), "error");
  assert.equal(categoryOf("check_in"), "monitor");
  assert.equal(categoryOf("replay_video"), "replay");
  assert.equal(categoryOf("client_report"), "internal");
  for (const odd of ["", "Event", "__proto__", "constructor"]) {
    assert.equal(categoryOf(odd), "unknown");
  }
});
