import assert from "node:assert/strict";
import fc from "fast-check";
import {
  EVERYTHING,
  intervalOf,
  parseScope,
  RANGE_PRESETS,
  type Scope,
  scopedHref,
  scopeParams,
} from "@/lib/ui/scope.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
/** Clients' clocks may be ahead by a minute. */
const SOON = new Date("2026-03-10T12:01:00Z");
const parse = (query: string) => parseScope(new URLSearchParams(query));

Deno.test("a URL without a scope means everything of the last 14 days", () => {
  assert.deepEqual(parse(""), EVERYTHING);
  assert.deepEqual(intervalOf(parse(""), NOW), {
    start: new Date("2026-02-24T12:00:00Z"),
    end: SOON,
  });
});

Deno.test("parseScope() collects repeated environments and releases, sorted and without repeats", () => {
  const scope = parse(
    "environment=b&environment=a&environment=+a+&release=2&release=1&environment=",
  );
  assert.deepEqual(scope.environments, ["a", "b"]);
  assert.deepEqual(scope.releases, ["1", "2"]);
});

Deno.test("parseScope() falls back to the default for what it cannot read", () => {
  const f = (query: string) => assert.deepEqual(parse(query), EVERYTHING, query);
  f("range=3h");
  f("range=");
  f("start=yesterday&end=tomorrow");
  f("end=2026-01-01T00:00Z");
  f("start=0001-01-01T00:00:00Z");
  f("start=99999-01-01");
  f(`environment=${"x".repeat(201)}`);
});

Deno.test("parseScope() reads custom times as UTC in the forms people and browsers write", () => {
  const f = (start: string, expected: string) => {
    const { range } = parse(new URLSearchParams({ start }).toString());
    assert.deepEqual(range, { start: new Date(expected), end: null }, start);
  };
  f("2026-03-01T10:30", "2026-03-01T10:30:00Z");
  f("2026-03-01 10:30:05", "2026-03-01T10:30:05Z");
  f("2026-03-01", "2026-03-01T00:00:00Z");
  f("2026-03-01T10:30:00+02:00", "2026-03-01T08:30:00Z");
  f("2026-03-01T10:30:00z", "2026-03-01T10:30:00Z");
  f("1772361000", "2026-03-01T10:30:00Z");
});

Deno.test("parseScope() swaps a start after its end, and widens an empty range to a minute", () => {
  assert.deepEqual(parse("start=2026-03-02&end=2026-03-01").range, {
    start: new Date("2026-03-01T00:00:00Z"),
    end: new Date("2026-03-02T00:00:00Z"),
  });
  assert.deepEqual(parse("start=2026-03-01&end=2026-03-01").range, {
    start: new Date("2026-03-01T00:00:00Z"),
    end: new Date("2026-03-01T00:01:00Z"),
  });
});

Deno.test("custom times win over a preset in the same URL", () => {
  assert.notEqual(parse("range=1h&start=2026-03-01").range, "1h");
  assert.equal(parse("range=1H&start=nonsense").range, "1h");
});

Deno.test("intervalOf() never runs backwards", () => {
  const ahead = parse("start=2027-01-01");
  assert.deepEqual(intervalOf(ahead, NOW), { start: SOON, end: SOON });
});

Deno.test("scopedHref() keeps the scope, leaves defaults out and encodes what it is given", () => {
  assert.equal(scopedHref("/p", EVERYTHING), "/p");
  assert.equal(
    scopedHref("/p", parse("range=24h&environment=a%26b"), { query: "is it?", sort: "", to: null }),
    "/p?environment=a%26b&range=24h&query=is+it%3F",
  );
});

Deno.test("a scope survives the way through the URL, and equal scopes make equal URLs", () => {
  const value = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" })
    .filter((text) => text.trim() !== "");
  const instant = fc.date({
    min: new Date("2001-01-01T00:00:00Z"),
    max: new Date("2099-01-01T00:00:00Z"),
    noInvalidDate: true,
  });
  const range = fc.oneof(
    fc.constantFrom(...RANGE_PRESETS).map((name) => `range=${name}`),
    fc.tuple(instant, instant).map(([a, b]) => `start=${a.toISOString()}&end=${b.toISOString()}`),
  );
  const through = (scope: Scope) => parseScope(new URLSearchParams(scopeParams(scope)));

  fc.assert(fc.property(fc.array(value), fc.array(value), range, (environments, releases, time) => {
    const params = new URLSearchParams(time);
    for (const name of environments) params.append("environment", name);
    for (const name of releases) params.append("release", name);
    const once = through(parseScope(params));
    assert.deepEqual(through(once), once);
    assert.deepEqual(scopeParams(parseScope(params)), scopeParams(once));
  }));
});
