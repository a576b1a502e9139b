import assert from "node:assert/strict";
import { type CatalogSeries, seenSince } from "@/lib/metrics/catalog.ts";

const HOUR_MS = 60 * 60_000;
const DAY = Date.UTC(2026, 10, 20);

function seriesSeenOn(seenOnMs: number): CatalogSeries {
  return { seriesId: "1", labels: {}, seenOnMs };
}

Deno.test("series that ended before a time are left out, those of the day before it are not", () => {
  const isKept = (startMs: number) => seenSince([seriesSeenOn(DAY)], startMs).length === 1;
  assert.ok(isKept(DAY - 90 * 24 * HOUR_MS));
  assert.ok(isKept(DAY + 23 * HOUR_MS));
  // What is known of a series may be of the day before.
  assert.ok(isKept(DAY + 47 * HOUR_MS));
  assert.ok(!isKept(DAY + 48 * HOUR_MS));
});
