import assert from "node:assert/strict";
import { parseAuthHeader, readAuth } from "@/lib/ingest/credentials.ts";

const KEY = "0123456789abcdef0123456789abcdef";

Deno.test("parseAuthHeader() reads the headers of the stock SDKs", () => {
  const full = { publicKey: KEY, client: "sentry.x/1.0" };
  const headers = [
    `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=sentry.x/1.0`,
    `Sentry sentry_version=7,sentry_client=sentry.x/1.0,sentry_key=${KEY},sentry_secret=s`,
    `sentry sentry_version = 7 , sentry_client = sentry.x%2F1.0 , sentry_key = ${KEY}`,
    `  SENTRY\tSentry_Key=${KEY}.no-cache, sentry_version=7, sentry_client=sentry.x/1.0,`,
  ];
  for (const header of headers) assert.deepEqual(parseAuthHeader(header), full, header);
  assert.deepEqual(parseAuthHeader(`Sentry sentry_key=${KEY}`), {
    publicKey: KEY,
    client: null,
  });
});

Deno.test("parseAuthHeader() is null for other schemes and without a usable key", () => {
  const wrong = [
    ...[
      "",
      "Sentry",
      "Bearer abc",
      "Basic YTpi",
      `Sentryx sentry_key=${KEY}`,
      "Sentry sentry_version=7",
    ],
    ...["Sentry sentry_key=", "Sentry sentry_key=a b", "Sentry sentry_key=../x", "Sentry ,,,=,"],
    `Sentry sentry_key=${"k".repeat(65)}`,
    `Sentry sentry_key=${KEY},${" ".repeat(5_000)}`,
  ];
  for (const header of wrong) assert.equal(parseAuthHeader(header), null, header);
});

Deno.test("parseAuthHeader() keeps a value whose percent escapes are invalid", () => {
  const auth = parseAuthHeader(`Sentry sentry_key=${KEY}, sentry_client=100%`);
  assert.equal(auth?.client, "100%");
});

Deno.test("readAuth() reads what JS SDKs put into the query", () => {
  const query = new URLSearchParams(`sentry_version=7&sentry_key=${KEY}&sentry_client=a%2F1`);
  assert.deepEqual(readAuth(query), { publicKey: KEY, client: "a/1" });
  assert.equal(readAuth(new URLSearchParams("sentry_version=7")), null);
});
