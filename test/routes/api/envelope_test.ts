import assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { deleteKey, updateKey } from "@/lib/accounts/keys.ts";
import { findProject } from "@/lib/accounts/projects.ts";
import { NO_PROJECT } from "@/lib/records/mod.ts";
import { apiApp } from "../../support/api_app.ts";
import { errorEnvelope } from "../../support/envelopes.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { storedPayloads } from "../../support/stored_payloads.ts";
import { authHeader, testIntake } from "../../support/test_intake.ts";
import { inTimeAsync } from "../../support/time_budget.ts";

const OTHER_KEY = "0123456789abcdef0123456789abcdef";

function lines(...parts: unknown[]): string {
  return parts.map((part) => typeof part === "string" ? part : JSON.stringify(part)).join("\n");
}

Deno.test("an envelope is stored before it is answered, with its event's id", async () => {
  await using intake = await testIntake();
  const { eventId, body } = errorEnvelope();
  const response = await intake.post(body);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual(await response.json(), { id: eventId });
  assert.deepEqual(await intake.storedIds(), [eventId]);
});

Deno.test("the same event sent again is stored once and answered alike", async () => {
  await using intake = await testIntake();
  const { eventId, body } = errorEnvelope();
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await (await intake.post(body)).json(), { id: eventId });
  }
  assert.deepEqual(await intake.storedIds(), [eventId]);
  await intake.outcomes({ accepted: 1, duplicate: 2 });
});

Deno.test("an envelope is taken in every encoding that SDKs use", async () => {
  await using intake = await testIntake();
  const encodings = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    "": (body: string) => body,
    "UTF-8": (body: string) => body,
  };
  const sent: string[] = [];
  for (const [encoding, encode] of Object.entries(encodings)) {
    const { eventId, body } = errorEnvelope();
    const response = await intake.post(encode(body), { "content-encoding": encoding });
    assert.equal(response.status, 200, encoding);
    sent.push(eventId);
  }
  assert.deepEqual((await intake.storedIds()).sort(), sent.sort());
});

Deno.test("the content type of an envelope does not matter", async () => {
  await using intake = await testIntake();
  const types = [
    "text/plain;charset=UTF-8",
    "application/x-sentry-envelope",
    "multipart/form-data",
  ];
  for (const type of [...types, "application/x-www-form-urlencoded", "application/json", "?"]) {
    const response = await intake.post(errorEnvelope().body, { "content-type": type });
    assert.equal(response.status, 200, type);
  }
});

Deno.test("the key may be in any of the places where SDKs put it", async () => {
  await using intake = await testIntake();
  const { serverKey: key, path } = intake;
  const { body } = errorEnvelope();
  const withDsn = body.replace("{", `{"dsn":"https://${key}@localhost/${intake.project.id}",`);
  const carriers: [path: string, headers: Record<string, string>, body: string][] = [
    [path, authHeader(key), body],
    [path, { authorization: `sentry sentry_version=7,sentry_key=${key}` }, body],
    [`${path}?sentry_key=${key}&sentry_version=7&sentry_client=a%2F1`, {}, body],
    [`${path}?sentry_key=${key}.no-cache`, {}, body],
    [path, {}, withDsn],
    [`${path}?sentry_key=${key}`, authHeader(key), withDsn],
    [path.slice(0, -1), authHeader(key), body],
  ];
  for (const [address, headers, text] of carriers) {
    const response = await intake.send(address, { method: "POST", headers, body: text });
    assert.equal(response.status, 200, JSON.stringify([address, headers]));
    await response.body?.cancel();
  }
});

Deno.test("a key in the envelope is found behind compression, too", async () => {
  await using intake = await testIntake();
  const { eventId, body } = errorEnvelope();
  const dsn = `https://${intake.serverKey}@localhost/${intake.project.id}`;
  const response = await intake.send(intake.path, {
    method: "POST",
    headers: { "content-encoding": "gzip" },
    body: new Uint8Array(gzipSync(body.replace("{", `{"dsn":"${dsn}",`))),
  });
  assert.deepEqual(await response.json(), { id: eventId });
});

Deno.test("a request without a usable key is refused with 401", async () => {
  await using intake = await testIntake();
  const { body } = errorEnvelope();
  const heads: Record<string, string>[] = [
    {},
    { "x-sentry-auth": "Sentry sentry_version=7" },
    { "x-sentry-auth": "" },
    { authorization: "Bearer abc" },
    authHeader("short"),
    authHeader(OTHER_KEY),
  ];
  for (const headers of heads) {
    const response = await intake.send(intake.path, { method: "POST", headers, body });
    const { detail } = await response.json();
    assert.equal(response.status, 401, JSON.stringify(headers));
    assert.equal(response.headers.get("x-sentry-error"), detail);
  }
  await intake.outcomes({ "refused/no_key": 4, "refused/unknown_key": 2 }, NO_PROJECT);
});

