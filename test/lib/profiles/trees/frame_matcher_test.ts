import assert from "node:assert/strict";
import { type FrameMatcher, frameMatcher } from "@/lib/profiles/trees/reshape.ts";
import { inTime } from "@/test/support/time_budget.ts";

const FRAME = {
  name: "github.com/acme/shop.(*Cart).Add",
  file: "/src/shop/cart.go",
  module: "shop-server",
  line: 1,
  isInApp: null,
};

function matches(text: string): boolean {
  const matcher = frameMatcher(text);
  assert.equal(typeof matcher, "function", String(matcher));
  return (matcher as FrameMatcher)(FRAME);
}

Deno.test("a filter is found in the name, the file and the module", () => {
  assert.ok(matches("Cart"));
  assert.ok(matches(String.raw`cart\.go$`));
  assert.ok(matches("^shop-"));
  assert.ok(matches("(?i)CART"));
  assert.ok(matches(String.raw`\(\*Cart\)\.(Add|Remove)$`));
  assert.ok(!matches("^Cart"));
});

Deno.test("what is no regular expression is told in words", () => {
  for (const text of ["(", "a(?=b)", "*", "[z-a]", "a{1001}", String.raw`\1`]) {
    assert.match(String(frameMatcher(text)), /^The regular expression cannot be read: .+\.$/);
  }
  assert.match(String(frameMatcher("(x?){500}".repeat(20))), /repeats too much/);
  assert.match(String(frameMatcher("a".repeat(1_001))), /1,001 characters; 1,000 are allowed/);
});

Deno.test("no expression takes longer than its text allows", () => {
  const frame = { ...FRAME, name: "x".repeat(10_000) };
  for (const text of ["(x+x+)+y", "(x|xx)*z", "(.*)*=", "(x?){99}x{99}y"]) {
    const matcher = frameMatcher(text);
    assert.equal(typeof matcher, "function", text);
    assert.equal(inTime(500, () => (matcher as FrameMatcher)(frame), text), false);
  }
});

Deno.test("an expression that takes too long on all functions together ends with a sentence", () => {
  const matcher = frameMatcher("(?:a?){200}a{200}b", 5) as FrameMatcher;
  const frame = { ...FRAME, name: "a".repeat(500) };

  assert.throws(() => {
    for (let name = 0; name < 10_000; name++) matcher(frame);
  }, { name: "InvalidInput", message: /takes too long on so many functions/ });
});
