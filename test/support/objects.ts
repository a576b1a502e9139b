/**
 * An object store for each test: a bucket of its own on the S3 server that `TEST_S3_ENDPOINT`,
 * `TEST_S3_ACCESS_KEY_ID` and `TEST_S3_SECRET_ACCESS_KEY` name, otherwise a temporary folder.
 */
import type { S3Config } from "../../lib/core/config.ts";
import { openFolder } from "../../lib/store/objects/open.ts";
import type { ObjectStore } from "../../lib/store/objects/store.ts";

export interface TestObjects extends AsyncDisposable {
  readonly objects: ObjectStore;
}

const endpoint = Deno.env.get("TEST_S3_ENDPOINT") || null;

/** What kind `testObjects()` makes, for the few tests of things that only one of them has. */
export const objectsKind: "folder" | "s3" = endpoint === null ? "folder" : "s3";

/** A fresh, empty object store. */
export async function testObjects(): Promise<TestObjects> {
  if (endpoint === null) return await testFolder();
  const { testBucket } = await import("./s3_bucket.ts");
  return await testBucket(testS3Config(endpoint));
}

async function testFolder(): Promise<TestObjects> {
  const dir = await Deno.makeTempDir({ prefix: "watchpost-test-objects-" });
  const objects = await openFolder(dir);
  return {
    objects,
    async [Symbol.asyncDispose]() {
      objects.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

/** A bucket name of its own on the S3 server that tests use. */
export function testS3Config(endpoint: string): S3Config {
  return {
    endpoint,
    bucket: `watchpost-test-${crypto.randomUUID()}`,
    region: Deno.env.get("TEST_S3_REGION") || "us-east-1",
    accessKeyId: Deno.env.get("TEST_S3_ACCESS_KEY_ID") ?? "",
    secretAccessKey: Deno.env.get("TEST_S3_SECRET_ACCESS_KEY") ?? "",
  };
}
