import assert from "node:assert/strict";
import { enqueueNotice } from "@/lib/alerts/deliveries/queue.ts";
import { changeChannel } from "@/lib/alerts/channels/settings.ts";
import { WebhookBody } from "@/lib/alerts/channels/hooks.ts";
import { testDeliveries } from "@/test/support/deliveries.ts";
import { notice } from "@/test/support/notices.ts";
import { type Received, webhookReceiver } from "@/test/support/webhook_receiver.ts";
import { waitFor } from "@/test/support/wait_for.ts";

function bodyOf({ text }: Received) {
  return WebhookBody.parse(JSON.parse(text));
}

/** The titles that arrived, in order. */
function titles(received: readonly Received[]): string[] {
  return received.flatMap((one) => bodyOf(one).notices.map(({ title }) => title));
}

Deno.test("a notice goes out through all its channels, and nothing else does", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const left = await world.webhook(`${receiver.origin}/left`);
  const right = await world.webhook(`${receiver.origin}/right`);
  await world.webhook(`${receiver.origin}/neither`);
  await world.enqueue({ title: "Carts are slow" }, left, right);
  await world.run();
  await world.run();
  assert.deepEqual(receiver.received.map(({ path }) => path).sort(), ["/left", "/right"]);
  const [delivery, ...others] = await world.listed(left);
  assert.deepEqual(others, []);
  assert.equal(delivery?.state, "sent");
  assert.equal(delivery?.attempts, 1);
  assert.deepEqual([delivery?.status, delivery?.answer], [200, "ok"]);
  assert.equal(delivery?.deliveryId, delivery?.messageId);
  assert.equal(delivery?.notice.title, "Carts are slow");
});

Deno.test("a notice whose transaction is rolled back does not go out", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channel = await world.webhook(receiver.origin);
  await assert.rejects(world.sql.begin(async (tx) => {
    await enqueueNotice(tx, notice(), [channel.channelId]);
    throw new Error("rolled back");
  }));
  await world.run();
  assert.equal(receiver.received.length, 0);
});

Deno.test("a channel of another project is passed over", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channel = await world.channel("webhook", { url: receiver.origin }, "2");
  await world.enqueue({ projectId: "1" }, channel);
  await world.run();
  assert.equal(receiver.received.length, 0);
});

Deno.test("a receiver in trouble is asked again, later and later, under the same delivery id", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  receiver.answerWith(() => new Response("away", { status: 503 }));
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({}, channel);
  await world.run();
  world.pass(8);
  await world.run();
  assert.equal(receiver.received.length, 1);
  world.pass(4);
  await world.run();
  assert.equal(receiver.received.length, 2);
  const [waiting] = await world.listed(channel);
  assert.deepEqual([waiting?.state, waiting?.status, waiting?.answer], ["waiting", 503, "away"]);
  receiver.answerWith(() => new Response("back"));
  world.pass(70);
  await world.run();
  const ids = receiver.received.map(({ headers }) => headers.get("x-watchpost-delivery"));
  assert.deepEqual(ids, [ids[0], ids[0], ids[0]]);
  const [sent] = await world.listed(channel);
  assert.deepEqual([sent?.state, sent?.attempts, sent?.answer], ["sent", 3, "back"]);
});

Deno.test("a receiver that stays away for hours is given up on", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  receiver.answerWith(() => new Response("", { status: 500 }));
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({}, channel);
  for (let hours = 0; hours < 15; hours++) {
    await world.run();
    world.pass(4_000);
  }
  assert.equal(receiver.received.length, 10);
  assert.equal((await world.listed(channel))[0]?.state, "failed");
});

Deno.test("a receiver that refuses for good is asked once", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const refused = async (answer: () => Response, status: number, words: RegExp) => {
    receiver.answerWith(answer);
    const channel = await world.webhook(receiver.origin);
    await world.enqueue({}, channel);
    await world.run();
    world.pass(7_200);
    await world.run();
    const [delivery] = await world.listed(channel);
    assert.deepEqual([delivery?.state, delivery?.attempts], ["failed", 1]);
    assert.equal(delivery?.status, status);
    assert.match(delivery?.answer ?? "", words);
  };
  await refused(() => new Response("no_service", { status: 404 }), 404, /^no_service$/);
  await refused(() => Response.redirect("http://169.254.169.254/", 302), 302, /redirect/);
});

