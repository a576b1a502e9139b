import assert from "node:assert/strict";
import type { Outcome } from "@/lib/records/mod.ts";
import { ClientNames } from "@/lib/ingest/writer/caps.ts";

const NOON = Date.parse("2026-11-20T12:00:00Z");

function drops(count: number, from = 0): Outcome[] {
  return Array.from({ length: count }, (_, index) => (
    { category: "error", kind: "client_discard", reason: `made up ${from + index}`, quantity: 3 }
  ));
}

Deno.test("names that clients make up are kept until there are too many of a day", () => {
  const names = new ClientNames();
  assert.deepEqual(names.boundAll("1", drops(200), NOON), drops(200));
  const [known, unknown] = names.boundAll("1", [...drops(1), ...drops(1, 200)], NOON);
  assert.deepEqual(known, drops(1)[0]);
  assert.deepEqual(unknown, {
    category: "default",
    kind: "client_discard",
    reason: "other",
    quantity: 3,
  });
});

Deno.test("each project and each day has its own names", () => {
  const names = new ClientNames();
  names.boundAll("1", drops(200), NOON);
  assert.deepEqual(names.boundAll("2", drops(1, 200), NOON), drops(1, 200));
  const tomorrow = NOON + 86_400_000;
  assert.deepEqual(names.boundAll("1", drops(1, 200), tomorrow), drops(1, 200));
});

Deno.test("what the service counts itself is left as it is", () => {
  const names = new ClientNames();
  names.boundAll("1", drops(200), NOON);
  const own: Outcome = { category: "error", kind: "filtered", reason: "message", quantity: 1 };
  assert.deepEqual(names.boundAll("1", [own], NOON), [own]);
});
