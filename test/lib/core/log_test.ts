import assert from "node:assert/strict";
import { createLogger } from "@/lib/core/log.ts";

function capture(format: "text" | "json") {
  const lines: string[] = [];
  return { lines, log: createLogger(format, (line) => lines.push(line)) };
}

function jsonFields(fields: Record<string, unknown>): Record<string, unknown> {
  const { lines, log } = capture("json");
  log.info("message", fields);
  const { time: _time, level: _level, message: _message, ...rest } = JSON.parse(lines[0] ?? "");
  return rest;
}

Deno.test("a JSON line holds time, level, message and the fields", () => {
  const { lines, log } = capture("json");
  log.warn("slow request", { path: "/projects", durationMs: 12.5, count: 10n, none: undefined });

  assert.equal(lines.length, 1);
  const { time, ...rest } = JSON.parse(lines[0] ?? "");
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 5_000);
  assert.deepEqual(rest, {
    level: "warn",
    message: "slow request",
    path: "/projects",
    durationMs: 12.5,
    count: "10",
  });
});

Deno.test("fields of every line stand before its own", () => {
  const lines: string[] = [];
  const log = createLogger("text", (line) => lines.push(line), { isolate: 2 });
  log.info("request", { status: 200 });
  assert.match(lines[0] ?? "", /Z info {2}request isolate=2 status=200$/);
});

Deno.test("a text line is one line, with words bare and everything else quoted", () => {
  const { lines, log } = capture("text");
  log.error("two\nlines", {
    path: "/a",
    text: 'with "quotes"\nand more',
    list: [1, 2],
    none: null,
  });

  assert.match(
    lines.join("\n"),
    /^\d{4}-\d\d-\d\dT[\d:.]+Z error two lines path=\/a text="with \\"quotes\\"\\nand more" list=\[1,2\] none=null$/,
  );
});

Deno.test("fields that sound like secrets are masked, however deep", () => {
  assert.deepEqual(
    jsonFields({
      password: "x",
      newPassword: "x",
      accessToken: "x",
      Authorization: "Bearer x",
      cookie: "x",
      clientSecret: "x",
      publicKey: "x",
      dsn: "https://x@host/1",
      token: null,
      headers: [{ "set-cookie": "x", accept: "text/html" }],
    }),
    {
      password: "***",
      newPassword: "***",
      accessToken: "***",
      Authorization: "***",
      cookie: "***",
      clientSecret: "***",
      publicKey: "***",
      dsn: "***",
      token: null,
      headers: [{ "set-cookie": "***", accept: "text/html" }],
    },
  );
});

Deno.test("user and password of an address are masked in fields, messages and errors", () => {
  const { lines, log } = capture("text");
  log.error("cannot reach postgres://walter:secret@db/x", {
    url: "https://key@host/1",
    error: new Error("connect postgres://walter:secret@db"),
  });

  assert.doesNotMatch(lines.join(), /walter|secret|key@/);
  assert.match(lines.join(), /cannot reach postgres:\/\/\*\*\*@db\/x url=https:\/\/\*\*\*@host\/1/);
});

Deno.test("an ingest key in an address is cut to the eight characters that the pages show", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const { lines, log } = capture("text");
  log.info("request", { path: `/base/api/7/cron/nightly/${key}/` });
  log.info("request", { path: `/api/7/cron/nightly/%30${key.slice(1)}` });
  log.info("request", { path: `/js/${key}.js` });
  log.error(`cannot take /api/7/cron/nightly/${key}?status=ok`, {
    error: new Error(`http://host/api/7/store/?sentry_key=${key}&sentry_version=7`),
  });
  log.info("request", { path: `/api/0/projects/acme/shop/events/${key}/` });
  log.info("request", { path: `/api/0/projects/acme/shop/keys/${key}/` });
  log.info("request", { path: `/api/0/projects/acme/shop/keys/%30${key.slice(1)}/` });
  assert.deepEqual(lines.map((line) => line.replace(/^\S+ \w+ +/, "")), [
    "request path=/base/api/7/cron/nightly/01234567…/",
    "request path=/api/7/cron/nightly/%3012345…",
    "request path=/js/01234567….js",
    "cannot take /api/7/cron/nightly/01234567…?status=ok " +
    'error={"name":"Error","message":"http://host/api/7/store/?sentry_key=01234567…&sentry_version=7"}',
    `request path=/api/0/projects/acme/shop/events/${key}/`,
    "request path=/api/0/projects/acme/shop/keys/01234567…/",
    "request path=/api/0/projects/acme/shop/keys/%3012345…/",
  ]);
});

Deno.test("an error is told by name, message, code and cause, not by what else hangs on it", () => {
  const error = Object.assign(
    new Error("duplicate key"),
    { name: "PostgresError", code: "23505", query: "insert", parameters: ["payload of a user"] },
  );
  assert.deepEqual(jsonFields({ error: new Error("Cannot write", { cause: error }) }), {
    error: {
      name: "Error",
      message: "Cannot write",
      cause: { name: "PostgresError", message: "duplicate key", code: "23505" },
    },
  });
});

Deno.test("long texts and deep or circular objects are cut", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const { text, circle: cut } = jsonFields({ text: "x".repeat(10_000), circle });

  assert.equal(String(text).length, 2_001);
  assert.deepEqual(cut, { self: { self: { self: { self: "…" } } } });
});
