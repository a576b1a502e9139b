import assert from "node:assert/strict";
import fc from "fast-check";
import { LEVELS } from "@/lib/records/mod.ts";
import { parseIssueSearch } from "@/lib/errors/issue_search.ts";

const NOW = new Date("2026-11-21T00:00:00Z");
const HOUR_MS = 3_600_000;

function terms(search: string) {
  const { filter, problems } = parseIssueSearch(search, NOW);
  assert.deepEqual(problems, []);
  return filter.terms;
}

Deno.test("words and quoted phrases are text", () => {
  assert.deepEqual(parseIssueSearch('  cannot "read property"\t"a \\"b\\" c" !not '), {
    filter: { text: ["cannot", "read property", 'a "b" c', "!not"], terms: [] },
    problems: [],
  });
});

Deno.test("titles and addresses that are pasted in are text", () => {
  const search = "TypeError: https://shop.example/x?y=z Shop::pay Error:";
  assert.deepEqual(parseIssueSearch(search), {
    filter: {
      text: ["TypeError:", "https://shop.example/x?y=z", "Shop::pay", "Error:"],
      terms: [],
    },
    problems: [],
  });
});

Deno.test("key:value is a tag, with quotes, negation and wildcards", () => {
  const search = 'browser:Firefox !os:"Mac OS" url:/a:b* has:user !has:plan';
  assert.deepEqual(terms(search), [
    { kind: "tag", key: "browser", value: "Firefox", negated: false },
    { kind: "tag", key: "os", value: "Mac OS", negated: true },
    { kind: "tag", key: "url", value: "/a:b*", negated: false },
    { kind: "tag", key: "user", value: null, negated: false },
    { kind: "tag", key: "plan", value: null, negated: true },
  ]);
});

Deno.test("is: chooses statuses", () => {
  const statuses = (search: string) => parseIssueSearch(search).statuses;
  assert.equal(statuses("word"), undefined);
  assert.deepEqual(statuses("is:resolved"), ["resolved"]);
  assert.deepEqual(statuses("is:resolved is:ignored"), ["resolved", "ignored"]);
  assert.deepEqual(statuses("!is:resolved"), ["unresolved", "ignored"]);
  assert.deepEqual(terms("is:regressed"), [{ kind: "regressed", negated: false }]);
});

Deno.test("properties of the issue are no tags", () => {
  assert.deepEqual(terms("level:fatal platform:node !firstRelease:shop@2*"), [
    { kind: "column", column: "level", value: "fatal", negated: false },
    { kind: "column", column: "platform", value: "node", negated: false },
    { kind: "release", column: "first_release", value: "shop@2*", negated: true },
  ]);
  assert.deepEqual(terms("timesSeen:>100 usersSeen:<=5 timesseen:1"), [
    { kind: "count", column: "times_seen", operator: ">", value: 100, negated: false },
    { kind: "count", column: "users_seen", operator: "<=", value: 5, negated: false },
    { kind: "count", column: "times_seen", operator: "=", value: 1, negated: false },
  ]);
  const time = { kind: "time", negated: false };
  assert.deepEqual(terms("firstSeen:-24h lastSeen:+2d firstSeen:<2026-11-01"), [
    { ...time, column: "first_seen", after: true, at: new Date(NOW.getTime() - 24 * HOUR_MS) },
    { ...time, column: "last_seen", after: false, at: new Date(NOW.getTime() - 48 * HOUR_MS) },
    { ...time, column: "first_seen", after: false, at: new Date("2026-11-01") },
  ]);
});

Deno.test("users and traces are searched for by what they are", () => {
  const trace = "0AF7651916CD43DD8448EB211C80319C";
  assert.deepEqual(terms(`user:id:7 !user.email:*@b.c trace:${trace}`), [
    { kind: "user", value: "id:7", negated: false },
    { kind: "user", value: "email:*@b.c", negated: true },
    { kind: "trace", traceId: trace.toLowerCase(), negated: false },
  ]);
});

Deno.test("what errors say of their handling and types is searched for by Sentry's names", () => {
  const handled = { kind: "tag", key: "handled", negated: false };
  assert.deepEqual(terms("is:unhandled error.handled:true error.unhandled:1"), [
    { ...handled, value: "no" },
    { ...handled, value: "yes" },
    { ...handled, value: "no" },
  ]);
  assert.deepEqual(terms("error.type:KeyError !error.value:*pear* error.mechanism:excepthook"), [
    { kind: "error", field: "type", value: "KeyError", negated: false },
    { kind: "error", field: "value", value: "*pear*", negated: true },
    { kind: "tag", key: "mechanism", value: "excepthook", negated: false },
  ]);
  assert.deepEqual(terms("has:user.email has:error.type has:http.url"), [
    { kind: "user", value: "email:*", negated: false },
    { kind: "error", field: "type", value: null, negated: false },
    { kind: "tag", key: "url", value: null, negated: false },
  ]);
  assert.equal(parseIssueSearch("error.handled:maybe").problems.length, 1);
});

Deno.test("what makes no sense is named, and the rest still holds", () => {
  const search = 'word is:gone level:loud timesSeen:many firstSeen:soon has: trace:7 level: "open';
  const { filter, problems } = parseIssueSearch(search);
  assert.deepEqual(filter, { text: ["word"], terms: [] });
  assert.deepEqual(problems.map(({ part }) => part), [
    "is:gone",
    "level:loud",
    "timesSeen:many",
    "firstSeen:soon",
    "has:",
    "trace:7",
    "level:",
    '"open',
  ]);
  assert.ok(problems.every(({ reason }) => /^[A-Z].*[^.]$/.test(reason)));
});

Deno.test("any text is understood or named as a problem, without NUL and never as an error", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.stringMatching(/^[a-z:!"\\* \0.<>=+-]{0,60}$/),
      ),
      (search) => {
        const { filter, problems } = parseIssueSearch(search, NOW);
        for (const { part } of problems) assert.ok(search.replaceAll("\0", "").includes(part));
        assert.ok(!JSON.stringify(filter).includes("\\u0000"));
        assert.ok(filter.text.every((word) => word !== ""));
      },
    ),
    { numRuns: 2_000 },
  );
});

Deno.test("a quoted value may begin like an address", () => {
  assert.deepEqual(terms('x:": " y:"//cdn"'), [
    { kind: "tag", key: "x", value: ": ", negated: false },
    { kind: "tag", key: "y", value: "//cdn", negated: false },
  ]);
});

Deno.test("quoted values come out as they went in", () => {
  const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .filter((text) => !text.includes("\0"));
  const term = fc.record({
    key: fc.stringMatching(/^x[a-z0-9_.-]{0,20}$/),
    value,
    negated: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(term, { maxLength: 8 }), (wanted) => {
      const search = wanted.map(({ key, value, negated }) =>
        `${negated ? "!" : ""}${key}:"${value.replaceAll(/["\\]/g, "\\$&")}"`
      );
      assert.deepEqual(
        terms(search.join(" ")),
        wanted.map((term) => ({ kind: "tag", ...term })),
      );
    }),
  );
});

Deno.test("every level can be searched for", () => {
  for (const level of LEVELS) assert.equal(terms(`level:${level}`).length, 1);
});
