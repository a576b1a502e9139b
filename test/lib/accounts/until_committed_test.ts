import assert from "node:assert/strict";
import { conflict, untilCommitted } from "@/lib/accounts/kv.ts";

Deno.test("untilCommitted() repeats an attempt that met other writers, and returns its result", async () => {
  let attempts = 0;
  const result = await untilCommitted(
    "write",
    () => Promise.resolve(++attempts < 4 ? conflict : null),
  );
  assert.deepEqual([result, attempts], [null, 4]);
});

Deno.test("untilCommitted() waits for a SQLite file that another process holds", async () => {
  let attempts = 0;
  const result = await untilCommitted(
    "write",
    () =>
      ++attempts < 3
        ? Promise.reject(new TypeError("database is locked"))
        : Promise.resolve("written"),
  );
  assert.equal(result, "written");
});

Deno.test("untilCommitted() gives up after 30 attempts and says at what", async () => {
  let attempts = 0;
  const attempt = () => (attempts++, Promise.resolve(conflict));
  await assert.rejects(
    untilCommitted("create the project", attempt),
    /^TooManyWriters: Cannot create the project/,
  );
  assert.equal(attempts, 30);
});

Deno.test("untilCommitted() comes back to a crowd only after a time in which the others can have come through", async () => {
  const began = performance.now();
  let attempts = 0;
  const attempt = () => Promise.resolve(++attempts < 6 ? conflict : null);
  await untilCommitted("write", attempt, () => 600);
  // Five pauses take 62 ms at the most without a crowd, and less than this with one once in ninety thousand times.
  assert.ok(performance.now() - began > 100);
});

Deno.test("untilCommitted() does not repeat what failed otherwise", async () => {
  let attempts = 0;
  const attempt = () => (attempts++, Promise.reject(new RangeError("no")));
  await assert.rejects(untilCommitted("write", attempt), RangeError);
  assert.equal(attempts, 1);
});
