import assert from "node:assert/strict";
import { credentialsInDsn, credentialsInHead, refuseOtherKey } from "@/lib/ingest/credentials.ts";
import { Refusal } from "@/lib/core/refusal.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const OTHER = "fedcba9876543210fedcba9876543210";

function inHead(headers: Record<string, string>, query = "") {
  const url = new URL(`http://localhost/api/1/envelope/${query}`);
  return credentialsInHead(new Request(url, { method: "POST", headers }), url);
}

Deno.test("credentialsInHead() reads what each SDK sends", () => {
  const lines: [headers: Record<string, string>, query: string, client: string | null][] = [
    [
      {},
      `?sentry_version=7&sentry_key=${KEY}&sentry_client=sentry.javascript.node%2F11.12.0`,
      "sentry.javascript.node/11.12.0",
    ],
    [
      {
        "x-sentry-auth":
          `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=sentry.python/2.68.0`,
      },
      "",
      "sentry.python/2.68.0",
    ],
    [
      {
        "x-sentry-auth":
          `Sentry sentry_version=7,sentry_client=sentry.php/4.29.0,sentry_key=${KEY}`,
      },
      "",
      "sentry.php/4.29.0",
    ],
    [{ authorization: `Sentry sentry_key=${KEY}` }, "", null],
  ];
  for (const [headers, query, client] of lines) {
    const found = inHead(headers, query);
    assert.equal(found?.publicKey, KEY);
    assert.equal(found?.client, client);
  }
});

Deno.test("credentialsInHead() finds nothing where there is no Sentry key", () => {
  assert.equal(inHead({}), null);
  assert.equal(inHead({ authorization: `Bearer ${KEY}` }), null);
  assert.equal(inHead({ "x-sentry-auth": "Sentry" }, "?sentry_key="), null);
});

Deno.test("credentialsInHead() takes one key that is named twice and refuses two", () => {
  const header = { "x-sentry-auth": `Sentry sentry_key=${KEY}` };
  assert.equal(inHead(header, `?sentry_key=${KEY}`)?.publicKey, KEY);
  assert.throws(() => inHead(header, `?sentry_key=${OTHER}`), Refusal);
  assert.throws(() => inHead({ ...header, authorization: `Sentry sentry_key=${OTHER}` }), Refusal);
});

Deno.test("credentialsInDsn() reads the key out of a DSN", () => {
  assert.deepEqual(credentialsInDsn(`https://${KEY}@example.com/pre/1`), {
    publicKey: KEY,
    client: null,
  });
  assert.equal(credentialsInDsn("https://example.com/1"), null);
  assert.equal(credentialsInDsn(null), null);
});

Deno.test("refuseOtherKey() refuses an envelope in the name of another key", () => {
  refuseOtherKey(null, KEY);
  refuseOtherKey("no dsn at all", KEY);
  refuseOtherKey(`https://${KEY}@example.com/99`, KEY);
  assert.throws(() => refuseOtherKey(`https://${OTHER}@example.com/1`, KEY), Refusal);
});
