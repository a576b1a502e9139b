import assert from "node:assert/strict";
import { deleteExpired } from "@/lib/store/retention.ts";
import { addOutline, changeChannel } from "@/lib/alerts/channels/settings.ts";
import { deleteChannel, findChannel, listChannels } from "@/lib/alerts/channels/channels.ts";
import { lastDeliveries, listDeliveries, sendAgain } from "@/lib/alerts/deliveries/deliveries.ts";
import { enqueueNotice } from "@/lib/alerts/deliveries/queue.ts";
import { projectsWithTelemetry } from "@/lib/store/control_copy.ts";
import { purgeProject } from "@/lib/store/deleted_projects.ts";
import { testDeliveries } from "@/test/support/deliveries.ts";
import { webhookReceiver } from "@/test/support/webhook_receiver.ts";
import { notice } from "@/test/support/notices.ts";

const URL_OF_HOOK = "https://ops.example.com/hook";
const never = new AbortController().signal;

Deno.test("enqueueNotice() makes a delivery of its own for each channel, of one notice", async () => {
  await using world = await testDeliveries();
  const channels = [await world.webhook(URL_OF_HOOK), await world.webhook(URL_OF_HOOK)];
  await world.enqueue({}, ...channels);
  const found = (await Promise.all(channels.map((channel) => world.listed(channel)))).flat();
  assert.equal(found.length, 2);
  assert.equal(new Set(found.map(({ deliveryId }) => deliveryId)).size, 2);
  assert.equal(new Set(found.map(({ noticeId }) => noticeId)).size, 1);
  assert.equal(found.every(({ deliveryId, messageId }) => deliveryId === messageId), true);
  assert.deepEqual(found[0]?.notice, notice());
});

Deno.test("enqueueNotice() passes over channels that are gone and ids that are none", async () => {
  await using world = await testDeliveries();
  const channel = await world.webhook(URL_OF_HOOK);
  await enqueueNotice(world.sql, notice(), [crypto.randomUUID(), "nonsense", channel.channelId]);
  assert.equal((await world.listed(channel)).length, 1);
});

Deno.test("enqueueNotice() passes over channels of other projects", async () => {
  await using world = await testDeliveries();
  const foreign = await world.channel("webhook", { url: URL_OF_HOOK }, "2");
  await enqueueNotice(world.sql, notice(), [foreign.channelId]);
  assert.deepEqual(await world.listed(foreign), []);
});

Deno.test("listDeliveries() pages from the newest to the oldest and back", async () => {
  await using world = await testDeliveries();
  const channel = await world.webhook(URL_OF_HOOK);
  for (let n = 1; n <= 5; n++) await world.enqueue({ title: String(n) }, channel);
  const read = async (cursor: string | null) => {
    const page = await listDeliveries(world.sql, "1", channel.channelId, { cursor, limit: 2 });
    return { ...page, titles: page.rows.map((row) => row.notice.title).join(" ") };
  };
  const first = await read(null);
  const second = await read(first.nextCursor);
  const third = await read(second.nextCursor);
  const back = await read(third.previousCursor);
  assert.deepEqual([first, second, third, back].map(({ titles }) => titles), [
    "5 4",
    "3 2",
    "1",
    "3 2",
  ]);
  assert.deepEqual([first.previousCursor, third.nextCursor], [null, null]);
  assert.equal((await read("nonsense")).titles, "5 4");
});

Deno.test("sendAgain() tries what waits at once, and queues what has ended anew", async () => {
  await using world = await testDeliveries();
  const channel = await world.webhook("http://127.0.0.1:1/");
  await world.enqueue({}, channel);
  await world.run();
  const [waiting] = await world.listed(channel);
  assert.equal(waiting?.attempts, 1);
  const { projectId, channelId } = channel;
  assert.equal(await sendAgain(world.sql, projectId, channelId, waiting?.deliveryId ?? ""), true);
  await world.run();
  const [again, ...others] = await world.listed(channel);
  assert.deepEqual([again?.attempts, others.length], [2, 0]);
  await world.sql`update deliveries set state = 'failed'`;
  assert.equal(await sendAgain(world.sql, projectId, channelId, waiting?.deliveryId ?? ""), true);
  const [, anew] = await world.listed(channel);
  assert.deepEqual([anew?.state, anew?.noticeId], ["waiting", waiting?.noticeId]);
  assert.equal(await sendAgain(world.sql, "2", channelId, waiting?.deliveryId ?? ""), false);
});

