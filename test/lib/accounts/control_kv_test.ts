import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import { openKv } from "@/lib/accounts/open_kv.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("without settings KV lives in a file of the data folder and keeps what was written", async () => {
  await using dir = await tempDir();
  const config = readConfig({ SERVICE_DATA_DIR: dir.join("data") });
  for (const expected of [null, 7]) {
    const kv = await openKv(config, silentLogger);
    assert.equal((await kv.get(["number"])).value, expected);
    await kv.set(["number"], 7);
    kv.close();
  }
  await Deno.lstat(dir.join("data", "kv.sqlite3"));
});

Deno.test("a KV server that refuses us stops the start at once, in one line", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("Invalid access token.", { status: 401 }),
  );
  const before = Deno.env.get("DENO_KV_ACCESS_TOKEN");
  Deno.env.set("DENO_KV_ACCESS_TOKEN", "wrong-token");
  try {
    const config = readConfig({
      DENO_KV_URL: `http://127.0.0.1:${server.addr.port}`,
      DENO_KV_ACCESS_TOKEN: "wrong-token",
    });
    await assert.rejects(openKv(config, silentLogger), (error: Error) => {
      assert.equal(error.name, "ConfigError");
      assert.match(
        error.message,
        /^Cannot start: KV at 127\.0\.0\.1:\d+ \(DENO_KV_URL\) cannot be used: .*401.*/,
      );
      assert.doesNotMatch(error.message, /wrong-token/);
      return true;
    });
  } finally {
    if (before === undefined) Deno.env.delete("DENO_KV_ACCESS_TOKEN");
    else Deno.env.set("DENO_KV_ACCESS_TOKEN", before);
    await server.shutdown();
  }
});
