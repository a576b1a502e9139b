import assert from "node:assert/strict";
import fc from "fast-check";
import { prettyJson } from "@/lib/ui/json.ts";
import { inTime } from "../../support/time_budget.ts";

Deno.test("prettyJson() keeps on one line what fits", () => {
  assert.equal(
    prettyJson({ a: 1, b: [true, null], c: {} }),
    '{ "a": 1, "b": [true, null], "c": {} }',
  );
  assert.equal(prettyJson("text"), '"text"');
  assert.equal(prettyJson([]), "[]");
});

Deno.test("prettyJson() indents what does not fit, and lets plain lists flow", () => {
  const long = "x".repeat(60);
  assert.equal(
    prettyJson({ name: long, list: Array.from({ length: 40 }, (_, index) => index), in: { a: 1 } }),
    `{\n  "name": "${long}",\n  "list": [${
      [...Array(40).keys()].join(", ")
    }],\n  "in": { "a": 1 }\n}`,
  );
});

Deno.test("whatever the value, prettyJson() writes JSON that reads back the same", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert.deepEqual(JSON.parse(prettyJson(value)), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("a value in sixty others is written as fast as it is alone", () => {
  const names = Array.from({ length: 6_500 }, (_, index) => [`k${index}`, 1] as const);
  let value: unknown = Object.fromEntries(names);
  for (let depth = 0; depth < 60; depth++) value = { a: value };
  const text = inTime(50, () => prettyJson(value));
  assert.deepEqual(JSON.parse(text), value);
});
