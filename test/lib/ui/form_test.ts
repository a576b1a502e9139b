import assert from "node:assert/strict";
import fc from "fast-check";
import { HttpError } from "fresh";
import { z } from "zod";
import { Denied, InvalidInput } from "@/lib/core/errors.ts";
import {
  actionOf,
  attempt,
  checkboxField,
  checkForm,
  fieldOf,
  localPath,
  readForm,
  textField,
} from "@/lib/ui/form.ts";

function post(body: BodyInit, type = "application/x-www-form-urlencoded"): Request {
  return new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-type": type },
  });
}

Deno.test("readForm() reads fields, and fieldOf() trims them", async () => {
  const form = await readForm(post("name=+caf%C3%A9+&scopes=a&scopes=b"));
  assert.equal(fieldOf(form, "name"), "café");
  assert.deepEqual(form.getAll("scopes"), ["a", "b"]);
  assert.equal(fieldOf(form, "missing"), "");
});

Deno.test("readForm() refuses other content types and large bodies", async () => {
  const statusOf = (request: Request) =>
    readForm(request).then(() => 200, (error: HttpError) => error.status);
  assert.equal(await statusOf(post("{}", "application/json")), 415);
  assert.equal(await statusOf(post(`a=${"x".repeat(65_000)}`)), 200);
  assert.equal(await statusOf(post(`a=${"x".repeat(66_000)}`)), 413);
});

Deno.test("readForm() refuses a form that does not arrive within 30 s with 408", async () => {
  const { setTimeout } = globalThis;
  const now = performance.now.bind(performance);
  const waits: unknown[] = [];
  let passedMs = 0;
  // Time passes by timers alone.
  performance.now = () => passedMs;
  globalThis.setTimeout = Object.assign((run: () => void, ms = 0) => {
    waits.push(ms);
    return setTimeout(() => {
      passedMs += ms;
      run();
    }, 0);
  }, setTimeout);
  try {
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    await assert.rejects(readForm(post(silent)), { status: 408 });
    assert.deepEqual(waits, [30_000]);
  } finally {
    globalThis.setTimeout = setTimeout;
    performance.now = now;
  }
});

const Rule = z.object({
  name: textField.refine((name) => name !== "", { error: "Enter a name." }),
  count: textField.transform(Number).refine(Number.isInteger, { error: "Enter a whole number." }),
  isOn: checkboxField,
});

Deno.test("checkForm() reads what its schema names: trimmed text and checkboxes", () => {
  const check = (text: string) => checkForm(new URLSearchParams(text), Rule);
  assert.deepEqual(check("name=+a+&name=b&count=3&isOn=on&other=1"), {
    name: "a",
    count: 3,
    isOn: true,
  });
  assert.deepEqual(check("name=a"), { name: "a", count: 0, isOn: false });
});

Deno.test("checkForm() refuses with the first error, in the order of the schema's fields", () => {
  const refused = (text: string, field: string, message: string) =>
    assert.throws(
      () => checkForm(new URLSearchParams(text), Rule),
      new InvalidInput(field, message),
    );
  refused("count=x", "name", "Enter a name.");
  refused("name=a&count=x", "count", "Enter a whole number.");
});

Deno.test("attempt() turns refusals into errors beside their fields and lets bugs through", async () => {
  const run = (error: Error) => attempt(() => Promise.reject(error));
  assert.deepEqual(await attempt(() => Promise.resolve(7)), { ok: true, value: 7 });
  assert.deepEqual(await run(new InvalidInput("name", "Enter a name.")), {
    ok: false,
    errors: { name: "Enter a name." },
    status: 422,
  });
  assert.deepEqual(await run(new Denied(403, "Only owners can.")), {
    ok: false,
    errors: { "": "Only owners can." },
    status: 403,
  });
  await assert.rejects(run(new Denied(404, "There is none.")), Denied);
  await assert.rejects(run(new TypeError("bug")), TypeError);
});

Deno.test("localPath() keeps paths of this service and refuses everything else", () => {
  const f = (text: string | null, path: string) => assert.equal(localPath(text, "/home"), path);
  f("/projects/1?a=b#c", "/projects/1?a=b#c");
  f(null, "/home");
  f("", "/home");
  f("https://evil.example/", "/home");
  f("//evil.example/", "/home");
  f("/\\evil.example/", "/home");
  f("/\t/evil.example/", "/home");
  f("/.//evil.example/", "/home");
  f("javascript:alert(1)", "/home");
});

Deno.test("localPath() never leads to another host", () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(..."/\\.:@\t\n e%?#") }), (text) => {
    const path = localPath(text, "/home");
    assert.equal(new URL(path, "http://localhost:8000").host, "localhost:8000");
  }));
});

Deno.test("actionOf() finds what a form asks for, and nothing that every object has", () => {
  const actions = { mute: 1, delete: 2 };
  assert.equal(actionOf(actions, new URLSearchParams("action=delete")), 2);
  for (const form of ["", "action=", "action=toString", "action=__proto__", "action=Mute"]) {
    assert.throws(() => actionOf(actions, new URLSearchParams(form)), { status: 400 }, form);
  }
});
