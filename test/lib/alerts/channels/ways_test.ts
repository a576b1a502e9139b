/** What each kind of channel is sent, by real requests. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { readConfig } from "@/lib/core/config.ts";
import type { Notice } from "@/lib/alerts/channels/message.ts";
import type { Message } from "@/lib/alerts/channels/message.ts";
import type { Outcome } from "@/lib/alerts/channels/post.ts";
import { type ChannelSettings, sendMessage } from "@/lib/alerts/channels/channel_types.ts";
import { WebhookBody } from "@/lib/alerts/channels/hooks.ts";
import { mailServer } from "@/test/support/mail_server.ts";
import { notice } from "@/test/support/notices.ts";
import { type WebhookReceiver, webhookReceiver } from "@/test/support/webhook_receiver.ts";

const MESSAGE_ID = "5f3c2d1e-0000-4000-8000-000000000001";
const NOW = new Date("2026-11-22T01:02:03.456Z");
/** Takes part in every markup there is. */
const NASTY = '<!channel> <b>&"*[x](http://evil.example)*_`@everyone';

function messageOf(...notices: readonly Notice[]): Message {
  const items = notices.map((one, index) => ({
    noticeId: `5f3c2d1e-0000-4000-8000-0000000001${index + 10}`,
    notice: one,
  }));
  const [first, ...others] = items;
  if (first === undefined) throw new RangeError("A message has a notice");
  return { messageId: MESSAGE_ID, items: [first, ...others] };
}

function send(
  receiver: WebhookReceiver,
  settings: ChannelSettings,
  message: Message,
): Promise<Outcome> {
  return sendMessage(settings, message, {
    config: { ...readConfig({}), allowPrivateWebhooks: true },
    endpoints: { telegram: receiver.origin, pagerDuty: receiver.origin },
    now: () => NOW,
  });
}

