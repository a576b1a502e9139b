import assert from "node:assert/strict";
import { fixesIn } from "@/lib/releases/fixes.ts";
import { inTime } from "../../support/time_budget.ts";

const MESSAGES: [message: string, fixes: string[]][] = [
  ["fixes SHOP-12A", ["SHOP-12A"]],
  ["Fix: shop-1", ["SHOP-1"]],
  ["Fixed SHOP-1, SHOP-2 and others", ["SHOP-1", "SHOP-2"]],
  ["closes SHOP-1 WEB-2\nresolves my-app-Z9", ["SHOP-1", "WEB-2", "MY-APP-Z9"]],
  ["Resolve SHOP-1. Resolved SHOP-1.", ["SHOP-1"]],
  ["prefixes SHOP-1", []],
  ["fixes the cart of SHOP-1", []],
  ["fixes SHOP-ILOU", []],
  ["fixes #12", []],
  ["", []],
];
for (const [message, fixes] of MESSAGES) {
  Deno.test(`${JSON.stringify(message)} fixes ${fixes.join(", ") || "nothing"}`, () => {
    assert.deepEqual(fixesIn(message), fixes);
  });
}

Deno.test("a long text of words that nearly match is read in no time", () => {
  inTime(500, () => {
    assert.deepEqual(fixesIn("fixes A-1 ".repeat(100_000)), ["A-1"]);
    fixesIn(`fixes ${"a-".repeat(50_000)}`);
    fixesIn(`fixes${" ".repeat(100_000)}`);
  });
});