Deno.test("two different keys in one request are refused with 401", async () => {
  await using intake = await testIntake();
  const { body } = errorEnvelope();
  const twice = await intake.send(`${intake.path}?sentry_key=${OTHER_KEY}`, {
    method: "POST",
    headers: intake.auth,
    body,
  });
  assert.equal(twice.status, 401);
  const inBody = await intake.post(body.replace("{", `{"dsn":"https://${OTHER_KEY}@localhost/1",`));
  assert.equal(inBody.status, 401);
  assert.deepEqual(await intake.storedIds(), []);
});

Deno.test("a disabled key is refused from the next request on, and taken again once enabled", async () => {
  await using intake = await testIntake();
  const { services: { kv }, serverKey } = intake;
  const status = async () => (await intake.post(errorEnvelope().body)).status;
  assert.equal(await status(), 200);
  await updateKey(kv, serverKey, { isActive: false });
  assert.equal(await status(), 401);
  await updateKey(kv, serverKey, { isActive: true });
  assert.equal(await status(), 200);
  await deleteKey(kv, serverKey);
  assert.equal(await status(), 401);
  await intake.outcomes({ accepted: 2, "refused/disabled_key": 1, "refused/revoked_key": 1 });
});

Deno.test("a key of another project is refused with 403, in the same words for projects that do not exist", async () => {
  await using intake = await testIntake();
  const other = await makeWorld(intake.services.kv, "other");
  const answers = [];
  for (const projectId of [other.project.id, "999999"]) {
    const response = await intake.send(`/api/${projectId}/envelope/`, {
      method: "POST",
      headers: intake.auth,
      body: errorEnvelope().body,
    });
    answers.push({ status: response.status, ...await response.json() });
  }
  const expected = { status: 403, detail: "This key does not match the project in the address" };
  assert.deepEqual(answers, [expected, expected]);
  await intake.outcomes({ "refused/project_mismatch": 2 });
});

Deno.test("an address without a project number is refused with 400", async () => {
  await using intake = await testIntake();
  for (const project of ["abc", "1.5", "-1", "%00", "1'", "99999999999999999999"]) {
    const response = await intake.send(`/api/${project}/envelope/`, {
      method: "POST",
      headers: intake.auth,
      body: errorEnvelope().body,
    });
    assert.equal(response.status, 400, project);
  }
});

Deno.test("what is no envelope is refused with 400", async () => {
  await using intake = await testIntake();
  for (const body of ["", "\n\n", "hello", "[]", "null", "\u0000", "{", '{}\n{"length":3}']) {
    const response = await intake.post(body);
    assert.equal(response.status, 400, JSON.stringify(body));
  }
  await intake.outcomes({ "invalid/unreadable_envelope": 8 });
});

Deno.test("an envelope of a header alone is fine", async () => {
  await using intake = await testIntake();
  for (const body of ["{}", "{}\n", "{}\n\n\n"]) {
    assert.deepEqual(await (await intake.post(body)).json(), {});
  }
});

Deno.test("items that Watchpost has no place for are accepted and counted", async () => {
  await using intake = await testIntake();
  const body = lines(
    {},
    { type: "replay_event" },
    {},
    { type: "replay_event" },
    {},
    { type: "new" },
    "x",
  );
  const response = await intake.post(body);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {});
  await intake.outcomes({
    "unsupported/replay_event": 2,
    "unsupported/unknown_item_type": 1,
  });
});

Deno.test("a good event is kept beside items that cannot be read", async () => {
  await using intake = await testIntake();
  const { eventId, body } = errorEnvelope();
  const response = await intake.post(lines(body, { type: "event" }, "{broken", "no item header"));
  assert.deepEqual(await response.json(), { id: eventId });
  assert.deepEqual(await intake.storedIds(), [eventId]);
  await intake.outcomes({ accepted: 1, "invalid/invalid_json": 1, "invalid/broken_envelope": 1 });
});

Deno.test("a body larger than allowed is refused with 413 that names the limit", async () => {
  await using intake = await testIntake({ maxEventBytes: 2_000 });
  const { body } = errorEnvelope("x".repeat(2_000));
  for (const headers of [{ "content-length": String(body.length) }, {}]) {
    const response = await intake.post(body, headers as Record<string, string>);
    assert.equal(response.status, 413);
    assert.match((await response.json()).detail, /2000 bytes/);
  }
  await intake.outcomes({ "too_large/request_body": 2 });
});

