import { CreateBucketCommand, DeleteBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Config } from "../../lib/core/config.ts";
import { openS3 } from "../../lib/store/objects/s3.ts";
import type { TestObjects } from "./objects.ts";

/** Makes the bucket, and removes it with all that is in it at disposal. */
export async function testBucket(config: S3Config): Promise<TestObjects> {
  const { endpoint, region, bucket: Bucket, ...credentials } = config;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket }));
  const objects = openS3(config);
  return {
    objects,
    async [Symbol.asyncDispose]() {
      for await (const { key } of objects.list("")) await objects.delete(key);
      objects.close();
      await client.send(new DeleteBucketCommand({ Bucket }));
      client.destroy();
    },
  };
}
