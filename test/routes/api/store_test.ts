import assert from "node:assert/strict";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { testIntake } from "../../support/test_intake.ts";

function event(): { eventId: string; text: string } {
  const eventId = crypto.randomUUID().replaceAll("-", "");
  return { eventId, text: JSON.stringify({ event_id: eventId, message: "Out of paper" }) };
}

const base64 = (bytes: Uint8Array) => bytes.toBase64();

Deno.test("an event at /store/ is taken in all the forms that old clients send", async () => {
  await using intake = await testIntake();
  const path = intake.path.replace("envelope", "store");
  const forms: Record<string, (text: string) => [body: string | Uint8Array, headers?: object]> = {
    "plain JSON": (text) => [text, { "content-type": "application/json" }],
    "blanks in front": (text) => [` \n${text}`],
    "gzip": (text) => [gzipSync(text), { "content-encoding": "gzip" }],
    "base64 of zlib": (text) => [base64(deflateSync(text)), { "content-type": "text/plain" }],
    "base64 of bare deflate": (text) => [base64(deflateRawSync(text))],
    "base64 of JSON": (text) => [base64(new TextEncoder().encode(text))],
    "form field with JSON": (text) => [`sentry_data=${encodeURIComponent(text)}`],
    "form field with base64 of zlib": (text) => [
      `sentry_data=${encodeURIComponent(base64(deflateSync(text)))}&x=1`,
    ],
  };
  const sent: string[] = [];
  for (const [name, encode] of Object.entries(forms)) {
    const { eventId, text } = event();
    const [body, headers = {}] = encode(text);
    const response = await intake.send(path, {
      method: "POST",
      headers: { ...intake.auth, ...headers },
      body: typeof body === "string" ? body : new Uint8Array(body),
    });
    assert.equal(response.status, 200, name);
    assert.deepEqual(await response.json(), { id: eventId }, name);
    sent.push(eventId);
  }
  assert.deepEqual((await intake.storedIds()).sort(), sent.sort());
});

Deno.test("an event at /api/store/ goes to the project of its key", async () => {
  await using intake = await testIntake();
  const { eventId, text } = event();
  for (const path of ["/api/store/", "/api/store"]) {
    const response = await intake.send(path, { method: "POST", headers: intake.auth, body: text });
    assert.deepEqual(await response.json(), { id: eventId });
  }
  assert.deepEqual(await intake.storedIds(), [eventId]);
});

Deno.test("an event in the query of GET /store/ is stored and answered with a pixel", async () => {
  await using intake = await testIntake();
  const { eventId, text } = event();
  const query = new URLSearchParams({ sentry_key: intake.browserKey, sentry_data: text });
  const response = await intake.send(`${intake.path.replace("envelope", "store")}?${query}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "image/gif");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.match(new TextDecoder().decode(await response.bytes()), /^GIF89a/);
  assert.deepEqual(await intake.storedIds(), [eventId]);
});

Deno.test("what is no event at /store/ is refused with 400", async () => {
  await using intake = await testIntake();
  const path = intake.path.replace("envelope", "store");
  for (const body of ["", "[]", "{broken", "hello", "sentry_data=", "sentry_data=%", "eJw="]) {
    const response = await intake.send(path, { method: "POST", headers: intake.auth, body });
    assert.equal(response.status, 400, JSON.stringify(body));
  }
  assert.deepEqual(await intake.storedIds(), []);
});

Deno.test("a bomb in base64 is refused at /store/", async () => {
  await using intake = await testIntake();
  const response = await intake.send(intake.path.replace("envelope", "store"), {
    method: "POST",
    headers: intake.auth,
    body: base64(deflateSync(new Uint8Array(100_000_000))),
  });
  assert.equal(response.status, 413);
});
