import assert from "node:assert/strict";
import { heldRight, whileHeld } from "@/lib/core/held_right.ts";

Deno.test("a right is asked for anew every other second, and lost when nobody can tell", async () => {
  let now = 0;
  let asked = 0;
  let answer = () => Promise.resolve(true);
  const right = heldRight(() => (asked++, answer()), () => now);
  for (let i = 0; i < 10; i++) assert.equal(await right.isHeld(), true);
  assert.equal(asked, 0);
  now = 2_000;
  for (let i = 0; i < 10; i++) assert.equal(await right.isHeld(), true);
  assert.equal(asked, 1);
  answer = () => Promise.reject(new Error("the store is away"));
  now = 4_000;
  assert.equal(await right.isHeld(), false);
});

Deno.test("a file breaks off when the right to it is lost, and never ends as if it were whole", async () => {
  let isHeld = true;
  const parts = ["one", "two", "three"].map((text) => new TextEncoder().encode(text));
  const response = whileHeld(
    new Response(ReadableStream.from(parts), { status: 200, headers: { "x-kept": "yes" } }),
    { isHeld: () => Promise.resolve(isHeld) },
  );
  assert.equal(response.headers.get("x-kept"), "yes");
  const reader = response.body?.getReader() ?? assert.fail();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "one");
  isHeld = false;
  await assert.rejects(async () => {
    for (;;) if ((await reader.read()).done) return;
  }, /right to this answer was lost/);
});
