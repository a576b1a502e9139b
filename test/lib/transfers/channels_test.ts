import assert from "node:assert/strict";
import { listRules } from "@/lib/alerts/rules.ts";
import { listChannels } from "@/lib/alerts/channels/channels.ts";
import { addChannel, MAX_CHANNELS, readSettings } from "@/lib/alerts/channels/settings.ts";
import { type Transferred, transferred } from "../../support/transferred.ts";

/** What became of an import of these settings. */
async function take(world: Transferred, settings: object) {
  const document = { format: "watchpost-settings", version: 1, ...settings };
  const { state, counts } = await world.imported(
    world.project,
    "settings.json",
    JSON.stringify(document),
    true,
  );
  assert.equal(state, "done");
  return counts;
}

const ALERT = {
  name: "Many errors",
  source: { kind: "errors", measure: "events" },
  condition: { comparison: ">", warning: 5, critical: 10, recovery: null },
  windowMinutes: 5,
};

Deno.test("an imported alert notifies an imported channel by its name, or the one of its name and type that is here", async () => {
  await using world = await transferred();
  const { project, services } = world;
  const { sql } = services;
  const { channel: here } = await addChannel(services, project.id, "email", {
    name: "Team",
    addresses: "team@example.com",
  }, "");
  const counts = await take(world, {
    channels: [
      { type: "email", name: "Team", target: "others@example.com" },
      { type: "slack", name: "Team", target: "hooks.slack.com/…4bCd" },
    ],
    alerts: [{
      ...ALERT,
      channels: [{ type: "email", name: "Team" }, { type: "slack", name: "Team" }],
    }],
  });
  assert.deepEqual([counts.settings, counts.there_already], [2, 1]);
  const channels = await listChannels(sql, project.id);
  assert.equal(channels.length, 2);
  const made = channels.find(({ type }) => type === "slack");
  assert.deepEqual([made?.awaitsSettings, made?.target], [true, "hooks.slack.com/…4bCd"]);
  const kept = channels.find(({ type }) => type === "email");
  assert.deepEqual([kept?.awaitsSettings, kept?.target], [false, "team@example.com"]);
  const [rule] = await listRules(sql, project.id);
  assert.deepEqual(new Set(rule?.channelIds), new Set([here.channelId, made?.channelId]));
});

Deno.test("of a channel's settings an import takes none, wherever a file would have it lead", async () => {
  await using world = await transferred();
  const { project, services } = world;
  const url = "http://169.254.169.254/latest/meta-data";
  await take(world, {
    channels: [{
      type: "webhook",
      name: "Ops",
      target: "ops.example.com",
      url,
      secret: "whsec_known",
      sealed: [1, 2, 3],
      settings: { type: "webhook", url, secret: "whsec_known" },
      channelId: "00000000-0000-4000-8000-000000000000",
      projectId: "1",
    }],
  });
  const [channel] = await listChannels(services.sql, project.id);
  assert.ok(channel);
  assert.equal(await readSettings(services, channel), null);
  assert.notEqual(channel.channelId, "00000000-0000-4000-8000-000000000000");
  assert.equal(channel.projectId, project.id);
});

Deno.test("an import makes no more channels than a project has, and none of a kind that there is not", async () => {
  await using world = await transferred();
  const { project, services } = world;
  const many = Array.from({ length: 10_000 }, (_, i) => ({ type: "email", name: `C${i}` }));
  const wrong = [
    7,
    null,
    { type: "carrier-pigeon", name: "Coo" },
    { type: "__proto__", name: "x" },
    { type: "email" },
    { type: "email", name: "a\u202eb" },
    { type: "email", name: "x".repeat(65) },
    { type: ["email"], name: {} },
    { type: "email", name: "Long", target: "y".repeat(100_000) },
  ];
  const counts = await take(world, { channels: [...wrong, ...many] });
  const made = await listChannels(services.sql, project.id);
  assert.equal(made.length, MAX_CHANNELS - 8);
  assert.ok(made.every(({ target }) => target.length <= 200));
  assert.equal(counts.settings_refused, wrong.length + many.length - made.length);
  // The rest of the room, and not one more.
  await take(world, { channels: many.slice(100, 150) });
  assert.equal((await listChannels(services.sql, project.id)).length, MAX_CHANNELS);
  assert.deepEqual(await take(world, { channels: "all" }), {});
});

Deno.test("a channel that an import makes stands in the audit log", async () => {
  await using world = await transferred();
  await take(world, { channels: [{ type: "slack", name: "Ops", target: "hooks.slack.com/…" }] });
  const entries = await world.services.sql<{ label: string; by: string }[]>`
    select target_label as label, actor_label as by from audit_entries
    where project_id = ${world.project.id} and event = 'notification_action.create'
  `;
  assert.deepEqual(entries.map(({ label, by }) => [label, by]), [["Ops", "olga"]]);
});
