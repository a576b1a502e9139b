/** Where backups may lie. */
import assert from "node:assert/strict";
import { ConfigError, readConfig } from "@/lib/core/config.ts";
import { openPlace } from "@/lib/server/backup/place.ts";
import { verify } from "@/lib/server/backup/verify.ts";
import { backupWorld, makeBackup } from "@/test/support/backup_world.ts";
import { testS3Config } from "@/test/support/objects.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

const S3 = {
  SERVICE_BACKUP_S3_ENDPOINT: "http://127.0.0.1:1",
  SERVICE_BACKUP_S3_ACCESS_KEY_ID: "id",
  SERVICE_BACKUP_S3_SECRET_ACCESS_KEY: "a secret of a test",
};

async function refused(
  env: Readonly<Record<string, string>>,
  address: string,
  isWriter = true,
): Promise<string> {
  try {
    using _ = await openPlace(readConfig(env), address, { isWriter });
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  throw new Error(`${address} is taken`);
}

Deno.test("a place that holds what is copied, something else or nothing to read is refused with a sentence", async () => {
  await using folder = await tempDir();
  const env = { SERVICE_DATA_DIR: folder.join("data") };
  assert.match(await refused(env, folder.join("data/blobs/backups")), /is copied: choose another/);
  assert.match(await refused(env, folder.join("data/postgres")), /is copied: choose another/);
  await Deno.mkdir(folder.join("papers"));
  await Deno.writeTextFile(folder.join("papers/letter"), "Dear");
  assert.match(await refused(env, folder.join("papers")), /is not empty and has no backups/);
  assert.match(await refused(env, folder.join("none"), false), /^There is no backup in /);
  await assert.rejects(Deno.stat(folder.join("none")), Deno.errors.NotFound);
});

Deno.test("a bucket that cannot be used is refused with a sentence", async () => {
  assert.match(await refused({}, "s3://backups"), /set SERVICE_BACKUP_S3_ENDPOINT, /);
  assert.match(await refused(S3, "s3://"), /is no place: write s3:\/\/bucket\/prefix/);
  assert.match(await refused(S3, "s3://UPPER/x"), /is no place/);
  const same = {
    ...S3,
    ...{ S3_ENDPOINT: S3.SERVICE_BACKUP_S3_ENDPOINT, S3_BUCKET: "watchpost" },
    ...{ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "a secret" },
  };
  assert.match(await refused(same, "s3://watchpost/x"), /is the bucket that is to be copied/);
});

const endpoint = Deno.env.get("TEST_S3_ENDPOINT") ?? "";
if (endpoint === "") console.warn("skipped: no S3 server is named here");

Deno.test({
  name:
    "backups lie below a prefix of a bucket, are read from there, and go when they are too many",
  ignore: endpoint === "",
  async fn() {
    const { testBucket } = await import("@/test/support/s3_bucket.ts");
    const s3 = testS3Config(endpoint);
    await using bucket = await testBucket(s3);
    await using world = await backupWorld();
    const config = readConfig({
      SERVICE_BACKUP_KEY: "a key for the backups of a test",
      SERVICE_BACKUP_S3_ENDPOINT: s3.endpoint,
      SERVICE_BACKUP_S3_REGION: s3.region,
      SERVICE_BACKUP_S3_ACCESS_KEY_ID: s3.accessKeyId,
      SERVICE_BACKUP_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    });
    await bucket.objects.put("other/file", new Uint8Array(1));
    const address = `s3://${s3.bucket}/shop/eu`;
    const made = [];
    for (const _ of [1, 2]) {
      using place = await openPlace(config, address, { isWriter: true });
      made.push(await makeBackup(world, place, 1));
    }
    const [first, second] = made;
    assert.equal(second?.newBytes, 0);
    assert.deepEqual(second?.deleted, [first?.manifest.id]);

    using place = await openPlace(config, address, { isWriter: false });
    const manifest = await place.read();
    assert.deepEqual(manifest, second?.manifest);
    assert.deepEqual(await verify(place, manifest, () => {}), []);
    const [part = ""] = Object.keys(manifest.sizes);
    const key = `shop/eu/parts/${part.slice(0, 2)}/${part}`;
    assert.ok(await bucket.objects.get(key));
    await bucket.objects.delete(key);
    assert.match((await verify(place, manifest, () => {})).join(), /^Part parts\/.* is missing/);

    const missing = `s3://${s3.bucket}-missing/x`;
    await assert.rejects(
      openPlace(config, missing, { isWriter: true }),
      /cannot be used: bucket .*: there is no such bucket/,
    );
    const keys = await Array.fromAsync(bucket.objects.list(""));
    assert.ok(keys.every((each) => each.key === "other/file" || each.key.startsWith("shop/eu/")));
  },
});