/** The JSON body that a channel is sent. */
async function bodyOf<T>(settings: (origin: string) => ChannelSettings, ...notices: Notice[]) {
  await using receiver = webhookReceiver();
  const outcome = await send(receiver, settings(receiver.origin), messageOf(...notices));
  assert.equal(outcome.kind, "sent");
  const [received] = receiver.received;
  assert.equal(received?.headers.get("content-type"), "application/json");
  assert.match(received?.headers.get("user-agent") ?? "", /^Watchpost\//);
  return JSON.parse(received?.text ?? "null") as T;
}

interface SlackBody {
  readonly text: string;
  readonly attachments: readonly {
    readonly color: string;
    readonly text: string;
    readonly fields: readonly { readonly title: string; readonly value: string }[];
  }[];
}

Deno.test("Slack gets a linked headline and an attachment in the colour of the severity", async () => {
  const settings = (origin: string) => ({ type: "slack", url: origin }) as const;
  const { text, attachments } = await bodyOf<SlackBody>(settings, notice());
  assert.equal(
    text,
    "<https://watchpost.example.com/projects/1/metrics/explore?a.metric=http.server.duration|[Critical] p95 of GET /cart is 1.32 s>",
  );
  const [attachment] = attachments;
  assert.equal(attachment?.color, "#c62828");
  assert.match(attachment?.text ?? "", /above 1 s.*Rule: <https:.*\|Slow carts>/s);
  assert.deepEqual(attachment?.fields[0], { title: "Value", value: "1.32 s", short: true });
  const nasty = await bodyOf<SlackBody>(settings, notice({ title: NASTY }));
  assert.doesNotMatch(nasty.text, /<!channel>/);
});

Deno.test("titles call nobody and link nowhere, where Mattermost reads what Slack is sent, and in Telegram", async () => {
  const nasty = notice({
    title: "@all [x](https://evil.example)",
    facts: [{ label: "Group", value: "host=@channel" }],
  });
  for (const type of ["slack", "telegram"] as const) {
    const settings = (origin: string) =>
      type === "slack"
        ? { type, url: origin } as const
        : { type, token: "123456:abcdefghijklmnopqrstuvwxyz", chatId: "1" } as const;
    const text = JSON.stringify(await bodyOf<unknown>(settings, nasty));
    assert.doesNotMatch(text, /@all|@channel/, type);
    assert.match(text, /@\u200ball/, type);
    if (type === "slack") assert.doesNotMatch(text, /\]\(/);
  }
});

Deno.test("many notices become one list, the newest of them by name", async () => {
  const notices = Array.from(
    { length: 15 },
    (_, n) => notice({ title: `notice ${n + 1}`, state: n < 14 ? "firing" : "resolved" }),
  );
  const settings = (origin: string) => ({ type: "slack", url: origin }) as const;
  const { text, attachments } = await bodyOf<SlackBody>(settings, ...notices);
  assert.equal(text, "15 notifications of Shop: 14 firing, 1 resolved");
  const lines = attachments[0]?.text ?? "";
  assert.match(lines, /3 more came before/);
  assert.match(lines, /\[Critical\] notice 4>.*\[Resolved\] notice 15>/s);
  assert.doesNotMatch(lines, /notice 3>/);
});

interface DiscordBody {
  readonly allowed_mentions: unknown;
  readonly embeds: readonly {
    readonly title: string;
    readonly description: string;
    url?: string;
  }[];
}

Deno.test("Discord gets an embed that mentions nobody", async () => {
  const settings = (origin: string) => ({ type: "discord", url: origin }) as const;
  const body = await bodyOf<DiscordBody>(
    settings,
    notice({ title: NASTY, text: "x".repeat(9_000) }),
  );
  assert.deepEqual(body.allowed_mentions, { parse: [] });
  const [embed] = body.embeds;
  assert.match(embed?.title ?? "", /\\\[x\\\]/);
  assert.equal((embed?.title.length ?? 999) <= 256, true);
  assert.equal((embed?.description.length ?? 9_999) <= 4_096, true);
});

Deno.test("Discord's limits hold for what is all markup, and for long addresses", async () => {
  const settings = (origin: string) => ({ type: "discord", url: origin }) as const;
  interface Sized {
    readonly embeds: readonly {
      readonly title: string;
      readonly url?: string;
      readonly description: string;
      readonly fields: readonly { readonly name: string; readonly value: string }[];
      readonly footer: { readonly text: string };
    }[];
  }
  const sizeOf = ({ embeds: [embed] }: Sized) => {
    const texts = embed?.fields.flatMap(({ name, value }) => [name, value]) ?? [];
    const all = [embed?.title, embed?.description, embed?.footer.text, ...texts];
    return all.reduce((sum, text) => sum + (text ?? "").length, 0);
  };
  const marks = "*".repeat(2_000);
  const facts = Array.from({ length: 20 }, () => ({ label: marks, value: marks }));
  const url = `https://watchpost.example.com/${"x".repeat(3_000)}`;
  const worst = notice({ title: marks, text: marks, facts, url });
  const one = await bodyOf<Sized>(settings, worst);
  assert.equal(sizeOf(one) <= 6_000, true, String(sizeOf(one)));
  assert.equal(one.embeds[0]?.url, worst.ruleUrl);
  const many = await bodyOf<Sized>(settings, ...Array.from({ length: 30 }, () => worst));
  assert.equal(sizeOf(many) <= 6_000, true, String(sizeOf(many)));
});

Deno.test("Teams gets an Adaptive Card whose texts are no markup", async () => {
  const settings = (origin: string) => ({ type: "teams", url: origin }) as const;
  interface Card {
    readonly attachments: readonly {
      readonly contentType: string;
      readonly content: {
        readonly type: string;
        readonly body: readonly { readonly type: string }[];
        readonly actions: readonly { readonly url: string }[];
      };
    }[];
  }
  const { attachments } = await bodyOf<Card>(settings, notice({ title: NASTY }));
  const [attachment] = attachments;
  assert.equal(attachment?.contentType, "application/vnd.microsoft.card.adaptive");
  assert.equal(attachment?.content.type, "AdaptiveCard");
  assert.equal(attachment?.content.body.every(({ type }) => type === "RichTextBlock"), true);
  assert.deepEqual(attachment?.content.actions.map(({ url }) => url), [
    notice().url,
    notice().ruleUrl,
  ]);
});

Deno.test("Telegram gets HTML of the bot's chat, with everything else escaped", async () => {
  await using receiver = webhookReceiver();
  const settings = {
    type: "telegram",
    token: "12345:abcdefghijklmnopqrst",
    chatId: "-100",
  } as const;
  const outcome = await send(receiver, settings, messageOf(notice({ title: NASTY })));
  assert.equal(outcome.kind, "sent");
  const [received] = receiver.received;
  assert.equal(received?.path, "/bot12345:abcdefghijklmnopqrst/sendMessage");
  const body = JSON.parse(received?.text ?? "");
  assert.deepEqual([body.chat_id, body.parse_mode], ["-100", "HTML"]);
  assert.match(body.text, /&lt;b&gt;&amp;"/);
  assert.equal(body.text.length <= 4_096, true);
});

Deno.test("Telegram's own word for when to try again is kept to, and its token told to nobody", async () => {
  await using receiver = webhookReceiver();
  const settings = {
    type: "telegram",
    token: "12345:abcdefghijklmnopqrst",
    chatId: "-100",
  } as const;
  receiver.answerWith(({ path }) =>
    Response.json({ ok: false, description: path, parameters: { retry_after: 35 } }, {
      status: 429,
    })
  );
  const outcome = await send(receiver, settings, messageOf(notice()));
  assert.equal(outcome.kind, "failed");
  assert.equal(outcome.kind === "failed" && outcome.retryAfterMs, 35_000);
  assert.doesNotMatch(JSON.stringify(outcome), /abcdefghij/);
});

Deno.test("PagerDuty triggers and resolves one incident by its key, and a test does both", async () => {
  const events = async (...states: readonly Notice["state"][]) => {
    await using receiver = webhookReceiver();
    const settings = { type: "pagerduty", routingKey: "R0123456789abcdefghijklmnopqrstu" } as const;
    for (const state of states) await send(receiver, settings, messageOf(notice({ state })));
    assert.equal(receiver.received.every(({ path }) => path === "/v2/enqueue"), true);
    return receiver.received.map(({ text }) => JSON.parse(text));
  };
  const [trigger, resolve] = await events("firing", "resolved");
  assert.equal(trigger.event_action, "trigger");
  assert.equal(trigger.routing_key, "R0123456789abcdefghijklmnopqrstu");
  assert.equal(trigger.dedup_key, "watchpost/1/rule-7/");
  assert.equal(trigger.payload.summary, "[Critical] p95 of GET /cart is 1.32 s");
  assert.equal(trigger.payload.severity, "critical");
  assert.equal(trigger.payload.source, "Shop");
  assert.deepEqual([resolve.event_action, resolve.dedup_key], ["resolve", trigger.dedup_key]);
  const test = await events("test");
  assert.deepEqual(test.map(({ event_action }) => event_action), ["trigger", "resolve"]);
});

Deno.test("a webhook gets the documented body, and a signature that its secret confirms", async () => {
  await using receiver = webhookReceiver();
  const settings = { type: "webhook", url: receiver.origin, secret: "whsec_test" } as const;
  await send(receiver, settings, messageOf(notice(), notice({ state: "resolved" })));
  const [received] = receiver.received;
  const text = received?.text ?? "";
  const body = WebhookBody.parse(JSON.parse(text));
  assert.equal(body.deliveryId, MESSAGE_ID);
  assert.deepEqual(body.notices.map(({ state }) => state), ["firing", "resolved"]);
  assert.equal(received?.headers.get("x-watchpost-delivery"), MESSAGE_ID);
  const signature = received?.headers.get("x-watchpost-signature") ?? "";
  const [, time, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  assert.equal(Number(time), Math.floor(NOW.getTime() / 1_000));
  const expected = createHmac("sha256", "whsec_test").update(`${time}.${text}`).digest("hex");
  assert.equal(digest, expected);
});

Deno.test("docs/webhook.schema.json is the shape of the body", async () => {
  const file = new URL("../../../../docs/webhook.schema.json", import.meta.url);
  assert.deepEqual(
    JSON.parse(await Deno.readTextFile(file)),
    z.toJSONSchema(WebhookBody, { io: "input" }),
  );
});

Deno.test("mail goes to all addresses, its incident's mails in one thread", async () => {
  await using server = await mailServer();
  const smtp = {
    host: "localhost",
    port: server.port,
    security: "none",
    login: null,
    from: "alerts@example.com",
  } as const;
  const config = { ...readConfig({ SERVICE_BASE_URL: "https://watchpost.example.com" }), smtp };
  const settings = { type: "email", addresses: ["ann@example.com", "bob@example.com"] } as const;
  for (const state of ["firing", "resolved"] as const) {
    const message = messageOf(notice({ state, title: `${NASTY}\r\nBcc: eve@example.com` }));
    const outcome = await sendMessage(settings, message, { config });
    assert.deepEqual(outcome, {
      kind: "sent",
      answer: { status: 250, text: "250 2.0.0 queued" },
    });
  }
  const [firing, resolved] = server.mails;
  assert.deepEqual(firing?.to, ["ann@example.com", "bob@example.com"]);
  const thread = /^References: (<.+@watchpost\.example\.com>)$/m;
  assert.equal(thread.exec(firing?.text ?? "")?.[1], thread.exec(resolved?.text ?? "")?.[1]);
  assert.match(firing?.text ?? "", new RegExp(`^Message-ID: <${MESSAGE_ID}@watchpost`, "m"));
  assert.doesNotMatch(firing?.text ?? "", /^Bcc:/m);
});

Deno.test("mail without a mail server fails with what the operator has to do", async () => {
  const settings = { type: "email", addresses: ["ann@example.com"] } as const;
  const outcome = await sendMessage(settings, messageOf(notice()), { config: readConfig({}) });
  assert.equal(outcome.kind, "refused");
  assert.match(JSON.stringify(outcome), /SMTP_HOST/);
});

Deno.test("an address that leads into a private network is refused for good", async () => {
  await using receiver = webhookReceiver();
  const settings = { type: "slack", url: "https://hooks.example.com/x" } as const;
  const outcome = await sendMessage(settings, messageOf(notice()), {
    config: readConfig({}),
    resolver: () => Promise.resolve(["10.1.2.3"]),
  });
  assert.equal(outcome.kind, "refused");
  assert.equal(receiver.received.length, 0);
});
