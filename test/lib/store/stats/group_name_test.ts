import assert from "node:assert/strict";
import { groupName } from "@/lib/store/stats/series.ts";

Deno.test("a group that fits is its own name", () => {
  assert.equal(groupName("SELECT ?"), "SELECT ?");
  assert.equal(groupName("a\0b"), "ab");
});

Deno.test("long groups that begin alike have different names, which stay as they are", () => {
  const [one, other] = ["a", "b"].map((end) => groupName("SELECT x, ".repeat(50) + end));
  assert.ok(one && other);
  assert.notEqual(one, other);
  assert.equal(one.length, 200);
  assert.equal(groupName(one), one);
});
