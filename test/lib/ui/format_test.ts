import assert from "node:assert/strict";
import fc from "fast-check";
import {
  formatBytes,
  formatCount,
  formatDateTime,
  formatDuration,
  formatExact,
  formatExactOf,
  formatInstant,
  formatPercent,
  formatRate,
  formatRelative,
  initials,
} from "@/lib/ui/format.ts";

Deno.test("formatCount() abbreviates from ten thousand on, in three significant digits", () => {
  const f = (value: number | null, text: string) => assert.equal(formatCount(value), text);
  f(null, "–");
  f(NaN, "–");
  f(0, "0");
  f(1234, "1,234");
  f(9999, "9,999");
  f(10_000, "10k");
  f(12_345, "12.3k");
  f(123_456, "123k");
  f(999_499, "999k");
  f(999_600, "1M");
  f(4_560_000, "4.56M");
  f(12_300_000_000, "12.3G");
  f(5e15, "5000T");
  f(-12_345, "-12.3k");
});

Deno.test("formatExact() and formatExactOf() write out numbers and what they count", () => {
  assert.equal(formatExact(1_234_567), "1,234,567");
  assert.equal(formatExact(null), "–");
  assert.equal(
    formatExactOf(1, "{n} error in the last 24 hours|{n} errors in the last 24 hours"),
    "1 error in the last 24 hours",
  );
  assert.equal(formatExactOf(1_234, "{n} user|{n} users"), "1,234 users");
});

Deno.test("formatDuration() picks the unit by size", () => {
  const f = (ms: number | null, text: string) => assert.equal(formatDuration(ms), text);
  f(null, "–");
  f(0, "0 ms");
  f(0.83, "830 µs");
  f(0.9999, "1 ms");
  f(12.4, "12.4 ms");
  f(999.4, "999 ms");
  f(999.6, "1 s");
  f(1_320, "1.32 s");
  f(59_940, "59.9 s");
  f(59_960, "1 m 00 s");
  f(125_000, "2 m 05 s");
  f(3_599_600, "1 h 00 m");
  f(3_840_000, "1 h 04 m");
  f(86_399_000, "1 d 00 h");
  f(3 * 86_400_000 + 7 * 3_600_000, "3 d 07 h");
  f(-1_500, "-1.5 s");
});

Deno.test("formatDuration() never writes 60 seconds, 60 minutes, 24 hours or an exponent", () => {
  fc.assert(fc.property(fc.double({ min: 0, max: 1e10, noNaN: true }), (ms) => {
    assert.doesNotMatch(formatDuration(ms), /\b60 [sm]\b|\b24 h\b|e[+-]/);
  }));
});

Deno.test("formatBytes() uses binary units", () => {
  const f = (bytes: number | null, text: string) => assert.equal(formatBytes(bytes), text);
  f(null, "–");
  f(0, "0 B");
  f(812, "812 B");
  f(1_023, "1,023 B");
  f(1_024, "1 KiB");
  f(11_776, "11.5 KiB");
  f(1_048_575, "1 MiB");
  f(1_300_000_000, "1.21 GiB");
});

Deno.test("formatPercent() and formatRate() carry their unit", () => {
  assert.equal(formatPercent(0.125), "12.5%");
  assert.equal(formatPercent(0), "0.0%");
  assert.equal(formatPercent(null), "–");
  assert.equal(formatRate(0.25), "0.25/min");
  assert.equal(formatRate(12_345), "12.3k/min");
  assert.equal(formatRate(0), "0/min");
  assert.equal(formatRate(0.01), "0.01/min");
  assert.equal(formatRate(0.005), "0.3/h");
  assert.equal(formatRate(1 / 1_440), "0.0417/h");
  assert.equal(formatRate(0.0000496), "0.0714/d");
});

Deno.test("formatRelative() says how long ago, and the date from two months on", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const f = (time: string, text: string) => assert.equal(formatRelative(new Date(time), now), text);
  f("2026-11-21T11:59:57Z", "just now");
  f("2026-11-21T11:59:18Z", "42 s ago");
  f("2026-11-21T11:57:00Z", "3 min ago");
  f("2026-11-21T07:00:00Z", "5 h ago");
  f("2026-11-09T12:00:00Z", "12 d ago");
  f("2026-08-01T12:00:00Z", "2026-08-01");
  f("2026-11-21T12:05:00Z", "in 5 min");
});

Deno.test("formatInstant() writes all digits that are known", () => {
  const date = new Date("2026-11-21T08:05:09.120Z");
  assert.equal(formatInstant(date, 456_789), "2026-11-21 08:05:09.120456789 UTC");
  assert.equal(formatInstant(date, 456_000), "2026-11-21 08:05:09.120456 UTC");
  assert.equal(formatInstant(date, 1_000), "2026-11-21 08:05:09.120001 UTC");
  assert.equal(formatInstant(date, 0), "2026-11-21 08:05:09.120 UTC");
});

Deno.test("formatDateTime() writes UTC to the second", () => {
  assert.equal(formatDateTime(new Date("2026-11-21T08:05:09.999Z")), "2026-11-21 08:05:09 UTC");
});

Deno.test("initials() takes the first letters of two words, whatever the alphabet", () => {
  assert.equal(initials("Ann Example"), "AE");
  assert.equal(initials("ann@example.com"), "AE");
  assert.equal(initials("web-shop"), "WS");
  assert.equal(initials("😀 app"), "😀A");
  assert.equal(initials("  "), "?");
});
