import { join } from "node:path";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { waitForStore } from "../../core/wait_for_store.ts";
import { openFolder } from "./folder.ts";
import type { ObjectStore } from "./store.ts";

/**
 * Opens the object store: the S3 bucket that `S3_*` name, or the folder `blobs` in the data folder.
 *
 * @throws {ConfigError} when it cannot be used
 */
export async function openObjects(config: Config, log: Logger): Promise<ObjectStore> {
  if (config.s3 === null) return await openFolder(join(config.dataDir, "blobs"));
  // The S3 client is large; who does not use it does not load it.
  const { isRefusal, openS3 } = await import("./s3.ts");
  const objects = openS3(config.s3);
  try {
    await waitForStore(
      "S3 store (S3_ENDPOINT)",
      () => objects.check(),
      log,
      (error) => !isRefusal(error),
    );
    return objects;
  } catch (error) {
    objects.close();
    throw error;
  }
}
