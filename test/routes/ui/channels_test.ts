import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { listChannels } from "@/lib/alerts/channels/channels.ts";
import { addOutline } from "@/lib/alerts/channels/settings.ts";
import { createRule } from "@/lib/alerts/rules.ts";
import { alertInput } from "../../support/alert_input.ts";
import { enqueueNotice } from "@/lib/alerts/deliveries/queue.ts";
import { notice } from "../../support/notices.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";
import { waitFor } from "../../support/wait_for.ts";
import { webhookReceiver } from "../../support/webhook_receiver.ts";

interface ShopPages extends Acme {
  readonly projectId: string;
  /** `/projects/<id>/settings/channels` */
  readonly path: string;
}

async function shop(): Promise<ShopPages> {
  const app = await acme({ allowPrivateWebhooks: true });
  const organizationId = app.organization.id;
  const { kv } = app.services;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  return { ...app, projectId: id, path: `/projects/${id}/settings/channels` };
}

/** Fills the form of a new channel in and returns where it leads. */
async function create(app: ShopPages, type: string, fields: Record<string, string>) {
  const answer = await app.owner.post(`${app.path}/new?type=${type}`, fields);
  assert.equal(answer.status, 303, textOf(answer.html));
  return answer.location ?? "";
}

Deno.test("a project without channels says what they are for", async () => {
  await using app = await shop();
  const { html } = await app.owner.get(app.path);
  assert.match(textOf(html), /No channels/);
  assert.match(html, /channels\/new/);
});

Deno.test("each type of channel has a form that says where to find what it asks for", async () => {
  await using app = await shop();
  const { html } = await app.owner.get(`${app.path}/new`);
  for (
    const type of [
      "email",
      "owners",
      "slack",
      "teams",
      "discord",
      "telegram",
      "pagerduty",
      "webhook",
    ]
  ) {
    assert.match(html, new RegExp(`new\\?type=${type}"`));
    const form = await app.owner.get(`${app.path}/new?type=${type}`);
    assert.equal(form.status, 200);
    assert.match(textOf(form.html), /Create channel/);
  }
});

Deno.test("a channel is created, shown masked, changed without its secret, and deleted by name", async () => {
  await using app = await shop();
  const url = "https://hooks.slack.com/services/T0SECRET/B0SECRET/verysecret";
  const path = await create(app, "slack", { name: "On call", url });
  const { html } = await app.owner.get(path);
  assert.match(textOf(html), /hooks\.slack\.com\/…cret/);
  assert.doesNotMatch(html, /T0SECRET|verysecret/);

  const changed = await app.owner.post(path, { action: "update", name: "On call 2", url: "" });
  assert.equal(changed.status, 303, textOf(changed.html));
  const [channel] = await listChannels(app.services.sql, app.projectId);
  assert.equal(channel?.name, "On call 2");
  assert.equal(channel?.target, "hooks.slack.com/…cret");
  assert.equal(channel?.updatedBy, "olga@example.com");

  const kept = await app.owner.post(path, { action: "delete", confirm: "On call" });
  assert.equal(kept.status, 422);
  assert.match(textOf(kept.html), /This is not the name/);
  const gone = await app.owner.post(path, { action: "delete", confirm: "On call 2" });
  assert.equal(gone.location, app.path);
  assert.equal((await app.owner.get(path)).status, 404);
});

