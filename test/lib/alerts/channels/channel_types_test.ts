import assert from "node:assert/strict";
import {
  CHANNEL_KINDS,
  type ChannelSettings,
  type ChannelType,
} from "@/lib/alerts/channels/channel_types.ts";

/** What may be entered for each type, and what it is shown as. */
const SAMPLES: Readonly<
  Record<ChannelType, { readonly settings: ChannelSettings; readonly target: string }>
> = {
  email: {
    settings: { type: "email", addresses: ["ann@example.com", "bob@example.com"] },
    target: "ann@example.com, bob@example.com",
  },
  owners: {
    settings: { type: "owners", fallthrough: "NoOne" },
    target: "Owners, else: Nobody",
  },
  slack: {
    settings: { type: "slack", url: "https://hooks.slack.com/services/T0/B0/verysecret" },
    target: "hooks.slack.com/…cret",
  },
  teams: {
    settings: { type: "teams", url: "https://a.logic.azure.com/workflows/1?sig=verysecret" },
    target: "a.logic.azure.com/…cret",
  },
  discord: {
    settings: { type: "discord", url: "https://discord.com/api/webhooks/1/verysecret" },
    target: "discord.com/…cret",
  },
  telegram: {
    settings: { type: "telegram", token: "123456789:verysecretverysecret", chatId: "-100" },
    target: "chat -100 by bot 123456789",
  },
  pagerduty: {
    settings: { type: "pagerduty", routingKey: "verysecretverysecret1234" },
    target: "key …1234",
  },
  webhook: {
    settings: {
      type: "webhook",
      url: "https://ops.example.com/hooks/verysecret",
      secret: "whsec_12345",
    },
    target: "ops.example.com/…cret",
  },
};

Deno.test("a type of channel keeps what is entered in its fields, and shows it without secrets", () => {
  for (const [type, { settings, target }] of Object.entries(SAMPLES)) {
    const kind = CHANNEL_KINDS[settings.type];
    const stored: Record<string, unknown> = { ...settings };
    for (const { name, schema } of kind.fields) {
      assert.deepEqual(schema.parse([stored[name]].flat().join("\n")), stored[name], type);
    }
    assert.equal(kind.targetOf(settings), target);
  }
});

Deno.test("whatever is secret of a channel is among the texts that no answer repeats", () => {
  for (const { settings } of Object.values(SAMPLES)) {
    const { fields, isSigned, secretsOf } = CHANNEL_KINDS[settings.type];
    const stored: Record<string, unknown> = { ...settings };
    const secret = fields.filter(({ isSecret }) => isSecret).map(({ name }) => stored[name]);
    if (isSigned) secret.push(stored.secret);
    const hidden: readonly unknown[] = secretsOf(settings);
    assert.ok(secret.every((text) => hidden.includes(text)), settings.type);
  }
});
