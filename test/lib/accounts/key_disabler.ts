/** A Worker that is another isolate of the process: it disables a key, and says when that is done. */
import { joinChanges } from "@/lib/accounts/kv_changes.ts";
import { updateKey } from "@/lib/accounts/keys.ts";
import { openKv } from "@/lib/accounts/open_kv.ts";
import { readConfig } from "@/lib/core/config.ts";
import { silentLogger } from "../../support/silent_logger.ts";

interface Order {
  readonly dataDir: string;
  readonly memory: SharedArrayBuffer;
  readonly publicKey: string;
}

self.onmessage = async ({ data: { dataDir, memory, publicKey } }: MessageEvent<Order>) => {
  joinChanges(memory);
  using kv = await openKv(readConfig({ SERVICE_DATA_DIR: dataDir }), silentLogger, "isolate");
  await updateKey(kv, publicKey, { isActive: false });
  self.postMessage("done");
};
self.postMessage("ready");
