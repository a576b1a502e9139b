import assert from "node:assert/strict";
import fc from "fast-check";
import { formatFilter, parseFilter } from "@/lib/metrics/filter.ts";
import { InvalidQuery, type LabelMatcher, type MatchOperator } from "@/lib/metrics/query_types.ts";

const is = (label: string, value: string, operator: MatchOperator = "="): LabelMatcher => ({
  label,
  operator,
  value,
});

Deno.test("a filter is read as Prometheus writes it, with or without braces", () => {
  const wanted = [is("route", "/a"), is("status", "5..", "=~"), is("host", "", "!=")];
  assert.deepEqual(parseFilter('route="/a",status=~"5..",host!=""'), wanted);
  assert.deepEqual(parseFilter(' { route = "/a" , status =~ "5..", host != "", } '), wanted);
});

Deno.test("values without blanks need no quotes, labels may have dots", () => {
  assert.deepEqual(parseFilter("http.route=/orders, status!~5.."), [
    is("http.route", "/orders"),
    is("status", "5..", "!~"),
  ]);
});

Deno.test("an empty filter has no conditions", () => {
  assert.deepEqual(parseFilter(""), []);
  assert.deepEqual(parseFilter(" {} "), []);
});

Deno.test("a single backslash in quotes stays for the regular expression", () => {
  assert.deepEqual(parseFilter('a=~"\\d+\\.x"'), [is("a", "\\d+\\.x", "=~")]);
  assert.deepEqual(parseFilter('a="say \\"hi\\"\\n"'), [is("a", 'say "hi"\n')]);
});

Deno.test("whatever is written is read back", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  const operator = fc.constantFrom<MatchOperator>("=", "!=", "=~", "!~");
  const matcher = fc.tuple(text, text, operator).map(([label, value, op]) => is(label, value, op));
  fc.assert(fc.property(fc.array(matcher, { maxLength: 20 }), (matchers) => {
    assert.deepEqual(parseFilter(formatFilter(matchers)), matchers);
  }));
});

Deno.test("what cannot be read is refused with the place and what is missing", () => {
  const cases: [string, RegExp][] = [
    ["route", /at its end: =, !=, =~ or !~ is missing/],
    ['route="a', /at “"a”: a value in quotes/],
    ['="a"', /at “="a"”: a label is missing/],
    ['a="1" b="2"', /at “b="2"”: a comma is missing/],
    ["a=", /at its end: a value/],
    ["x".repeat(5_000), /at most 4,000 characters/],
    [Array.from({ length: 21 }, () => "a=b").join(), /at most 20 conditions/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseFilter(text),
      (error) => error instanceof InvalidQuery && message.test(error.message),
      text,
    );
  }
});
