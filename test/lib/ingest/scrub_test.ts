import assert from "node:assert/strict";
import { Scrubber } from "@/lib/ingest/scrub.ts";
import { nameRules } from "@/lib/ingest/secrets.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";

const FILTERED = "[Filtered]";

function event(fields: Partial<NormalizedEvent>): NormalizedEvent {
  return {
    event_id: "9fac2ceed9344f2bbfdd1fdacb0ed9b1",
    type: "error",
    timestamp: 1767323045.678,
    received: 1767323046,
    platform: "node",
    level: "error",
    ...fields,
  };
}

function scrubbed(fields: Partial<NormalizedEvent>): NormalizedEvent {
  const made = event(fields);
  new Scrubber().scrubEvent(made);
  delete made._scrubbed;
  return made;
}

Deno.test("scrubEvent() hides secret headers and query parameters, and every cookie", () => {
  const { request } = scrubbed({
    request: {
      url: "https://ann:hunter2@example.com/login",
      method: "POST",
      headers: [["Authorization", "Bearer abc"], ["Accept", "*/*"], ["X-Api-Key", "k"]],
      query_string: [["page", "2"], ["token", "abc"]],
      cookies: [["theme", "dark"], ["sid", "abc"]],
      env: { REMOTE_ADDR: "10.0.0.1", DB_PASSWORD: "hunter2" },
      data: { user: "ann", password: "hunter2" },
    },
  });
  assert.deepEqual(request, {
    url: `https://ann:${FILTERED}@example.com/login`,
    method: "POST",
    headers: [["Authorization", FILTERED], ["Accept", "*/*"], ["X-Api-Key", FILTERED]],
    query_string: [["page", "2"], ["token", FILTERED]],
    cookies: [["theme", FILTERED], ["sid", FILTERED]],
    env: { REMOTE_ADDR: "10.0.0.1", DB_PASSWORD: FILTERED },
    data: { user: "ann", password: FILTERED },
  });
});

Deno.test("scrubEvent() hides secrets in a request body that stayed text", () => {
  const { request } = scrubbed({ request: { data: "user=ann&password=hunter2" } });
  assert.equal(request?.data, `user=ann&password=${FILTERED}`);
});

Deno.test("scrubEvent() hides secret variables of frames and leaves their code alone", () => {
  const frame = {
    function: "login",
    context_line: "login(password='example')",
    pre_context: ["password = 'example'"],
    vars: { user: "ann", password: "hunter2", rows: [{ card: "4111 1111 1111 1111" }] },
  };
  const { exception, threads } = scrubbed({
    exception: { values: [{ type: "E", stacktrace: { frames: [structuredClone(frame)] } }] },
    threads: { values: [{ id: "1", raw_stacktrace: { frames: [structuredClone(frame)] } }] },
  });
  const expected = {
    ...frame,
    vars: { user: "ann", password: FILTERED, rows: [{ card: FILTERED }] },
  };
  assert.deepEqual(exception?.values[0]?.stacktrace?.frames, [expected]);
  assert.deepEqual(threads?.values[0]?.raw_stacktrace?.frames, [expected]);
});

Deno.test("scrubEvent() hides secrets in messages, breadcrumbs, tags, extra and contexts", () => {
  const made = scrubbed({
    logentry: { message: "paid with %s", params: ["4111111111111111"] },
    exception: { values: [{ type: "E", value: "Cannot open postgres://a:b@db/x" }] },
    breadcrumbs: {
      values: [{ type: "http", level: "info", data: { url: "/a?api_key=1", method: "GET" } }],
    },
    tags: [["csrf_token", "abc"], ["route", "/a"]],
    extra: { nested: { deep: [{ secret: "x" }] } },
    contexts: { session: { name: "kept", id: "kept", auth: "hidden" } },
    transaction: "/reset?token=abc",
  });
  assert.deepEqual(made.logentry, { message: "paid with %s", params: [FILTERED] });
  assert.equal(made.exception?.values[0]?.value, `Cannot open postgres://a:${FILTERED}@db/x`);
  assert.deepEqual(made.breadcrumbs?.values[0]?.data, {
    url: `/a?api_key=${FILTERED}`,
    method: "GET",
  });
  assert.deepEqual(made.tags, [["csrf_token", FILTERED], ["route", "/a"]]);
  assert.deepEqual(made.extra, { nested: { deep: [{ secret: FILTERED }] } });
  assert.deepEqual(made.contexts, { session: { name: "kept", id: "kept", auth: FILTERED } });
  assert.equal(made.transaction, `/reset?token=${FILTERED}`);
});

Deno.test("scrubEvent() hides everything inside a secret, and keeps its shape", () => {
  const { extra } = scrubbed({
    extra: { credentials: { user: "ann", pin: 1234, list: ["a", ""], set: true, none: null } },
  });
  assert.deepEqual(extra, {
    credentials: { user: FILTERED, pin: FILTERED, list: [FILTERED, ""], set: true, none: null },
  });
});

Deno.test("scrubEvent() looks into fields that nobody declared", () => {
  const made = scrubbed({ custom: { password: "hunter2" } } as Partial<NormalizedEvent>);
  assert.deepEqual(Reflect.get(made, "custom"), { password: FILTERED });
});

Deno.test("scrubEvent() leaves identifiers, versions and the fingerprint as they are", () => {
  const untouched = {
    fingerprint: ["token=abc"],
    modules: { "secret-lib": "1.0" },
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
    release: "4111111111111111",
    debug_meta: { images: [{ code_file: "a?token=1" }] },
  };
  assert.deepEqual(scrubbed(structuredClone(untouched)), event(untouched));
});

Deno.test("scrubEvent() notes how much it hid, and where", () => {
  const made = event({
    request: { headers: [["Authorization", "Bearer abc"]], cookies: [["sid", "abc"]] },
    extra: { password: "hunter2", nested: { password: "again" } },
  });
  new Scrubber().scrubEvent(made);
  assert.deepEqual(made._scrubbed, {
    count: 4,
    fields: ["request · Authorization", "request · sid", "extra · password"],
  });
});

Deno.test("a project's own names are secrets, and its safe names are not", () => {
  const scrubber = new Scrubber(nameRules(["Customer-Number"], ["csrf_token"]));
  const made = event({
    extra: { customerNumber: 7, csrfToken: "shown", password: "x" },
    logentry: { formatted: "customer_number=7&csrf_token=shown" },
  });
  scrubber.scrubEvent(made);
  assert.deepEqual(made.extra, {
    customerNumber: FILTERED,
    csrfToken: "shown",
    password: FILTERED,
  });
  assert.equal(made.logentry?.formatted, `customer_number=${FILTERED}&csrf_token=shown`);
});

Deno.test("scrubEvent() bears a key called __proto__", () => {
  const extra = JSON.parse('{"__proto__": {"password": "hunter2"}, "constructor": "x"}');
  const made = scrubbed({ extra });
  assert.equal(
    JSON.stringify(made.extra),
    `{"__proto__":{"password":"${FILTERED}"},"constructor":"x"}`,
  );
  assert.equal(Reflect.get({}, "password"), undefined);
});