Deno.test("an event that is too large once decompressed is refused with 413", async () => {
  await using intake = await testIntake({ maxEventBytes: 2_000 });
  const { body } = errorEnvelope("x".repeat(2_000));
  const response = await intake.post(gzipSync(body), { "content-encoding": "gzip" });
  assert.equal(response.status, 413);
  await intake.outcomes({ "too_large/event": 1 });
});

Deno.test("a compression bomb is refused with 413 within 100 ms", async () => {
  await using intake = await testIntake();
  const zeros = new Uint8Array(200_000_000);
  for (
    const [encoding, bomb] of Object.entries({
      gzip: gzipSync(zeros),
      zstd: zstdCompressSync(zeros),
    })
  ) {
    const post = () => intake.post(bomb, { "content-encoding": encoding });
    assert.equal((await inTimeAsync(100, post, encoding)).status, 413, encoding);
  }
});

Deno.test("requests over the rate are refused with 429 and what SDKs need to know", async () => {
  await using intake = await testIntake({ ingestRatePerSec: 1 });
  const responses = [];
  for (let i = 0; i < 4; i++) responses.push(await intake.post(errorEnvelope().body));
  const refused = responses.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 1, "the burst is two");
  for (const { headers } of refused) {
    assert.equal(headers.get("retry-after"), "1");
    assert.equal(headers.get("x-sentry-rate-limits"), "1::project:rate_limit");
    assert.equal(headers.get("access-control-allow-origin"), "*");
  }
  await intake.outcomes({
    accepted: 4 - refused.length,
    "rate_limited/project_rate": refused.length,
  });
});

Deno.test("every answer lets a browser SDK read it", async () => {
  await using intake = await testIntake({ maxEventBytes: 2_000 });
  const { body } = errorEnvelope();
  const post = (path: string, init: RequestInit = {}) =>
    intake.send(path, { method: "POST", headers: intake.auth, body, ...init });
  const answers: [status: number, response: Response][] = [
    [200, await post(intake.path)],
    [400, await post(intake.path, { body: "" })],
    [401, await post(intake.path, { headers: {} })],
    [403, await post("/api/77/envelope/")],
    [404, await post(`/api/${intake.project.id}/nothing/`)],
    [405, await post(intake.path, { method: "PUT" })],
    [413, await post(intake.path, { body: "x".repeat(3_000) })],
    [415, await post(intake.path, { headers: { ...intake.auth, "content-encoding": "lz4" } })],
  ];
  for (const [status, response] of answers) {
    assert.equal(response.status, status);
    assert.equal(response.headers.get("access-control-allow-origin"), "*", String(status));
    assert.equal(response.headers.get("access-control-allow-credentials"), null);
    assert.match(
      response.headers.get("access-control-expose-headers") ?? "",
      /x-sentry-rate-limits/,
    );
  }
});

Deno.test("a preflight is answered for every address below a project", async () => {
  await using intake = await testIntake();
  for (const path of [intake.path, intake.path.slice(0, -1), "/api/77/nothing/", "/api/x/store"]) {
    const { status, headers } = await intake.send(path, { method: "OPTIONS" });
    assert.equal(status, 204);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.match(headers.get("access-control-allow-methods") ?? "", /POST/);
    assert.match(
      headers.get("access-control-allow-headers") ?? "",
      /x-sentry-auth.*content-encoding/,
    );
    assert.equal(headers.get("access-control-max-age"), "3600");
  }
});

Deno.test("other methods are refused with 405 that names the right ones", async () => {
  await using intake = await testIntake();
  for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
    const response = await intake.send(intake.path, { method, headers: intake.auth });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "POST, OPTIONS");
  }
});

Deno.test("the first event of a project is noted, once", async () => {
  await using intake = await testIntake();
  const { kv } = intake.services;
  const firstEventAt = async () => (await findProject(kv, intake.project.id))?.firstEventAt;
  await intake.post("{}");
  assert.equal(await firstEventAt(), null);
  await intake.post(errorEnvelope().body);
  const noted = await firstEventAt();
  assert.ok(noted instanceof Date);
  await intake.post(errorEnvelope().body);
  assert.deepEqual(await firstEventAt(), noted);
});

