import assert from "node:assert/strict";
import fc from "fast-check";
import { FILTERED, hideSecrets, isCardNumber, isSecretName } from "@/lib/ingest/secrets.ts";
import { inTime } from "../../support/time_budget.ts";

const SECRET_NAMES = [
  "password",
  "user_password",
  "Passwd",
  "passphrase",
  "pwd",
  "MYSQL_PWD",
  "db_pass",
  "client_secret",
  "secretKey",
  "api_key",
  "apiKey",
  "X-Api-Key",
  "access-key",
  "private_key",
  "Authorization",
  "Proxy-Authorization",
  "auth",
  "token",
  "access_token",
  "X-Amz-Security-Token",
  "csrfmiddlewaretoken",
  "X-CSRF-Token",
  "XSRF-TOKEN",
  "bearer",
  "jwt",
  "session",
  "session_id",
  "PHPSESSID",
  "JSESSIONID",
  "connect.sid",
  "Cookie",
  "Set-Cookie",
  "credentials",
  "credit_card",
  "cardNumber",
  "cvv",
  "CVC2",
  "ssn",
];

const HARMLESS_NAMES = [
  "name",
  "message",
  "author",
  "keyboard",
  "compass",
  "max_tokens",
  "input_tokens",
  "tokenizer",
  "passenger",
  "session_replay_url",
  "inside",
  "user_id",
  "card_type",
  "primary_key",
  "",
  "__proto__",
  "constructor",
];

Deno.test("isSecretName() knows secrets by name, whatever the spelling", () => {
  for (const name of SECRET_NAMES) assert.equal(isSecretName(name), true, name);
});

Deno.test("isSecretName() leaves names alone that only look alike", () => {
  for (const name of HARMLESS_NAMES) assert.equal(isSecretName(name), false, name);
});

Deno.test("isSecretName() remembers names without letting clients fill the memory", () => {
  for (let i = 0; i < 20_000; i++) assert.equal(isSecretName(`key${i}`), false);
  assert.equal(isSecretName("password"), true);
});

Deno.test("hideSecrets() hides the value of every secret name in a query and in JSON text", () => {
  for (const name of SECRET_NAMES) {
    assert.equal(
      hideSecrets(`https://a.test/x?b=1&${name}=hunter2#top`),
      `https://a.test/x?b=1&${name}=${FILTERED}#top`,
    );
    assert.equal(hideSecrets(`{"${name}": "hunter2"}`), `{"${name}": "${FILTERED}"}`);
  }
});

const HIDDEN: readonly (readonly [text: string, hidden: string])[] = [
  ["postgres://ann:s3cr3t@db:5432/x", "postgres://ann:[Filtered]@db:5432/x"],
  ["redis://:s3cr3t@cache", "redis://:[Filtered]@cache"],
  ["password=hunter2&user=ann", "password=[Filtered]&user=ann"],
  ["Server=db;Password=hunter2;Port=1", "Server=db;Password=[Filtered];Port=1"],
  ["user%5Bpassword%5D=hunter2", "user%5Bpassword%5D=[Filtered]"],
  [`{'password': 'hun\\'ter2', 'a': 1}`, `{'password': '[Filtered]', 'a': 1}`],
  [`{"pin":1,"token":12345}`, `{"pin":1,"token":"[Filtered]"}`],
  [`{"password": "cut off in the mid`, `{"password": "[Filtered]"`],
  ["curl -H 'Authorization: Bearer abc.def-ghi'", "curl -H 'Authorization: Bearer [Filtered]'"],
  ["Basic dXNlcjpwYXNz", "Basic [Filtered]"],
  ["card 4111 1111 1111 1111 declined", "card [Filtered] declined"],
  ["card 4111-1111-1111-1111", "card [Filtered]"],
  ["378282246310005", "[Filtered]"],
  [
    "key: -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY----- done",
    "key: [Filtered] done",
  ],
  ["-----BEGIN PRIVATE KEY-----\nMIIE cut off", "[Filtered]"],
];

Deno.test("hideSecrets() hides what is secret by its looks", () => {
  for (const [text, hidden] of HIDDEN) assert.equal(hideSecrets(text), hidden);
});

Deno.test("hideSecrets() finds nothing more in what it has cleaned", () => {
  for (const [, hidden] of HIDDEN) assert.equal(hideSecrets(hidden), hidden);
});

Deno.test("hideSecrets() leaves ordinary text as it is", () => {
  const ordinary = [
    "Cannot read properties of undefined (reading 'x')",
    "GET https://api.example.com/items/17?page=2&size=10",
    "mailto:ann@example.com",
    "order 1767323045678 of 2026-01-02T03:04:05.678Z",
    "4bf92f3577b34da6a3ce929d0e0e4736",
    "4111111111111112",
    "0.4111111111111111",
    "id4111111111111111",
    `{"password": null}`,
    "SELECT * FROM users WHERE token = $1",
    "-----BEGIN CERTIFICATE-----",
    "basic idea",
  ];
  for (const text of ordinary) assert.equal(hideSecrets(text), text);
});

Deno.test("isCardNumber() wants a brand, its length and a check digit", () => {
  const cards = ["4111111111111111", "5555555555554444", "2223003122003222", "6011111111111117"];
  for (const card of [...cards, "30569309025904", "3530111333300000", "2200000000000004"]) {
    assert.equal(isCardNumber(card), true, card);
  }
  for (const other of ["4111111111111112", "1234567812345670", "41111111", ""]) {
    assert.equal(isCardNumber(other), false, other);
  }
});

Deno.test("hideSecrets() takes linear time for hostile texts", () => {
  const patterns = [
    "&",
    "?a",
    '"a"',
    '"',
    "a=",
    "1 ",
    "11",
    "://",
    "://a:",
    "@",
    "-----BEGIN ",
    "'",
    " ",
    "\\",
  ];
  patterns.push(
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    "Bearer ",
    `"password":"`,
    `"password":`,
  );
  for (const pattern of patterns) {
    const text = pattern.repeat(Math.ceil(1_000_000 / pattern.length)) + "password=1";
    inTime(100, () => hideSecrets(text), JSON.stringify(pattern));
  }
});

Deno.test("hideSecrets() keeps any text well-formed", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.ok(hideSecrets(text).isWellFormed());
  }));
});

Deno.test("hideSecrets() hides account numbers with the right length and check digits", () => {
  for (
    const [text, hidden] of [
      ["paid to DE89 3704 0044 0532 0130 00 today", "paid to [Filtered] today"],
      ["GB82WEST12345698765432", "[Filtered]"],
      ["DE89 3704 0044 0532 0130 01", "DE89 3704 0044 0532 0130 01"],
      ["XX00 1234 5678 9012 3456", "XX00 1234 5678 9012 3456"],
    ] as const
  ) {
    assert.equal(hideSecrets(text), hidden);
  }
});

Deno.test("hideSecrets() hides quoted values of secret names, as SQL has them", () => {
  assert.equal(
    hideSecrets("update users set password = 'hunter2', name='ann'"),
    "update users set password = [Filtered], name='ann'",
  );
});

Deno.test("hideSecrets() hides secrets of many megabytes, and what stands behind them", () => {
  for (const part of ["a", "\\a", "\\\\"]) {
    const secret = part.repeat(10_000_000);
    assert.equal(
      hideSecrets(`{"password": "${secret}", "pin": 1, "token": 2}`),
      '{"password": "[Filtered]", "pin": 1, "token": "[Filtered]"}',
    );
  }
  assert.equal(hideSecrets(`Bearer ${"a".repeat(20_000_000)} ends`), "Bearer [Filtered] ends");
});
