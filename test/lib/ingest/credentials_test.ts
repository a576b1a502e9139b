import assert from "node:assert/strict";
import {
  credentialsInDsn,
  credentialsInHead,
  parseAuthHeader,
  readAuth,
  refuseOtherKey,
} from "@/lib/ingest/identify.ts";
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

Deno.test("credentialsInDsn() reads the key of any host and path", () => {
  const dsns = [
    `https://${KEY}@sentry.example.com/42`,
    `http://${KEY}@localhost:8000/42`,
    `http://${KEY}:secret@[::1]:8000/42/`,
    `https://${KEY}@example.com/pre/fix/42`,
    ` HTTPS://${KEY}@example.com/42 `,
  ];
  for (const dsn of dsns) {
    assert.deepEqual(credentialsInDsn(dsn), { publicKey: KEY, client: null }, dsn);
  }
});

Deno.test("credentialsInDsn() is null for what is no DSN", () => {
  const wrong = [
    ...["", "x", `https://example.com/42`, `https://@example.com/42`, `https://${KEY}@example.com`],
    ...[`https://${KEY}@example.com/abc`, `https://${KEY}@/42`, `${KEY}@example.com/42`],
    ...[
      `https://a b@example.com/42`,
      `https://${KEY}@example.com/42?x=/1`,
      "https://k@h/" + "1".repeat(21),
    ],
    `https://${KEY}@${"h".repeat(3_000)}/1`,
  ];
  for (const dsn of wrong) assert.equal(credentialsInDsn(dsn), null, dsn);
});
