import assert from "node:assert/strict";
import { readTime } from "@/lib/formats/event_time.ts";

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
