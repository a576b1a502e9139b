import assert from "node:assert/strict";
import { credentialsInDsn } from "@/lib/ingest/credentials.ts";

const KEY = "0123456789abcdef0123456789abcdef";

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