Deno.test("Retry-After is kept to", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  receiver.answerWith(() =>
    new Response("slow down", { status: 429, headers: { "retry-after": "120" } })
  );
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({}, channel);
  await world.run();
  world.pass(100);
  await world.run();
  assert.equal(receiver.received.length, 1);
  world.pass(21);
  await world.run();
  assert.equal(receiver.received.length, 2);
});

Deno.test("a resolved incident is told after its beginning, even while that is tried again", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  receiver.answerWith(() => new Response("", { status: 500 }));
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({ title: "began", incidentKey: "i" }, channel);
  for (const pause of [0, 15, 75]) {
    world.pass(pause);
    await world.run();
  }
  receiver.answerWith(() => new Response("ok"));
  await world.enqueue({ title: "resolved", state: "resolved", incidentKey: "i" }, channel);
  await world.enqueue({ title: "other", incidentKey: "j" }, channel);
  // The channel's own pause is over by then, that of the first notice is not.
  world.pass(75);
  await world.run();
  assert.deepEqual(titles(receiver.received).slice(3), ["other"]);
  world.pass(300);
  await world.run();
  assert.deepEqual(titles(receiver.received).slice(3), ["other", "began", "resolved"]);
});

Deno.test("many notices that wait become one message, each of them listed as sent", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channel = await world.webhook(receiver.origin);
  for (let n = 1; n <= 7; n++) {
    await world.enqueue({ title: `notice ${n}`, incidentKey: `i${n}` }, channel);
  }
  await world.run();
  assert.equal(receiver.received.length, 1);
  assert.deepEqual(titles(receiver.received), [1, 2, 3, 4, 5, 6, 7].map((n) => `notice ${n}`));
  const listed = await world.listed(channel);
  assert.equal(listed.every(({ state }) => state === "sent"), true);
  assert.equal(new Set(listed.map(({ messageId }) => messageId)).size, 1);
});

Deno.test("a joined message that failed is sent again as it was, beside what came later", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  receiver.answerWith(() => new Response("", { status: 502 }));
  const channel = await world.webhook(receiver.origin);
  for (let n = 1; n <= 6; n++) await world.enqueue({ incidentKey: `i${n}` }, channel);
  await world.run();
  receiver.answerWith(() => new Response("ok"));
  await world.enqueue({ title: "later", incidentKey: "later" }, channel);
  world.pass(15);
  await world.run();
  const [failed, again, later] = receiver.received.map(bodyOf);
  assert.deepEqual(again, failed);
  assert.deepEqual(later?.notices.map(({ title }) => title), ["later"]);
});

Deno.test("a channel sends at most ten messages a minute; the others wait and are joined", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channel = await world.webhook(receiver.origin);
  const send = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) {
      await world.enqueue({ title: String(n), incidentKey: String(n) }, channel);
      await world.run();
    }
  };
  await send(1, 17);
  assert.equal(receiver.received.length, 10);
  world.pass(61);
  await world.run();
  assert.equal(receiver.received.length, 11);
  assert.equal(titles(receiver.received).length, 17);
});

Deno.test("after a kill between sending and noting it, the notice goes out again under the same id", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({}, channel);
  // The first sender dies as soon as the receiver has the notice: its database is gone.
  const dying = world.database.connect();
  const first = world.another({ sql: dying });
  receiver.answerWith(async () => {
    await dying.end({ timeout: 0 });
    return new Response("ok");
  });
  await first.run();
  assert.equal((await world.listed(channel))[0]?.state, "waiting");
  receiver.answerWith(() => new Response("ok"));
  await world.run();
  assert.equal(receiver.received.length, 1, "the claim of the dead one still holds");
  world.pass(21);
  await world.run();
  const [one, two] = receiver.received.map(({ headers }) => headers.get("x-watchpost-delivery"));
  assert.equal(two, one);
  assert.equal((await world.listed(channel))[0]?.state, "sent");
});

