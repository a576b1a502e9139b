import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import { openObjects } from "@/lib/store/objects/open.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

Deno.test("without settings objects live in the folder `blobs` of the data folder", async () => {
  await using dir = await tempDir();
  const config = readConfig({ SERVICE_DATA_DIR: dir.join("data") });
  const objects = await openObjects(config, silentLogger);
  await objects.put("a", new Uint8Array([1]));
  objects.close();

  assert.deepEqual(await Deno.readFile(dir.join("data", "blobs", "a")), new Uint8Array([1]));
});
