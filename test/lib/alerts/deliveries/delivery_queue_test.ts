import assert from "node:assert/strict";
import { claimChannels, enqueueNotice } from "@/lib/alerts/deliveries/queue.ts";
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
