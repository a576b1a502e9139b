import assert from "node:assert/strict";
import { openKv } from "@/lib/accounts/open_kv.ts";
import { readConfig } from "@/lib/core/config.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { LANES } from "./kv_writer.ts";

const WRITES = 100;

Deno.test("isolates that write to one KV file at once all come through, each change once", async () => {
  await using dir = await tempDir();
  const kv = await openKv(readConfig({ SERVICE_DATA_DIR: dir.path }), silentLogger);
  const workers = ["a", "b", "c"].map((name) => {
    const worker = new Worker(new URL("kv_writer.ts", import.meta.url), { type: "module" });
    return { worker, settings: { dataDir: dir.path, name, writes: WRITES } };
  });
  const answers = (message?: unknown) =>
    Promise.all(workers.map(({ worker, settings }) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage(message ?? settings);
      return promise;
    }));

  assert.deepEqual(await answers(), ["ready", "ready", "ready"]);
  assert.deepEqual(await answers("write"), ["written", "written", "written"]);

  for (const { settings } of workers) {
    for (const lane of LANES) {
      assert.equal((await kv.get(["own", settings.name, lane])).value, WRITES);
    }
  }
  kv.close();
  for (const { worker } of workers) worker.terminate();
});

Deno.test("what one of them has written is what the others read next", async () => {
  await using dir = await tempDir();
  const config = readConfig({ SERVICE_DATA_DIR: dir.path });
  const first = await openKv(config, silentLogger);
  const other = await openKv(config, silentLogger, "isolate");
  for (let turn = 0; turn < WRITES; turn++) {
    const [writer, reader] = turn % 2 === 0 ? [first, other] : [other, first];
    await writer.set(["turn"], turn);
    assert.equal((await reader.get(["turn"])).value, turn);
  }
  first.close();
  other.close();
});
