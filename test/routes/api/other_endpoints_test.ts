import assert from "node:assert/strict";
import { testIntake } from "../../support/test_intake.ts";

const CSP = JSON.stringify({
  "csp-report": {
    "document-uri": "https://shop.example.com/cart",
    "effective-directive": "script-src",
    "blocked-uri": "https://evil.example.net/x.js",
  },
});

Deno.test("browsers' policy reports become issues, one for a directive and host", async () => {
  await using intake = await testIntake();
  const { send, services, project, browserKey } = intake;
  for (const name of ["security/", "security", "csp-report/"]) {
    const query = `sentry_key=${browserKey}&sentry_release=web@2&sentry_environment=production`;
    const response = await send(`/api/${project.id}/${name}?${query}`, {
      method: "POST",
      headers: { "content-type": "application/csp-report", "user-agent": "Mozilla/5.0" },
      body: CSP,
    });
    assert.equal(response.status, 200, name);
    assert.equal(await response.text(), "");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
  }
  const issues = await services.sql`select title, times_seen::int, last_release from issues`;
  assert.deepEqual([...issues], [{
    title: "Blocked 'script' from 'evil.example.net'",
    times_seen: 3,
    last_release: "web@2",
  }]);
});

Deno.test("what is no report is refused with 400 and counted", async () => {
  await using intake = await testIntake();
  const { send, project, browserKey } = intake;
  for (const body of ["", "{}", "[]", "nonsense"]) {
    const response = await send(`/api/${project.id}/security/?sentry_key=${browserKey}`, {
      method: "POST",
      body,
    });
    assert.equal(response.status, 400, body);
    await response.body?.cancel();
  }
  await intake.outcomes({ "invalid/no_security_report": 2, "invalid/invalid_json": 2 });
});

Deno.test("network error reports are stored as logs", async () => {
  await using intake = await testIntake();
  const { send, services, project, browserKey } = intake;
  const body = JSON.stringify([{
    type: "network-error",
    url: "https://shop.example.com/",
    body: { type: "dns.name_not_resolved" },
  }]);
  const path = `/api/${project.id}/nel/?sentry_key=${browserKey}`;
  const response = await send(path, { method: "POST", body });
  assert.equal(response.status, 200);
  await response.body?.cancel();
  const [log] = await services.sql`select body, level from logs`;
  assert.deepEqual({ ...log }, {
    body: "dns.name_not_resolved https://shop.example.com/",
    level: "error",
  });
});

Deno.test("a crontab's check-ins come by GET and POST, with the key in the path or the query", async () => {
  await using intake = await testIntake();
  const { send, services, project, serverKey } = intake;
  const base = `/api/${project.id}/cron/nightly%20report`;
  const id = "0123456789abcdef0123456789abcdef";
  const begin = await send(`${base}/${serverKey}?status=in_progress&check_in_id=${id}`);
  assert.equal(begin.status, 202);
  const end = await send(`${base}/${serverKey}/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ status: "ok", check_in_id: id, duration: 3 }),
  });
  assert.equal(end.status, 202);
  const other = await send(`${base}?status=error&sentry_key=${serverKey}`, { method: "POST" });
  assert.equal(other.status, 202);
  const rows = await services.sql`
    select monitor_slug as slug, status, duration_sec as duration from check_ins order by status
  `;
  assert.deepEqual([...rows], [
    { slug: "nightly-report", status: "error", duration: null },
    { slug: "nightly-report", status: "ok", duration: 3 },
  ]);
  const unknown = await send(`${base}/${"f".repeat(32)}?status=ok`);
  assert.equal(unknown.status, 401);
  await unknown.body?.cancel();
});

Deno.test("crash dumps are taken and counted as unsupported", async () => {
  await using intake = await testIntake();
  const { send, project, serverKey, auth } = intake;
  const dump = { method: "POST", body: "MDMP…", headers: auth };
  const minidump = await send(`/api/${project.id}/minidump`, dump);
  assert.equal(minidump.status, 200);
  assert.match(await minidump.text(), /^[0-9a-f]{8}-/);
  const unreal = await send(`/api/${project.id}/unreal/${serverKey}/`, {
    method: "POST",
    body: "x",
  });
  assert.equal(unreal.status, 200);
  await unreal.body?.cancel();
  await intake.outcomes({ "unsupported/minidump": 1, "unsupported/unreal_report": 1 });
});

Deno.test("an envelope with every kind of item is stored whole", async () => {
  await using intake = await testIntake();
  const now = Date.now() / 1000;
  const trace = { trace_id: "5f2a1c3d4e5f60718293a4b5c6d7e8f9", span_id: "00f067aa0ba902b7" };
  const items: [Record<string, unknown>, unknown][] = [
    [{ type: "event" }, { message: "x" }],
    [{ type: "transaction" }, {
      type: "transaction",
      transaction: "GET /",
      start_timestamp: now - 1,
      timestamp: now,
      contexts: { trace },
      spans: [{ span_id: "b7ad6b7169203331", start_timestamp: now - 1, timestamp: now }],
    }],
    [{ type: "attachment", length: 5, filename: "a.txt" }, "hello"],
    [{ type: "session" }, { sid: crypto.randomUUID(), started: now, attrs: { release: "a@1" } }],
    [{ type: "check_in" }, { monitor_slug: "job", status: "ok" }],
    [{ type: "log", item_count: 1 }, { items: [{ timestamp: now, body: "x" }] }],
    [{ type: "trace_metric", item_count: 1 }, {
      items: [{ timestamp: now, name: "n", type: "counter", value: 1 }],
    }],
    [{ type: "user_report" }, { comments: "It broke" }],
    [{ type: "client_report" }, {
      discarded_events: [{ reason: "sample_rate", category: "error", quantity: 3 }],
    }],
  ];
  const id = "0123456789abcdef0123456789abcdef";
  const lines = [JSON.stringify({ event_id: id })];
  for (const [header, payload] of items) {
    lines.push(JSON.stringify(header));
    lines.push(typeof payload === "string" ? payload : JSON.stringify(payload));
  }
  const response = await intake.post(lines.join("\n"), { "content-type": "text/plain" });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { id });
  await intake.outcomes({ "accepted": 10, "client_discard/sample_rate": 3 });
  const { sql, objects } = intake.services;
  const [attachment] = await sql<{ key: string; event: string }[]>`
    select blob_key as key, replace(event_id::text, '-', '') as event from attachments
  `;
  assert.equal(attachment?.event, id);
  const bytes = await objects.get(attachment?.key ?? "");
  assert.equal(new TextDecoder().decode(bytes ?? new Uint8Array()), "hello");
});
