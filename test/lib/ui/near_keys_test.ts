import assert from "node:assert/strict";
import { nearKeys } from "@/lib/ui/near_keys.ts";
import { inTime } from "../../support/time_budget.ts";

Deno.test("keys that are spelled alike, or are a part of one another, are near", () => {
  const keys = ["browser", "browser.name", "os", "user.email", "server_name", "URL"];
  assert.deepEqual(nearKeys("brwoser", keys), ["browser"]);
  assert.deepEqual(nearKeys("Browser", keys), ["browser", "browser.name"]);
  assert.deepEqual(nearKeys("email", keys), ["user.email"]);
  assert.deepEqual(nearKeys("url", keys), ["URL"]);
  assert.deepEqual(nearKeys("zzzz", keys), []);
});

Deno.test("a search full of long keys that nothing has is explained in no time", () => {
  const keys = Array.from({ length: 500 }, (_, i) => `k${i}`.padEnd(200, "ab"));
  const asked = ["x".repeat(1_000), ...Array.from({ length: 25 }, () => "y".repeat(40))];
  const find = () =>
    asked.flatMap((key) => nearKeys(key, [...keys, ...keys.map((each) => each.slice(0, 40))]));
  assert.deepEqual(inTime(300, find), []);
});
