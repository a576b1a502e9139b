import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import { addOutline } from "@/lib/alerts/channels/settings.ts";
import { webhookReceiver } from "@/test/support/webhook_receiver.ts";

interface ChannelAnswer {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly awaitsSettings: boolean;
  readonly updatedBy: string;
  readonly signingSecret?: string;
}

interface DeliveryAnswer {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly status: number | null;
  readonly notice: { readonly title: string; readonly state: string };
}

async function channelsPath(api: TestApi): Promise<string> {
  const organizationId = api.organization.id;
  const { kv } = api.services;
  const project = await createProject(kv, { organizationId, name: "Walk", platform: "" });
  return `/projects/${api.organization.slug}/${project.slug}/channels/`;
}

Deno.test("the API creates, lists, changes and deletes channels without telling their secrets", async () => {
  await using api = await testApi();
  const path = await channelsPath(api);
  const url = "https://hooks.slack.com/services/T0SECRET/B0SECRET/verysecret";
  const body = { type: "slack", name: "On call", url };
  const made = await api.call<ChannelAnswer>("admin", path, { method: "POST", body });
  assert.equal(made.status, 201);
  assert.equal(made.body.updatedBy, "admin@example.com");
  const one = `${path}${made.body.id}/`;
  const changes = { name: "Everybody" };
  const changed = await api.call<ChannelAnswer>("admin", one, { method: "PUT", body: changes });
  assert.equal(changed.body.name, "Everybody");
  const list = await api.call<ChannelAnswer[]>("viewer", path);
  assert.deepEqual(list.body.map(({ name, target }) => [name, target]), [
    ["Everybody", "hooks.slack.com/…cret"],
  ]);
  assert.doesNotMatch(JSON.stringify([made.body, changed.body, list.body]), /T0SECRET|verysecret/);
  assert.equal((await api.call("admin", one, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("admin", one)).status, 404);
});

Deno.test("the API keeps mail addresses that a change does not name", async () => {
  await using api = await testApi();
  const path = await channelsPath(api);
  const body = { type: "email", name: "Mail", addresses: ["Ann@example.com", "bob@example.com"] };
  const made = await api.call<ChannelAnswer>("admin", path, { method: "POST", body });
  assert.equal(made.body.target, "ann@example.com, bob@example.com");
  const one = `${path}${made.body.id}/`;
  const renamed = await api.call<ChannelAnswer>("admin", one, {
    method: "PUT",
    body: { name: "Post" },
  });
  assert.deepEqual([renamed.body.name, renamed.body.target], ["Post", made.body.target]);
});

Deno.test("the API tells a webhook's signing secret when it is made, and when it is renewed", async () => {
  await using api = await testApi();
  const path = await channelsPath(api);
  const body = { type: "webhook", name: "Ops", url: "https://ops.example.com/hook" };
  const made = await api.call<ChannelAnswer>("admin", path, { method: "POST", body });
  assert.match(made.body.signingSecret ?? "", /^whsec_/);
  const one = `${path}${made.body.id}/`;
  assert.equal((await api.call<ChannelAnswer>("admin", one)).body.signingSecret, undefined);
  const renewed = await api.call<ChannelAnswer>("admin", `${one}secret/`, { method: "POST" });
  assert.match(renewed.body.signingSecret ?? "", /^whsec_/);
  assert.notEqual(renewed.body.signingSecret, made.body.signingSecret);
});

Deno.test("the API sends a test, lists its delivery, and sends it again", async () => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  await using receiver = webhookReceiver();
  const path = await channelsPath(api);
  const body = { type: "discord", name: "Chat", url: receiver.origin };
  const { body: { id } } = await api.call<ChannelAnswer>("admin", path, { method: "POST", body });
  const test = await api.call("admin", `${path}${id}/test/`, { method: "POST" });
  assert.deepEqual(test.body, { sent: true, status: 200, answer: "ok" });
  const deliveries = `${path}${id}/deliveries/`;
  const { body: [delivery] } = await api.call<DeliveryAnswer[]>("viewer", deliveries);
  assert.equal(delivery?.state, "sent");
  assert.deepEqual([delivery?.attempts, delivery?.status], [1, 200]);
  assert.equal(delivery?.notice.state, "test");
  const again = await api.call("admin", `${deliveries}${delivery?.id}/`, { method: "POST" });
  assert.equal(again.status, 202);
  const { body: both } = await api.call<DeliveryAnswer[]>("viewer", deliveries);
  assert.deepEqual(both.map(({ notice }) => notice.title), [
    "Notifications reach Chat",
    "Notifications reach Chat",
  ]);
});

