import assert from "node:assert/strict";
import { parseFilter, seriesMatcher } from "@/lib/metrics/filter.ts";
import { InvalidQuery, WHOLE_SCOPE } from "@/lib/metrics/query_types.ts";

const LABELS = { environment: "production", route: "/a\nb", status: "503" };
const matches = (filter: string, scope = WHOLE_SCOPE) =>
  seriesMatcher(parseFilter(filter), scope)(LABELS);

Deno.test("all conditions of a filter hold", () => {
  assert.ok(matches('status="503",environment="production"'));
  assert.ok(!matches('status="503",environment="staging"'));
  assert.ok(matches('status!="200"'));
  assert.ok(matches(""));
});

Deno.test("regular expressions match whole values, of several lines as well", () => {
  assert.ok(matches('status=~"5.."'));
  assert.ok(!matches('status=~"5."'));
  assert.ok(!matches('status=~"50|03"'));
  assert.ok(matches('status=~"503|200"'));
  assert.ok(matches('route=~"/a.*"'));
  assert.ok(matches('status!~"2.."'));
});

Deno.test("a label that is missing is as good as empty", () => {
  assert.ok(matches('host=""'));
  assert.ok(!matches('host!=""'));
  assert.ok(matches('host=~".*"'));
  assert.ok(!matches('host=~".+"'));
});

Deno.test("a scope leaves what has one of its values", () => {
  const scope = { environments: ["staging", "production"], releases: [], services: [] };
  assert.ok(matches("", scope));
  assert.ok(!matches("", { ...scope, releases: ["shop@1"] }));
  assert.ok(!matches("", { ...scope, environments: ["staging"] }));
});

Deno.test("a regular expression that is none is refused without what is inside", () => {
  const cases: [string, RegExp][] = [
    ["(", /^The regular expression “\(” cannot be read: missing closing \)\.$/],
    ["a(?=b)", /cannot be read: invalid or unsupported Perl syntax\.$/],
    ["(a{1000}){900}", /repeat/],
    ["x".repeat(2_000), /at most 1,000 characters/],
  ];
  for (const [value, message] of cases) {
    assert.throws(
      () => seriesMatcher([{ label: "a", operator: "=~", value }], WHOLE_SCOPE),
      (error) => error instanceof InvalidQuery && message.test(error.message),
      value,
    );
  }
});

Deno.test("a regular expression that takes long ends after a second, however many values there are", () => {
  // Four thousand instructions, all of them at every character.
  const value = `(${"(a?)".repeat(200)}){5}.*b`;
  const isMeant = seriesMatcher([{ label: "a", operator: "=~", value }], WHOLE_SCOPE);
  const began = performance.now();
  assert.throws(
    () => {
      for (let each = 0; each < 10_000; each++) isMeant({ a: "a".repeat(1_000) + each });
    },
    (error) => error instanceof InvalidQuery && /takes too long/.test(error.message),
  );
  assert.ok(performance.now() - began < 10_000);
});
