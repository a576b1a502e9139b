import assert from "node:assert/strict";
import { bucketSecondsFor, intervalOf, parseScope } from "@/lib/ui/scope.ts";

Deno.test("bucketSecondsFor() picks readable bars, about sixty at most", () => {
  const now = new Date("2026-03-10T12:00:00Z");
  const f = (query: string, expected: number) =>
    assert.equal(
      bucketSecondsFor(intervalOf(parseScope(new URLSearchParams(query)), now)),
      expected,
    );
  f("range=15m", 60);
  f("range=1h", 60);
  f("range=24h", 30 * 60);
  f("range=7d", 3 * 3_600);
  f("range=14d", 6 * 3_600);
  f("range=30d", 12 * 3_600);
  f("start=2026-01-01", 2 * 86_400);
  f("start=2010-01-01", 14 * 7 * 86_400);
  f("start=2027-01-01", 60);
});
