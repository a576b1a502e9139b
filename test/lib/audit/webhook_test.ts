import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { startAuditWebhooks } from "@/lib/audit/mod.ts";
import { findAuditWebhook, removeAuditWebhook, setAuditWebhook } from "@/lib/audit/webhook.ts";
import { readConfig } from "@/lib/core/config.ts";
import { insertAudit } from "@/lib/store/audit.ts";
import { testDatabase } from "../../support/database.ts";
import { testKv } from "../../support/stores.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { webhookReceiver } from "../../support/webhook_receiver.ts";

const ACME = { id: "1" };

function entry(label: string, organizationId = ACME.id) {
  return {
    event: "project.edit",
    organizationId,
    target: { kind: "project", id: "7", label },
  };
}

async function world(allowPrivateWebhooks = true) {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { sql } = opened.use(await testDatabase());
  const receiver = opened.use(webhookReceiver());
  const stores = { kv, sql, config: { ...readConfig({}), allowPrivateWebhooks } };
  const clock = startAuditWebhooks({ ...stores, log: silentLogger, everyMs: null });
  opened.defer(() => clock.close());
  const moved = opened.move();
  const labels = () =>
    receiver.received.map(({ text }) =>
      JSON.parse(text).entries.map(({ target }: { target: { label: string } }) => target.label)
    );
  return {
    stores,
    sql,
    receiver,
    clock,
    labels,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test("an organization's webhook is sent its entries in order, signed, and those of no other", async () => {
  await using w = await world();
  await insertAudit(w.sql, entry("before the webhook"));
  const secret = await setAuditWebhook(w.stores, ACME, `${w.receiver.origin}/audit`);
  for (const label of ["one", "two"]) await insertAudit(w.sql, entry(label));
  await insertAudit(w.sql, entry("of another organization", "2"));

  await w.clock.run();

  // Ports are used again: others may still send to the server that had this one before.
  const [first, ...others] = w.receiver.received.filter(({ path }) => path === "/audit");
  assert.deepEqual(others.map(({ text }) => text), []);
  assert.ok(first);
  const { version, entries } = JSON.parse(first.text);
  assert.equal(version, 1);
  // The first is that of the webhook itself.
  assert.deepEqual(entries.map(({ event }: { event: string }) => event), [
    "audit-webhook.edit",
    "project.edit",
    "project.edit",
  ]);
  const labels = entries.map(({ target }: { target: { label: string } }) => target.label);
  assert.deepEqual(labels.slice(1), ["one", "two"]);
  const [, seconds, digest] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(first.headers.get("x-watchpost-signature") ?? "") ?? [];
  assert.equal(
    digest,
    createHmac("sha256", secret).update(`${seconds}.${first.text}`).digest("hex"),
  );
  assert.equal((await findAuditWebhook(w.sql, "1"))?.waiting, 0);
});

Deno.test("entries that a webhook did not take wait, and come before the next ones", async () => {
  await using w = await world();
  await setAuditWebhook(w.stores, ACME, w.receiver.origin);
  await w.clock.run();
  await insertAudit(w.sql, entry("one"));
  w.receiver.answerWith(() => new Response("", { status: 503 }));

  await w.clock.run();

  const failing = await findAuditWebhook(w.sql, "1");
  assert.equal(failing?.lastError, "The address answered with status 503.");
  assert.equal(failing.waiting, 1);

  const asked = w.receiver.received.length;
  await w.clock.run();
  assert.equal(w.receiver.received.length, asked, "it waits before it tries again");

  await insertAudit(w.sql, entry("two"));
  w.receiver.answerWith(() => new Response("ok"));
  await w.sql`update audit_webhooks set due_at = now()`;
  await w.clock.run();

  assert.deepEqual(w.labels().at(-1), ["one", "two"]);
  const { lastError, waiting } = await findAuditWebhook(w.sql, "1") ?? {};
  assert.deepEqual({ lastError, waiting }, { lastError: "", waiting: 0 });
});

Deno.test("hundreds of entries go in requests of a hundred", async () => {
  await using w = await world();
  await setAuditWebhook(w.stores, ACME, w.receiver.origin);
  await w.clock.run();
  for (let i = 0; i < 230; i++) await insertAudit(w.sql, entry(`project ${i}`));

  await w.clock.run();

  assert.deepEqual(w.labels().slice(1).map((each) => each.length), [100, 100, 30]);
});

Deno.test("a webhook leads into no private network, whatever its name says", async () => {
  await using w = await world(false);
  for (
    const url of [
      "http://127.0.0.1:9/",
      "http://localhost/",
      "http://[::1]/",
      "file:///etc/passwd",
      "x",
    ]
  ) {
    await assert.rejects(setAuditWebhook(w.stores, ACME, url), { name: "InvalidInput" }, url);
  }
  await setAuditWebhook(w.stores, ACME, "https://siem.example.com/hook");
  const resolved = startAuditWebhooks({
    ...w.stores,
    log: silentLogger,
    everyMs: null,
    resolver: () => Promise.resolve(["10.0.0.1"]),
  });
  await resolved.run();
  await resolved.close();
  assert.match((await findAuditWebhook(w.sql, "1"))?.lastError ?? "", /private or reserved/);
});

Deno.test("a webhook that is removed is sent nothing more, and the log tells of it", async () => {
  await using w = await world();
  await setAuditWebhook(w.stores, ACME, w.receiver.origin);
  await insertAudit(w.sql, entry("one"));

  await removeAuditWebhook(w.stores, ACME);
  await w.clock.run();

  assert.deepEqual(w.receiver.received, []);
  const events = await w.sql`select event from audit_entries order by id`;
  assert.deepEqual(events.map(({ event }) => event), [
    "audit-webhook.edit",
    "project.edit",
    "audit-webhook.remove",
  ]);
});