Deno.test("the API names the field that is wrong", async () => {
  await using api = await testApi();
  const path = await channelsPath(api);
  const refused = async (body: unknown, field: string) => {
    const answer = await api.call<object>("admin", path, { method: "POST", body });
    assert.equal(answer.status, 400);
    assert.equal(Object.hasOwn(answer.body, field), true, JSON.stringify(answer.body));
  };
  await refused({ name: "Fax", type: "fax" }, "type");
  await refused({ type: "slack", url: "https://example.com/x" }, "name");
  await refused({ type: "slack", name: "Chat" }, "url");
  await refused({ type: "email", name: "Mail", addresses: ["nobody"] }, "addresses");
  await refused({ type: "email", name: "Mail", addresses: "ann@example.com" }, "addresses");
  await refused({ type: "telegram", name: "Bot", token: "x", chatId: 1 }, "token");
  await refused({ type: "webhook", name: "Inside", url: "http://10.0.0.1/" }, "url");
});

Deno.test("channels of one project are not those of another, whatever their ids", async () => {
  await using api = await testApi();
  const [mine, other] = [await channelsPath(api), await channelsPath(api)];
  const body = { type: "slack", name: "Chat", url: "https://hooks.slack.com/services/a/b/c" };
  const made = await api.call<ChannelAnswer>("admin", mine, { method: "POST", body });
  assert.equal((await api.call("owner", `${other}${made.body.id}/`)).status, 404);
  assert.equal((await api.call("owner", `${other}${made.body.id}/deliveries/`)).status, 404);
  const removed = await api.call("owner", `${other}${made.body.id}/`, { method: "DELETE" });
  assert.equal(removed.status, 404);
  assert.equal((await api.call("owner", `${mine}not-an-id/`)).status, 404);
});

Deno.test("the API says of a channel that it awaits its settings, tries none before, and takes all that its type asks for", async () => {
  await using api = await testApi();
  const path = await channelsPath(api);
  const outline = { type: "webhook", name: "Ops", target: "ops.example.com/…" } as const;
  const project = path.split("/")[3] ?? "";
  const found = await api.call<{ id: string }>(
    "admin",
    `/projects/${api.organization.slug}/${project}/`,
  );
  await addOutline(api.services, found.body.id, outline, "olga@example.com");
  const { body: [channel] } = await api.call<ChannelAnswer[]>("viewer", path);
  assert.deepEqual([channel?.awaitsSettings, channel?.target], [true, "ops.example.com/…"]);
  const one = `${path}${channel?.id}/`;
  const refused = [
    await api.call("admin", `${one}test/`, { method: "POST" }),
    await api.call("admin", `${one}secret/`, { method: "POST" }),
    await api.call("admin", one, { method: "PUT", body: { name: "Ops 2" } }),
    await api.call("admin", one, { method: "PUT", body: { url: "http://169.254.169.254/" } }),
  ];
  assert.deepEqual(refused.map(({ status }) => status), [400, 400, 400, 400]);
  const url = "https://ops.example.com/hook-of-ours";
  const saved = await api.call<ChannelAnswer>("admin", one, { method: "PUT", body: { url } });
  assert.equal(saved.status, 200);
  assert.equal(saved.body.awaitsSettings, false);
  assert.match(saved.body.signingSecret ?? "", /^whsec_/);
});