Deno.test("lastDeliveries() knows the newest of each channel of the project", async () => {
  await using world = await testDeliveries();
  const channel = await world.webhook(URL_OF_HOOK);
  await world.webhook(URL_OF_HOOK);
  await world.enqueue({}, channel);
  const last = await lastDeliveries(world.sql, "1");
  assert.deepEqual([...last.keys()], [channel.channelId]);
  assert.equal(last.get(channel.channelId)?.state, "waiting");
  assert.equal((await lastDeliveries(world.sql, "2")).size, 0);
});

Deno.test("deleteChannel() takes the deliveries with it, of its project alone", async () => {
  await using world = await testDeliveries();
  const channel = await world.webhook(URL_OF_HOOK);
  await world.enqueue({}, channel);
  const { channelId } = channel;
  assert.equal(await deleteChannel(world.sql, "2", channelId), false);
  assert.notEqual(await findChannel(world.sql, "1", channelId), null);
  assert.equal(await deleteChannel(world.sql, "1", channelId), true);
  assert.equal(await findChannel(world.sql, "1", channelId), null);
  assert.deepEqual(await world.listed(channel), []);
});

Deno.test("deliveries are kept for thirty days", async () => {
  await using world = await testDeliveries();
  const channel = await world.webhook(URL_OF_HOOK);
  await world.enqueue({ title: "old" }, channel);
  await world.sql`update deliveries set created_at = now() - interval '32 days'`;
  await world.enqueue({ title: "new" }, channel);
  assert.equal((await deleteExpired(world.sql, 90, never)).deliveries, 1);
  assert.deepEqual((await world.listed(channel)).map(({ notice: { title } }) => title), ["new"]);
});

Deno.test("a deleted project's channels and deliveries are found and removed, and nobody else's", async () => {
  await using world = await testDeliveries();
  const gone = await world.webhook(URL_OF_HOOK);
  const kept = await world.channel("webhook", { url: URL_OF_HOOK }, "2");
  await world.enqueue({}, gone);
  await world.enqueue({ projectId: "2" }, kept);
  assert.deepEqual((await projectsWithTelemetry(world.sql)).sort(), ["1", "2"]);
  await purgeProject(world.sql, "1", never);
  assert.equal((await listChannels(world.sql, "1")).length, 0);
  assert.deepEqual(await world.listed(gone), []);
  assert.equal((await listChannels(world.sql, "2")).length, 1);
  assert.equal((await world.listed(kept)).length, 1);
});

Deno.test("what an imported channel cannot send before it has its settings is listed as failed, and can be sent again", async () => {
  await using receiver = webhookReceiver();
  await using world = await testDeliveries();
  const { sql, kv, config } = world;
  await addOutline({ sql }, "1", { type: "webhook", name: "Ops", target: "" }, "olga");
  const [channel] = await listChannels(sql, "1");
  assert.ok(channel);
  await world.enqueue({}, channel);
  await world.run();
  const [failed] = await world.listed(channel);
  assert.equal(failed?.state, "failed");
  assert.match(failed.answer, /^An import made this channel without its settings/);

  await changeChannel({ sql, kv, config }, channel, { name: "Ops", url: receiver.origin }, "");
  assert.ok(await sendAgain(sql, "1", channel.channelId, failed.deliveryId));
  await world.run();
  assert.deepEqual((await world.listed(channel)).map(({ state }) => state), ["failed", "sent"]);
});
