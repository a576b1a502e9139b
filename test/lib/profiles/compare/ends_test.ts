import assert from "node:assert/strict";
import { endNames, endParams, keptBase, readEnds } from "@/lib/profiles/compare/load_compare.ts";

const NOW = new Date("2026-11-21T12:00:30Z");
const VERSIONS = ["3", "2", "1"].map((release, place) => ({
  release,
  environment: "production",
  profiles: 1,
  firstSeen: new Date(Date.UTC(2026, 10, 20 - place)),
}));
const read = (query: string) => readEnds(new URLSearchParams(query), VERSIONS, NOW);
const times = ({ start, end }: { start: Date; end: Date }) => [
  start.toISOString().slice(0, 16),
  end.toISOString().slice(0, 16),
];

Deno.test("the period before is as long and ends where the page's begins", () => {
  const { base, before, after, problem } = read("range=1h&environment=production");
  assert.deepEqual([base, problem], ["previous-period", null]);
  assert.deepEqual(times(after.interval), ["2026-11-21T11:00", "2026-11-21T12:02"]);
  assert.deepEqual(times(before.interval), ["2026-11-21T09:58", "2026-11-21T11:00"]);
  assert.deepEqual(before.scope.environments, ["production"]);
});

Deno.test("the release before is that which began before the chosen one, else before the newest", () => {
  const releases = (query: string) => {
    const { before, after } = read(`base=previous-release&range=7d&${query}`);
    return [before.scope.releases, after.scope.releases];
  };
  assert.deepEqual(releases(""), [["2"], ["3"]]);
  assert.deepEqual(releases("release=2"), [["1"], ["2"]]);
  assert.match(read("base=previous-release&release=1").problem ?? "", /two releases/);
  assert.match(read("base=previous-release&release=9").problem ?? "", /two releases/);
});

Deno.test("an end that is chosen by hand has its own time, environment and release, or the page's time", () => {
  const { before, after } = read(
    "range=1h&service=api&release=3&base=custom&base_release=1&base_environment=a&base_environment=b&" +
      "base_start=2026-11-01T00:00&base_end=2026-11-02T00:00",
  );
  assert.deepEqual(times(before.interval), ["2026-11-01T00:00", "2026-11-02T00:00"]);
  assert.deepEqual(before.scope.environments, ["a", "b"]);
  assert.deepEqual([before.scope.releases, after.scope.releases], [["1"], ["3"]]);
  assert.deepEqual(before.scope.services, ["api"]);
  const bare = read("range=1h&base=custom");
  assert.deepEqual(times(bare.before.interval), times(bare.after.interval));
});

Deno.test("the address of both ends means the same at any other time", () => {
  for (const query of ["range=1h", "base=previous-release&range=7d&service=api"]) {
    const ends = read(query);
    const text = new URLSearchParams(endParams(ends).map((pair) => [...pair])).toString();
    const later = readEnds(new URLSearchParams(text), [], new Date("2026-12-24T00:00:00Z"));
    assert.deepEqual([later.before, later.after], [ends.before, ends.after]);
  }
});

Deno.test("ends are called by what tells them apart", () => {
  assert.deepEqual(endNames(read("base=previous-release")), { before: "2", after: "3" });
  assert.deepEqual(endNames(read("range=1h")), { before: "before", after: "after" });
});

Deno.test("only parameters of the end to compare with are carried on", () => {
  const query = new URLSearchParams("base=custom&base_release=1&base_x=1&release=2&focus=a");
  assert.deepEqual(keptBase(query), [["base", "custom"], ["base_release", "1"]]);
});
