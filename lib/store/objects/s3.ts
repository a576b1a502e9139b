import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import type { S3Config } from "../../core/config.ts";
import { directS3 } from "./s3_direct.ts";
import { checkKey, checkPrefix, type ListedObject, type ObjectStore } from "./store.ts";

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 3;

/** Keeps each object in a bucket, which must exist: it is never made here. */
export function openS3(config: S3Config): ObjectStore {
  const { bucket: Bucket } = config;
  const client = new S3Client({
    endpoint: config.endpoint,
    region: config.region,
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    // `endpoint/bucket/key`: self-hosted servers have no host name for each bucket.
    forcePathStyle: true,
    // The newer checksum headers are unknown to many servers that speak S3.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  });

  const direct = directS3(config);

  return {
    async put(Key, Body, { contentType } = {}) {
      checkKey(Key);
      if (await direct.put(Key, Body, contentType)) return;
      await client.send(
        new PutObjectCommand({
          Bucket,
          Key,
          Body,
          ...contentType === undefined ? {} : { ContentType: contentType },
        }),
      );
    },
    async get(Key) {
      checkKey(Key);
      const found = await direct.get(Key);
      if (found !== null) return found.bytes ?? null;
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return await Body?.transformToByteArray() ?? new Uint8Array();
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async delete(Key) {
      checkKey(Key);
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    list(prefix) {
      checkPrefix(prefix);
      return listPages(client, Bucket, prefix);
    },
    async check() {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), CHECK_TIMEOUT_MS);
      try {
        await client.send(new HeadBucketCommand({ Bucket }), { abortSignal: abort.signal });
      } catch (error) {
        throw new Error(`bucket ${Bucket} at ${config.endpoint}: ${explain(error)}`, {
          cause: error,
        });
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      direct.close();
      client.destroy();
    },
  };
}

async function* listPages(
  client: S3Client,
  Bucket: string,
  Prefix: string,
): AsyncGenerator<ListedObject> {
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token }),
    );
    for (const { Key, Size } of page.Contents ?? []) {
      if (Key !== undefined) yield { key: Key, size: Size ?? 0 };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

/** Whether `check()` failed for a reason that stays: no such bucket, or a refused access key. */
export function isRefusal(error: unknown): boolean {
  const status = error instanceof Error ? statusOf(error.cause) : undefined;
  return status === 403 || status === 404;
}

/** Answers to HEAD have no body, so the SDK knows the status only. */
function explain(error: unknown): string {
  const status = statusOf(error);
  if (status === 404) return "there is no such bucket";
  if (status === 403) return "the access key is refused";
  return error instanceof Error ? error.message : String(error);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}
