import assert from "node:assert/strict";
import { serveEverywhere } from "@/lib/server/isolates.ts";
import type { Services } from "@/lib/server/services.ts";
import { logLines } from "../../support/log_lines.ts";
import { testServices } from "../../support/stores.ts";

/** Serves on two isolates, of which the second one runs `entry`, until that fails. */
async function serveBeside(services: Services, entry: string): Promise<void> {
  await serveEverywhere({ services, handler: () => new Response("served") }, {
    entry: new URL(entry, import.meta.url),
    onListen() {},
    stop: new Promise(() => {}),
  });
}

const SETTINGS = { isolates: 2, host: "127.0.0.1", port: 0 };

Deno.test("an isolate that cannot start ends the process after a drain, with the line that tells why", async () => {
  await using test = await testServices(SETTINGS);
  await assert.rejects(serveBeside(test.services, "refused_isolate.ts"), {
    name: "ConfigError",
    message: "Cannot start: the settings are wrong",
  });
  assert.ok(test.services.stopping.aborted);
});

Deno.test("an isolate that ends by an error ends the process after a drain, and is named", async () => {
  const { log, lines } = logLines();
  await using test = await testServices(SETTINGS, log);
  await assert.rejects(serveBeside(test.services, "dying_isolate.ts"), {
    message: /^Isolate 2 ended: Uncaught .*Out of luck/,
  });
  assert.deepEqual(
    lines.filter(({ level }) => level === "error").map(({ message }) => message),
    ["an isolate ended: the process stops"],
  );
});

Deno.test("a port that another process shares with whoever asks is not taken", async () => {
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0, reusePort: true });
  const { port } = other.addr;
  await using test = await testServices({ ...SETTINGS, port });
  await assert.rejects(serveBeside(test.services, "refused_isolate.ts"), Deno.errors.AddrInUse);
});
