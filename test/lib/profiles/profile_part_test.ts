import assert from "node:assert/strict";
import { readProfilingParams } from "@/lib/profiles/params.ts";
import { nanosOf, profilePartParams, readProfilePart } from "@/lib/profiles/profile_part.ts";

const read = (text: string) => {
  const query = new URLSearchParams(text);
  return readProfilePart(readProfilingParams(query), query);
};

Deno.test("a part is read as it is written", () => {
  const query = `label=region%3Deu&trace=${"a".repeat(32)}&span=${"b".repeat(16)}` +
    `&profiler=${"c".repeat(32)}&thread=7&from=1795281600000.25&until=1795281600500`;
  const { part, errors } = read(query);
  assert.deepEqual(errors, {});
  const written = new URLSearchParams(profilePartParams(part).map((pair) => [...pair]));
  assert.equal(written.toString(), query);
});

Deno.test("times are milliseconds or ISO 8601, in either order; others are told to be wrong", () => {
  const [early, late] = [Date.UTC(2026, 10, 21, 17, 30, 0, 500), Date.UTC(2026, 10, 21, 17, 31)];
  const { part } = read(`from=${late}&until=2026-11-21T17:30:00.500Z`);
  assert.deepEqual([part.from, part.until], [early, late]);
  for (const text of ["yesterday", "-1", "12", "1e99", "99999999999999", "NaN"]) {
    const { part, errors } = read(`from=${text}`);
    assert.equal(part.from, null, text);
    assert.match(errors.from ?? "", /is no time/);
  }
  assert.equal(read("from=&until=").errors.from, undefined);
});

Deno.test("milliseconds become nanoseconds without losing what a double still has", () => {
  assert.equal(nanosOf(1_795_281_600_000.25), 1_795_281_600_000_250_000n);
});