Deno.test("several senders send each notice once", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channels = [];
  for (let n = 0; n < 12; n++) channels.push(await world.webhook(`${receiver.origin}/${n}`));
  for (let n = 0; n < 3; n++) await world.enqueue({ incidentKey: String(n) }, ...channels);
  const senders = [world.deliveries, world.another(), world.another()];
  await Promise.all(senders.map((sender) => sender.run()));
  await world.run();
  assert.equal(receiver.received.length, 36);
  const ids = receiver.received.map(({ headers }) => headers.get("x-watchpost-delivery"));
  assert.equal(new Set(ids).size, 36);
});

Deno.test("one slow channel does not hold up the others", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const held = Promise.withResolvers<Response>();
  receiver.answerWith(({ path }) => path === "/slow" ? held.promise : new Response("ok"));
  const slow = await world.webhook(`${receiver.origin}/slow`);
  const fast = await world.webhook(`${receiver.origin}/fast`);
  await world.enqueue({}, slow);
  const running = world.run();
  await waitFor("the slow one", () => receiver.received.find(({ path }) => path === "/slow"));
  await world.enqueue({}, fast);
  const second = world.run();
  await waitFor("the fast one", () => receiver.received.find(({ path }) => path === "/fast"));
  held.resolve(new Response("ok"));
  await Promise.all([running, second]);
});

Deno.test("the queue is looked at by itself", async () => {
  await using world = await testDeliveries({}, { pollMs: 10 });
  await using receiver = webhookReceiver();
  await world.enqueue({}, await world.webhook(receiver.origin));
  await waitFor("the notice", () => receiver.received[0]);
});

Deno.test("close() ends a request that takes long, and the notice stays in the queue", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const held = Promise.withResolvers<Response>();
  receiver.answerWith(() => held.promise);
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({}, channel);
  const sender = world.another();
  const running = sender.run();
  await waitFor("the request", () => receiver.received[0]);
  await sender.close();
  await running;
  assert.equal((await world.listed(channel))[0]?.state, "waiting");
  held.resolve(new Response("ok"));
});

Deno.test("no secret of a channel stands in the tables in clear, nor in an answer that repeats it", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const url = `${receiver.origin}/services/T0SECRET/B0SECRET?token=verysecretindeed`;
  receiver.answerWith(({ path }) => new Response(`cannot POST ${path}`, { status: 404 }));
  const slack = await world.channel("slack", { url });
  const webhook = await world.webhook(url);
  await world.enqueue({}, slack, webhook);
  await world.run();
  assert.equal(receiver.received.length, 2);
  const channels = await world.sql<{ sealed: Uint8Array; target: string }[]>`
    select sealed, target from notification_channels
  `;
  const sealed = channels.map((row) => new TextDecoder("latin1").decode(row.sealed) + row.target);
  const [deliveries] = await world.sql<{ text: string }[]>`
    select string_agg(answer || notice, ' ') as text from deliveries
  `;
  const all = `${sealed.join(" ")} ${deliveries?.text}`;
  assert.match(all, /cannot POST/);
  assert.doesNotMatch(all, /T0SECRET|B0SECRET|verysecret|whsec_/);
});

Deno.test("a channel sealed by another key fails with what to do about it", async () => {
  await using world = await testDeliveries({ secretKey: "the key of yesterday" });
  await using receiver = webhookReceiver();
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({}, channel);
  const config = { ...world.config, secretKey: "the key of today today" };
  await world.another({ config }).run();
  const [delivery] = await world.listed(channel);
  assert.equal(delivery?.state, "failed");
  assert.match(delivery?.answer ?? "", /SERVICE_SECRET_KEY/);
  assert.equal(receiver.received.length, 0);

  const stores = { sql: world.sql, kv: world.kv, config };
  const input = { name: "Ops", url: receiver.origin };
  const entered = await changeChannel(stores, channel, input, "");
  assert.match(entered?.signingSecret ?? "", /^whsec_/, "the secret is a new one, so it is told");
  assert.equal((await changeChannel(stores, channel, input, ""))?.signingSecret, null);
});

Deno.test("notices with characters that Postgres refuses go out all the same", async () => {
  await using world = await testDeliveries();
  await using receiver = webhookReceiver();
  const channel = await world.webhook(receiver.origin);
  await world.enqueue({ title: "NUL \0 and half \ud83d", incidentKey: "a\0b\ud83d" }, channel);
  await world.run();
  assert.equal(receiver.received.length, 1);
  assert.equal((await world.listed(channel))[0]?.state, "sent");
});
