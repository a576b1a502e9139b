import assert from "node:assert/strict";
import { formatProfileShare, formatProfileValue } from "@/lib/core/value_units.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { timeTicks } from "@/lib/ui/charts/axis.ts";
import { formatBucketStart, formatTimeTick, formatValue } from "@/lib/ui/charts/chart_data.ts";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  formatExactOf,
  formatPercent,
  formatRate,
  formatRelative,
  nounOf,
} from "@/lib/ui/format.ts";
import { formatDate, formatDateTime, formatInstant, formatUtc } from "@/lib/ui/format_time.ts";
import { parseScope } from "@/lib/ui/scope.ts";

const AT = new Date("2026-11-21T08:05:09.123Z");
const inRussian = <T>(work: () => T, timeZone = "UTC") =>
  inLanguage({ language: "ru", timeZone }, work);

Deno.test("numbers have a comma and thousands apart, and keep the suffixes that tables have room for", () => {
  inRussian(() => {
    assert.equal(formatExact(1_234_567.5), "1\u00a0234\u00a0567,5");
    assert.equal(formatCount(12_345), "12,3k");
    assert.equal(formatPercent(0.125), "12,5\u00a0%");
    assert.equal(formatRate(0.25), "0,25/мин");
    assert.equal(formatValue(0.0042, "number:requests"), "0,0042 requests");
    assert.equal(formatProfileShare(1, 3), "33,33\u00a0%");
  });
});

Deno.test("durations, sizes and what is counted have Russian units", () => {
  inRussian(() => {
    assert.equal(formatDuration(1_320), "1,32 с");
    assert.equal(formatDuration(0.83), "830 мкс");
    assert.equal(formatDuration(125_000), "2 мин 05 с");
    assert.equal(formatBytes(11_776), "11,5 КиБ");
    assert.equal(formatProfileValue(1_280_000_000, "nanoseconds"), "1,28 с");
    assert.equal(formatExactOf(22, "{n} event|{n} events"), "22 события");
    assert.equal(nounOf("{n} event|{n} events"), "событий");
  });
});

Deno.test("times are those of the reader's zone, and say which it is", () => {
  inRussian(() => {
    assert.equal(formatDateTime(AT), "21.11.2026 11:05:09 GMT+3");
    assert.equal(formatUtc(AT), "21.11.2026 08:05:09 UTC");
    assert.equal(formatInstant(AT, 456_000), "21.11.2026 11:05:09,123456 GMT+3");
    assert.equal(formatRelative(new Date(AT.getTime() - 180_000), AT), "3 мин назад");
  }, "Europe/Moscow");
  inLanguage({ language: "en", timeZone: "Asia/Kolkata" }, () => {
    assert.equal(formatDateTime(AT), "2026-11-21 13:35:09 GMT+5:30");
    assert.equal(formatDate(new Date("2026-11-21T20:00:00Z")), "2026-11-22");
  });
});

Deno.test("axes have their ticks at round times of the reader's zone", () => {
  const start = Date.UTC(2026, 10, 20, 13, 7);
  const labels = inRussian(() => {
    const { at, step } = timeTicks(start, start + 86_400_000, 8);
    return at.map((tick) => formatTimeTick(tick, step));
  }, "Asia/Kolkata");
  assert.deepEqual(labels.slice(0, 3), ["21:00", "21 нояб.", "03:00"]);
  const midnight = Date.UTC(2026, 10, 20, 21);
  assert.equal(
    inRussian(() => formatBucketStart(midnight, 86_400_000), "Europe/Moscow"),
    "21.11.2026",
  );
});

Deno.test("a time that a form sends without a zone is the reader's, and one with a zone is what it says", () => {
  const read = (start: string, timeZone: string) =>
    inRussian(() => {
      const { range } = parseScope(new URLSearchParams({ start }));
      return typeof range === "string" ? range : range.start.toISOString();
    }, timeZone);
  assert.equal(read("2026-11-21T10:00", "Europe/Moscow"), "2026-11-21T07:00:00.000Z");
  assert.equal(read("2026-11-21T10:00", "UTC"), "2026-11-21T10:00:00.000Z");
  assert.equal(read("2026-11-21T10:00:00Z", "Europe/Moscow"), "2026-11-21T10:00:00.000Z");
});
