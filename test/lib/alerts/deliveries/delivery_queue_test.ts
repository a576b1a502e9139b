import assert from "node:assert/strict";
import {
  beginAttempt,
  claimChannels,
  type ClaimedChannel,
  enqueueNotice,
  waitingOf,
} from "@/lib/alerts/deliveries/queue.ts";
import { testDeliveries } from "@/test/support/deliveries.ts";
import { notice } from "@/test/support/notices.ts";

Deno.test("a project with many channels leaves room for the channels of others", async () => {
  await using world = await testDeliveries();
  const { sql } = world;
  const make = (projectId: string) =>
    world.channel("webhook", { url: "https://slow.example.com/" }, projectId);
  const many = await Promise.all(Array.from({ length: 10 }, () => make("1")));
  const other = await make("2");
  for (const [projectId, channels] of [["1", many], ["2", [other]]] as const) {
    const ids = channels.map(({ channelId }) => channelId);
    await enqueueNotice(sql, notice({ projectId }), ids);
  }
  const now = new Date(Date.now() + 1_000);
  const holder = crypto.randomUUID();
  const claim = async () => {
    const claimed = await claimChannels(sql, { holder, now, leaseMs: 60_000, limit: 8 });
    return claimed.map(({ projectId }) => projectId).sort();
  };

  assert.deepEqual(await claim(), ["1", "1", "1", "1", "2"]);
  assert.deepEqual(await claim(), []);
});

Deno.test("a sender that hung begins nothing that another has begun since, nor a message that has a part of it", async () => {
  await using world = await testDeliveries();
  const { sql } = world;
  const { projectId, channelId } = await world.channel("webhook", {
    url: "https://a.example.com/",
  });
  const notices = ["first", "second"].map((title) => notice({ projectId, title }));
  for (const each of notices) await enqueueNotice(sql, each, [channelId]);
  const channel = { projectId, channelId } as ClaimedChannel;
  const read = async () => {
    const [first, second] = await waitingOf(sql, channel, 10);
    assert.ok(first && second);
    return [first, second] as const;
  };
  const [mine, theirs] = [await read(), await read()];
  const now = new Date();
  assert.equal(await beginAttempt(sql, channel, [theirs[0]], now), true);
  assert.equal(await beginAttempt(sql, channel, [mine[0]], now), false);
  assert.equal(await beginAttempt(sql, channel, mine, now), false);
  const after = await read();
  assert.deepEqual(after.map(({ attempts }) => attempts), [1, 0]);
  assert.notEqual(after[0].messageId, after[1].messageId);
  assert.equal(await beginAttempt(sql, channel, [after[0]], now), true, "tried again in its turn");
});