Deno.test("wrong input is said beside the field, and what was entered stays", async () => {
  await using app = await shop();
  const refused = async (type: string, fields: Record<string, string>, words: RegExp) => {
    const answer = await app.owner.post(`${app.path}/new?type=${type}`, fields);
    assert.equal(answer.status, 422);
    assert.match(textOf(answer.html), words);
    assert.equal(answer.html.includes(fields.name ?? ""), true);
  };
  await refused(
    "email",
    { name: "Mail", addresses: "ann@example.com, nobody" },
    /“nobody” is no email/,
  );
  await refused("slack", { name: "Chat", url: "ftp://example.com" }, /starts with https:\/\//);
  await refused("slack", { name: "Chat", url: "https://me:secret@example.com/" }, /user name/);
  await refused("telegram", { name: "Bot", token: "x", chatId: "1" }, /bot's token/);
  await refused(
    "telegram",
    { name: "Bot", token: `1234:${"a".repeat(30)}`, chatId: "?" },
    /number/,
  );
  await refused("pagerduty", { name: "Pager", routingKey: "short" }, /integration key/);
  const unknown = await app.owner.post(`${app.path}/new?type=fax`, { name: "Fax" });
  assert.equal(unknown.status, 400);
});

Deno.test("addresses of private networks are refused where the operator has not allowed them", async () => {
  await using app = await acme();
  const organizationId = app.organization.id;
  const { kv } = app.services;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const path = `/projects/${id}/settings/channels/new?type=webhook`;
  for (const url of ["http://127.0.0.1:5432/", "http://169.254.169.254/", "http://[::1]/"]) {
    const answer = await app.owner.post(path, { name: "Inside", url });
    assert.equal(answer.status, 422, url);
    assert.match(textOf(answer.html), /private or reserved network/);
  }
});

Deno.test("a webhook's secret is shown once, and again only when a new one is made", async () => {
  await using app = await shop();
  const fields = { name: "Runbooks", url: "https://ops.example.com/watchpost" };
  const made = await app.owner.post(`${app.path}/new?type=webhook`, fields);
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const secret = /whsec_[\w-]+/.exec(made.html)?.[0];
  assert.notEqual(secret, undefined);
  const [channel] = await listChannels(app.services.sql, app.projectId);
  const path = `${app.path}/${channel?.channelId}`;
  assert.doesNotMatch((await app.owner.get(path)).html, /whsec_/);
  const renewed = await app.owner.post(path, { action: "renew" });
  assert.equal(renewed.status, 200);
  assert.notEqual(/whsec_[\w-]+/.exec(renewed.html)?.[0], secret);
});

Deno.test("a test is sent at once, and its outcome shown and listed", async () => {
  await using app = await shop();
  await using receiver = webhookReceiver();
  const path = await create(app, "slack", { name: "Chat", url: `${receiver.origin}/services/a` });
  const taken = await app.owner.post(path, { action: "test" });
  assert.equal(taken.location, path);
  assert.equal(receiver.received.length, 1);
  assert.match(textOf((await app.owner.get(path)).html), /The test was accepted: 200 ok/);

  receiver.answerWith(() => new Response("channel_is_archived", { status: 410 }));
  await app.owner.post(path, { action: "test" });
  const text = textOf((await app.owner.get(path)).html);
  assert.match(text, /The test was not accepted: 410 channel_is_archived/);
  assert.match(text, /Test: Notifications reach Chat.*failed.*410 channel_is_archived 1 attempt/);
});

Deno.test("tests count into the channel's messages of a minute", async () => {
  await using app = await shop();
  await using receiver = webhookReceiver();
  const path = await create(app, "slack", { name: "Chat", url: receiver.origin });
  for (let n = 0; n < 10; n++) await app.owner.post(path, { action: "test" });
  const refused = await app.owner.post(path, { action: "test" });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /at most 10 messages a minute/);
  assert.equal(receiver.received.length, 10);
});

Deno.test("a failed delivery is listed with the answer and can be sent again", async () => {
  await using app = await shop();
  await using receiver = webhookReceiver();
  receiver.answerWith(() => new Response("no_service", { status: 404 }));
  const path = await create(app, "slack", { name: "Chat", url: receiver.origin });
  const { sql } = app.services;
  const [channel] = await listChannels(sql, app.projectId);
  const { projectId } = app;
  await enqueueNotice(sql, notice({ projectId }), [channel?.channelId ?? ""]);
  // The services look at the queue by themselves.
  const failed = await waitFor("the failure", async () => {
    const { html } = await app.owner.get(path);
    return /404 no_service/.test(textOf(html)) ? html : null;
  });
  assert.match(textOf(failed), /Firing: p95 of GET \/cart is 1\.32 s/);
  receiver.answerWith(() => new Response("ok"));
  const delivery = /name="delivery" value="([^"]+)"/.exec(failed)?.[1] ?? "";
  await app.owner.post(path, { action: "resend", delivery });
  await waitFor("the second attempt", () => receiver.received[1]);
  assert.equal((await app.owner.post(path, { action: "resend", delivery: "nothing" })).status, 404);
});

Deno.test("channels of another project can be neither seen nor used", async () => {
  await using app = await shop();
  const path = await create(app, "email", { name: "Mail", addresses: "ann@example.com" });
  const { kv } = app.services;
  const { user, visitor } = await app.member("viewer");
  const elsewhere = await createOrganization(kv, { name: "Elsewhere", ownerId: user.id });
  const other = await createProject(kv, {
    organizationId: elsewhere.id,
    name: "Other",
    platform: "node",
  });
  const stolen = path.replace(`/projects/${app.projectId}/`, `/projects/${other.id}/`);
  assert.equal((await visitor.get(stolen)).status, 404);
  assert.equal((await visitor.post(stolen, { action: "test" })).status, 404);
  const list = await visitor.get(`/projects/${other.id}/settings/channels`);
  assert.match(textOf(list.html), /No channels/);
});

Deno.test("viewers see channels and deliveries, and no buttons", async () => {
  await using app = await shop();
  const path = await create(app, "email", { name: "Mail", addresses: "ann@example.com" });
  const { visitor } = await app.member("viewer");
  const { html } = await visitor.get(path);
  assert.match(textOf(html), /You can look at these settings, not change them/);
  assert.doesNotMatch(html, /Send test|Delete channel/);
});

Deno.test("a channel of an import says that it sends nothing, what notifies it, and asks for all of its settings", async () => {
  await using app = await shop();
  const { sql } = app.services;
  const outline = { type: "slack", name: "On call", target: "hooks.slack.com/…4bCd" } as const;
  await addOutline(app.services, app.projectId, outline, "olga@example.com");
  const [channel] = await listChannels(sql, app.projectId);
  assert.ok(channel);
  const rule = await createRule(
    sql,
    app.projectId,
    alertInput({ name: "Many errors", channelIds: [channel.channelId] }),
    "",
  );
  const path = `${app.path}/${channel.channelId}`;
  const { html } = await app.owner.get(path);
  assert.match(textOf(html), /Nothing goes out through this channel yet/);
  assert.match(textOf(html), /Led to hooks\.slack\.com\/…4bCd/);
  assert.match(html, new RegExp(`alerts/${rule.ruleId}"[^>]*><bdi>Many errors`));
  assert.doesNotMatch(textOf(html), /Send test|keep the one that is set/);
  assert.match(textOf((await app.owner.get(app.path)).html), /needs settings/);
  const alert = await app.owner.get(`/projects/${app.projectId}/alerts/${rule.ruleId}`);
  assert.match(textOf(alert.html), /needs settings/);

  const early = await app.owner.post(path, { action: "update", name: "On call", url: "" });
  assert.equal(early.status, 422);
  const url = "https://hooks.slack.com/services/T0/B0/of-here";
  const saved = await app.owner.post(path, { action: "update", name: "On call", url });
  assert.equal(saved.status, 303, textOf(saved.html));
  const after = textOf((await app.owner.get(path)).html);
  assert.doesNotMatch(after, /Nothing goes out/);
  assert.match(after, /Send test/);
});
