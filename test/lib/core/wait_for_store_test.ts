import assert from "node:assert/strict";
import { waitForStore } from "@/lib/core/waiting.ts";
import { logLines } from "../../support/log_lines.ts";

/** Fails the first times, then answers. */
function comingUp(failures: number) {
  let attempts = 0;
  return () =>
    ++attempts <= failures
      ? Promise.reject(new Error("connection refused"))
      : Promise.resolve(attempts);
}

Deno.test("waitForStore() returns the first answer, and says once that it waits", async () => {
  const { log, lines } = logLines();
  assert.equal(await waitForStore("KV", comingUp(0), log), 1);
  assert.deepEqual(lines, []);

  assert.equal(await waitForStore("KV", comingUp(2), log), 3);
  assert.deepEqual(lines, [
    { level: "warn", message: "waiting for KV", fields: { reason: "connection refused" } },
  ]);
});

Deno.test("waitForStore() gives up at once on what will not pass", async () => {
  const { log, lines } = logLines();
  await assert.rejects(
    waitForStore("KV", comingUp(1), log, () => false),
    {
      name: "ConfigError",
      message: "Cannot start: KV cannot be used: connection refused",
    },
  );
  assert.deepEqual(lines, []);
});

Deno.test("waitForStore() gives up in the end, with the last reason", async () => {
  const { log } = logLines();
  await assert.rejects(
    waitForStore("KV", comingUp(100), log, () => true, 600),
    { message: "Cannot start: KV cannot be used: connection refused" },
  );
});

Deno.test("waitForStore() names all addresses that refused", async () => {
  const { log } = logLines();
  const refused = new AggregateError(
    [new Error("refused ::1"), new Error("refused 127.0.0.1")],
    "",
  );
  await assert.rejects(
    waitForStore("KV", () => Promise.reject(refused), log, () => false),
    { message: "Cannot start: KV cannot be used: refused ::1, refused 127.0.0.1" },
  );
});
