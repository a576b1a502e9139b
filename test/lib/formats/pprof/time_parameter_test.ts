import assert from "node:assert/strict";
import { timeParameter, timeRange } from "@/lib/formats/pprof/upload.ts";
import { Refusal } from "@/lib/core/refusal.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const read = (text: string) =>
  timeParameter(new URLSearchParams({ from: text }), "from", NOW)?.toISOString() ?? null;

Deno.test("a time is read in every unit, as ISO 8601, and relative to now", () => {
  const iso = "2026-11-20T10:00:00.000Z";
  const seconds = Date.parse(iso) / 1000;
  for (const unit of ["", "000", "000000", "000000000"]) {
    assert.equal(read(`${seconds}${unit}`), iso);
  }
  assert.equal(read("2026-11-20T11:00:00+01:00"), iso);
  assert.equal(read("now-2h"), iso);
  assert.equal(read("now-7200s"), iso);
  assert.equal(read("now"), NOW.toISOString());
  assert.equal(read(" "), null);
});

Deno.test("what is no time is refused, and an end before the beginning", () => {
  for (const text of ["soon", "now-", "now+1h", "now-1y", "1e999", "-5"]) {
    assert.throws(() => read(text), Refusal, text);
  }
  const query = new URLSearchParams({ from: "now", until: "now-1m" });
  assert.throws(() => timeRange(query, NOW), /until is before from/);
});
