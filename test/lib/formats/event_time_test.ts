import assert from "node:assert/strict";
import { eventTime, readTime } from "@/lib/formats/event_time.ts";

const receivedAt = new Date("2026-11-21T00:00:00Z");
const NOW = receivedAt.getTime() / 1000;
const DAY = 86_400;
const KEPT = { shift: 0, isTooOld: false, received: undefined };

function timeOf(sent: unknown, sentAtSec: number | null = null) {
  const sentAt = sentAtSec === null ? null : new Date(sentAtSec * 1000);
  return eventTime(sent, { receivedAt, sentAt, retentionDays: 90 });
}

Deno.test("eventTime() takes a plausible time as it is", () => {
  for (const time of [NOW, NOW + 60, NOW - 90 * DAY, NOW - 0.5]) {
    assert.deepEqual(timeOf(time), { ...KEPT, timestamp: time });
  }
});

Deno.test("eventTime() takes the time of receipt where none is given", () => {
  for (const none of [null, undefined]) {
    assert.deepEqual(timeOf(none), { ...KEPT, timestamp: NOW });
  }
});

Deno.test("eventTime() takes the time of receipt for far past and future, and keeps what was sent", () => {
  for (const time of [NOW + 61, NOW - 90 * DAY - 1, 0, NOW + 1_000 * DAY]) {
    assert.deepEqual(timeOf(time), {
      timestamp: NOW,
      shift: NOW - time,
      isTooOld: time < NOW,
      received: { timestamp: time, shifted_by: NOW - time },
    });
  }
  assert.equal(timeOf("9999-12-31T23:59:59Z").received?.timestamp, "9999-12-31T23:59:59Z");
});

Deno.test("eventTime() keeps what was sent where it is no time", () => {
  assert.deepEqual(timeOf("soon"), { ...KEPT, timestamp: NOW, received: { timestamp: "soon" } });
  assert.deepEqual(timeOf("0001-01-01T00:00:00Z").received, { timestamp: "0001-01-01T00:00:00Z" });
  assert.deepEqual(timeOf({ a: 1 }).received, { timestamp: '{"a":1}' });
});

Deno.test("eventTime() sets a clock right that is off by 55 minutes or more", () => {
  const drift = 55 * 60;
  assert.deepEqual(timeOf(NOW - drift - 10, NOW - drift), {
    timestamp: NOW - 10,
    shift: drift,
    isTooOld: false,
    received: { timestamp: NOW - drift - 10, shifted_by: drift },
  });
  assert.equal(timeOf(NOW + drift - 10, NOW + drift).timestamp, NOW - 10);
  assert.equal(timeOf(NOW - drift + 1 - 10, NOW - drift + 1).shift, 0);
});

Deno.test("readTime() reads a time in every form that clients use", () => {
  const expected = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
  const forms = [
    expected,
    String(expected),
    expected * 1e3,
    expected * 1e6,
    expected * 1e9,
    "2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05",
    "2026-01-02 03:04:05",
    "2026-01-02T03:04:05+00:00",
    "2026-01-02T05:34:05+02:30",
    "2026-01-01T19:04:05-0800",
    "2026-01-02T05:04:05+02",
    "20260102T030405Z",
    "2026-01-02T03:04:05.000000000Z",
    "Fri, 02 Jan 2026 03:04:05 GMT",
    " 2026-01-02T03:04:05Z ",
  ];
  for (const form of forms) assert.equal(readTime(form), expected, String(form));
});

Deno.test("readTime() keeps fractions of a second", () => {
  assert.equal(readTime(1767323045.678), 1767323045.678);
  assert.equal(readTime("2026-01-02T03:04:05.123456Z"), 1767323045.123456);
  assert.equal(readTime("2026-01-02T03:04:05,5Z"), 1767323045.5);
});

Deno.test("readTime() reads a date without a time as its midnight in UTC", () => {
  assert.equal(readTime("2026-01-02"), Date.UTC(2026, 0, 2) / 1000);
});

Deno.test("readTime() is undefined for what is no time, or lies before 1970 or after 9999", () => {
  const wrong = [
    ...[null, undefined, true, {}, [], "", " ", "soon", "NaN", NaN, Infinity, -Infinity],
    ...["0001-01-01T00:00:00Z", "0085-01-01T00:00:00Z", "1969-12-31T23:59:59Z", -1, "-1", 1e30],
    ...["2026-01-02T03:04:05Z".padEnd(100, "x"), "99999-01-01T00:00:00Z"],
  ];
  for (const value of wrong) assert.equal(readTime(value), undefined, String(value));
});
