import assert from "node:assert/strict";
import { findProject, settingsOf } from "@/lib/accounts/projects.ts";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

async function settingsApp() {
  const app = await shop();
  const path = `/projects/${app.projectId}/settings`;
  const settings = async () => {
    const project = await findProject(app.services.kv, app.projectId);
    return settingsOf(project ?? assert.fail());
  };
  return { ...app, path, settings };
}

Deno.test("privacy settings are saved, and shown again", async () => {
  await using app = await settingsApp();
  const path = `${app.path}/privacy`;
  await app.owner.post(path, { extraFields: "customer_number\r\n\r\npin", safeFields: "csrf" });
  const { privacy } = await app.settings();
  assert.deepEqual(privacy, {
    scrubs: false,
    keepsAddresses: false,
    extraFields: ["customer_number", "pin"],
    safeFields: ["csrf"],
  });
  const { html } = await app.owner.get(path);
  assert.match(textOf(html), /Saved\./);
  assert.match(html, /customer_number\npin<\/textarea>/);
  await app.owner.post(path, { scrubs: "on", keepsAddresses: "on" });
  assert.equal((await app.settings()).privacy.scrubs, true);
});

Deno.test("inbound filters are saved, and a wrong address is told and changes nothing", async () => {
  await using app = await settingsApp();
  const path = `${app.path}/filters`;
  await app.owner.post(path, { crawlers: "on", messages: "*loop*", addresses: "10.0.0.0/8" });
  const { filters } = await app.settings();
  assert.deepEqual([filters.crawlers, filters.localhost, filters.messages, filters.addresses], [
    true,
    false,
    ["*loop*"],
    ["10.0.0.0/8"],
  ]);
  const refused = await app.owner.post(path, { addresses: "nonsense" });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /“nonsense” is not an address/);
  assert.deepEqual((await app.settings()).filters, filters);
});

Deno.test("the filters page says how much each filter dropped", async () => {
  await using app = await settingsApp();
  await app.services.writer.commit(app.projectId, {
    records: [],
    outcomes: [{ category: "error", kind: "filtered", reason: "crawlers", quantity: 7 }],
  });
  const { html } = await app.owner.get(`${app.path}/filters`);
  assert.match(textOf(html), /Crawlers.*7 items/);
});

Deno.test("fingerprint rules are checked, saved, and can be tried on an event", async () => {
  await using app = await settingsApp();
  const path = `${app.path}/grouping`;
  const refused = await app.owner.post(path, { rules: "type:* -> a\nno arrow" });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Line 2: Write matchers/);

  await app.owner.post(path, { rules: "message:*paper* -> printer, {{ level }}" });
  const payload = (message: string) =>
    JSON.stringify({ logentry: { formatted: message }, level: "error", platform: "node" });
  const event = { ...failure("x"), payload: payload("Out of paper") };
  const other = { ...failure("y"), payload: payload("Out of ink") };
  await app.store(event, other);
  const tryOn = async (id: string) => textOf((await app.owner.get(`${path}?event=${id}`)).html);
  assert.match(await tryOn(event.eventId), /Line 1 matches.*printer, error/);
  assert.match(await tryOn(other.eventId), /No rule matches/);
  assert.match(await tryOn("f".repeat(32)), /no such event/);
});

Deno.test("settings hold for the very next request", async () => {
  await using app = await settingsApp();
  const { listKeys } = await import("@/lib/accounts/keys.ts");
  const { apiApp } = await import("../../support/api_app.ts");
  const [key] = await listKeys(app.services.kv, app.projectId);
  const send = async (message: string) => {
    const response = await apiApp(app.services)(
      `/api/${app.projectId}/envelope/?sentry_key=${key?.publicKey}`,
      { method: "POST", body: `{}\n{"type":"event"}\n${JSON.stringify({ message })}` },
    );
    assert.equal(response.status, 200);
    await response.body?.cancel();
  };
  await send("first noise");
  await app.owner.post(`${app.path}/filters`, { messages: "*noise*" });
  await send("second noise");
  await app.owner.post(`${app.path}/filters`, {});
  await app.owner.post(`${app.path}/grouping`, { rules: "message:* -> all" });
  await send("one");
  await send("another thing");
  const rows = await app.services.sql`select title, times_seen::int from issues order by id`;
  assert.deepEqual([...rows], [
    { title: "first noise", times_seen: 1 },
    { title: "another thing", times_seen: 2 },
  ]);
});
