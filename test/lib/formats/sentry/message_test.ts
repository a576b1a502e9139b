import assert from "node:assert/strict";
import { normalized } from "./decode.ts";

function message(sent: Record<string, unknown>) {
  return normalized(sent).logentry;
}

Deno.test("a message comes as text, as an object, or under either name", () => {
  const expected = { message: "x" };
  for (const sent of ["x", { message: "x" }, { message: "x", formatted: null, params: [] }]) {
    assert.deepEqual(message({ message: sent }), expected);
    assert.deepEqual(message({ logentry: sent }), expected);
  }
  assert.deepEqual(message({ message: 7 }), { message: "7" });
  for (const none of [null, "", {}, [], { message: null }, { params: [1] }]) {
    assert.equal(message({ message: none, logentry: none }), undefined);
  }
  assert.equal("message" in normalized({ message: "x" }), false);
});

Deno.test("a message beside a template is what it was filled with", () => {
  assert.deepEqual(message({ logentry: { message: "user %s" }, message: "user 7" }), {
    message: "user %s",
    formatted: "user 7",
  });
  assert.deepEqual(message({ logentry: { formatted: "only this" } }), { formatted: "only this" });
});

Deno.test("a template that comes without its text is filled in", () => {
  const cases: [template: string, params: unknown, formatted: string][] = [
    ["user %s failed %d times, 100%%", ["ann", 3], "user ann failed 3 times, 100%"],
    ["user %(name)s", { name: "ann" }, "user ann"],
    ["user {} of {}", ["ann", "bob"], "user ann of bob"],
    ["user {1} before {0}", ["ann", "bob"], "user bob before ann"],
    ["user {name!r}", { name: "ann" }, "user ann"],
    ["%.2f %5d %-3s", [1.5, 2, "x"], "1.5 2 x"],
    ["%s %s", ["one"], "one %s"],
    ["%s", [null], "None"],
    ["%s", [{ a: 1 }], '{"a":1}'],
    ["%s", "bare", "bare"],
    ["{__proto__} {constructor}", {}, "{__proto__} {constructor}"],
  ];
  for (const [template, params, formatted] of cases) {
    const { formatted: actual = template } = message({ logentry: { message: template, params } }) ??
      {};
    assert.equal(actual, formatted, template);
  }
});

Deno.test("a message is cut to 8,192 characters, never within a character", () => {
  const text = message({ message: "😀".repeat(10_000) })?.message;
  assert.ok(text && text.length <= 8_192 && text.length > 8_190);
  assert.ok(text.isWellFormed());
  assert.ok(text.endsWith("..."));
});
