import assert from "node:assert/strict";
import { hasText } from "@/lib/traces/endpoints/load_endpoints.ts";

Deno.test("a search looks for parts in their order, without regard to case", () => {
  assert.ok(hasText("GET /Users/{id}", "users"));
  assert.ok(hasText("GET /users/{id}/orders", "get*orders"));
  assert.ok(hasText("GET /users", "*"));
  assert.ok(hasText("GET /a.b", "."));
  assert.equal(hasText("GET /users", "users*get"), false);
  assert.equal(hasText("GET /users", "u.ers"), false);
});

Deno.test("many stars cost no more than a long text", () => {
  assert.equal(hasText("a".repeat(2_000), `${"a*".repeat(1_000)}b`), false);
});
