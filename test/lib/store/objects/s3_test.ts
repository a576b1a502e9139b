/** What only S3 can do wrong; the common behaviour is in `store_test.ts`. */
import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import { openObjects } from "@/lib/store/objects/open.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

const endpoint = Deno.env.get("TEST_S3_ENDPOINT");

if (endpoint) {
  const settings = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: "watchpost-test-no-such-bucket",
    AWS_ACCESS_KEY_ID: Deno.env.get("TEST_S3_ACCESS_KEY_ID"),
    AWS_SECRET_ACCESS_KEY: Deno.env.get("TEST_S3_SECRET_ACCESS_KEY"),
  };

  Deno.test("a bucket that does not exist stops the start with one line, and is not made", async () => {
    const open = () => openObjects(readConfig(settings), silentLogger);
    const expected = {
      name: "ConfigError",
      message: "Cannot start: S3 store (S3_ENDPOINT) cannot be used: " +
        `bucket watchpost-test-no-such-bucket at ${endpoint}: there is no such bucket`,
    };
    await assert.rejects(open(), expected);
    await assert.rejects(open(), expected);
  });

  Deno.test("a wrong key stops the start at once with one line that does not repeat it", async () => {
    const wrong = { ...settings, AWS_SECRET_ACCESS_KEY: "wrong-and-secret" };
    await assert.rejects(
      openObjects(readConfig(wrong), silentLogger),
      (error: Error) =>
        /the access key is refused$/.test(error.message) && !/wrong-and/.test(error.message),
    );
  });
}