Deno.test("secrets are gone before an event is stored", async () => {
  await using intake = await testIntake();
  const { body } = errorEnvelope("Cannot reach postgres://ann:hunter2@db/x");
  await intake.post(body.replace('"platform"', '"extra":{"password":"hunter2"},"platform"'));
  const { sql } = intake.services;
  const rows = await sql<{ rest: string }[]>`
    select concat(e.title, i.title, i.metadata::text) as rest
    from events e join issues i on i.project_id = e.project_id and i.id = e.issue_id
  `;
  const text = JSON.stringify(await storedPayloads(sql)) + rows[0]?.rest;
  assert.doesNotMatch(text, /hunter2/);
  assert.match(text, /\[Filtered\]/);
});

Deno.test("neither keys nor payloads are in the log", async () => {
  const written: string[] = [];
  const write = (message: string, fields?: unknown) =>
    void written.push(`${message} ${JSON.stringify(fields)}`);
  await using intake = await testIntake({}, { info: write, warn: write, error: write });
  const { body } = errorEnvelope("a-secret-message");
  await intake.post(body);
  await intake.post("a-secret-message");
  await intake.send(`${intake.path}?sentry_key=${OTHER_KEY}`, { method: "POST", body });
  assert.doesNotMatch(written.join("\n"), new RegExp(`${intake.serverKey}|${OTHER_KEY}|a-secret`));
});

Deno.test("while the control store is away requests are refused with 503 that a browser SDK can read", async () => {
  await using intake = await testIntake();
  const away = await Deno.openKv(":memory:");
  away.close();
  const send = apiApp({ ...intake.services, kv: away });
  const response = await send(intake.path, {
    method: "POST",
    headers: intake.auth,
    body: errorEnvelope().body,
  });
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "10");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
});

Deno.test("SDKs are told to send no more replays, and nothing else is limited by that", async () => {
  await using intake = await testIntake();
  const limitsOf = async (...items: unknown[]) => {
    const response = await intake.post(lines({}, ...items));
    await response.body?.cancel();
    return [response.status, response.headers.get("x-sentry-rate-limits")];
  };
  const replay = [{ type: "replay_event" }, {}, { type: "replay_recording", length: 2 }, "{}"];
  assert.deepEqual(await limitsOf(...replay), [200, "86400:replay:project:unsupported"]);
  assert.deepEqual(await limitsOf({ type: "session" }, { sid: crypto.randomUUID() }), [200, null]);
  assert.deepEqual(await limitsOf({ type: "form_data" }, {}), [200, null]);
  const { eventId, body } = errorEnvelope();
  const mixed = await intake.post(`${body}\n${lines(...replay)}`);
  assert.deepEqual(await mixed.json(), { id: eventId });
  assert.equal(mixed.headers.get("x-sentry-rate-limits"), "86400:replay:project:unsupported");
  assert.deepEqual(await intake.storedIds(), [eventId]);
});

Deno.test("what is whole of a request over the limit is stored, once, and the answer names it", async () => {
  await using intake = await testIntake({ maxEventBytes: 100_000 });
  const noise = Array.from({ length: 10_000 }, () => crypto.randomUUID()).join("");
  const file = `{"type":"attachment","filename":"a.bin","length":${noise.length}}\n${noise}`;
  const encodings = {
    gzip: gzipSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    "": (body: string) => body,
  };
  const sent: string[] = [];
  for (const [encoding, encode] of Object.entries(encodings)) {
    const { eventId, body } = errorEnvelope();
    sent.push(eventId);
    const large = `${body}\n${file}`;
    for (let i = 0; i < 2; i++) {
      const response = await intake.post(encode(large), { "content-encoding": encoding });
      const { detail } = await response.json();
      assert.equal(response.status, 413, encoding);
      assert.match(detail, /larger than 100000 bytes; .* taken \(error: 1\)$/, encoding);
      assert.equal(response.headers.get("x-sentry-error"), detail);
    }
  }
  assert.deepEqual((await intake.storedIds()).sort(), sent.sort());
  await intake.outcomes({ accepted: 4, duplicate: 4, "too_large/request_body": 8 });
});

Deno.test("what is whole of a request that unfolds too far is stored as well", async () => {
  await using intake = await testIntake();
  const { eventId, body } = errorEnvelope();
  const file = `{"type":"attachment","length":13000000}\n${"x".repeat(13_000_000)}`;
  const response = await intake.post(gzipSync(`${body}\n${file}`), { "content-encoding": "gzip" });
  assert.equal(response.status, 413);
  assert.match((await response.json()).detail, /decompressed .* 12000000 bytes; .* \(error: 1\)$/);
  assert.deepEqual(await intake.storedIds(), [eventId]);
});
