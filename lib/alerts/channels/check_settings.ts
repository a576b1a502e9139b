import { isIP } from "node:net";
import { InvalidInput } from "../../core/invalid_input.ts";
import { normalizeEmail } from "../../accounts/names.ts";
import { newSecret } from "../../accounts/secrets.ts";
import { isPublicAddress } from "../../core/public_address.ts";
import type { ChannelType } from "./channels.ts";
import type { ChannelSettings } from "./settings.ts";

/** What somebody entered. Secrets that are left empty stay as they are. */
export interface SettingsInput {
  /** Of mail, apart by commas, semicolons or lines. */
  readonly addresses?: string | undefined;
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly chatId?: string | undefined;
  readonly routingKey?: string | undefined;
}

const MAX_ADDRESSES = 20;
const MAX_URL_LENGTH = 2_000;

/**
 * Reads the settings of a channel.
 *
 * @param former what holds so far, or null for a new channel
 * @param allowsPrivate whether webhooks may go to private networks
 * @throws {InvalidInput}
 */
export function checkSettings(
  type: ChannelType,
  input: SettingsInput,
  former: ChannelSettings | null,
  allowsPrivate: boolean,
): ChannelSettings {
  switch (type) {
    case "email":
      return { type, addresses: checkAddresses(input.addresses ?? "") };
    case "telegram":
      return {
        type,
        token: checkToken(given(input.token) ?? (former?.type === type ? former.token : "")),
        chatId: checkChat(given(input.chatId) ?? (former?.type === type ? former.chatId : "")),
      };
    case "pagerduty": {
      const key = given(input.routingKey) ?? (former?.type === type ? former.routingKey : "");
      return { type, routingKey: checkRoutingKey(key) };
    }
    case "webhook": {
      const url = given(input.url) ?? (former?.type === type ? former.url : "");
      const secret = former?.type === type ? former.secret : newSigningSecret();
      return { type, url: checkUrl(url, allowsPrivate), secret };
    }
    default: {
      const url = given(input.url) ?? (former?.type === type ? former.url : "");
      return { type, url: checkUrl(url, allowsPrivate) };
    }
  }
}

/** A secret to sign webhooks with. */
export function newSigningSecret(): string {
  return `whsec_${newSecret()}`;
}

function given(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
}

function checkAddresses(text: string): string[] {
  const entered = text.split(/[\s,;]+/).filter((part) => part !== "");
  if (entered.length === 0) throw new InvalidInput("addresses", "Enter at least one mail address.");
  if (entered.length > MAX_ADDRESSES) {
    throw new InvalidInput("addresses", `Enter at most ${MAX_ADDRESSES} mail addresses.`);
  }
  const addresses = entered.map((part) => {
    const address = normalizeEmail(part);
    if (address !== null) return address;
    throw new InvalidInput("addresses", `"${part.slice(0, 60)}" is no mail address.`);
  });
  return [...new Set(addresses)];
}

function checkUrl(text: string, allowsPrivate: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > MAX_URL_LENGTH) {
    throw new InvalidInput("url", "Enter an address that starts with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidInput("url", "Enter an address without a user name and a password.");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Names are judged when they are used: what they lead to may change.
  if (!allowsPrivate && (host === "localhost" || isIP(host) !== 0 && !isPublicAddress(host))) {
    throw new InvalidInput(
      "url",
      "This address is in a private or reserved network. The operator of this instance can allow such addresses.",
    );
  }
  return url.href;
}

function checkToken(token: string): string {
  if (/^\d{4,20}:[\w-]{20,100}$/.test(token)) return token;
  throw new InvalidInput("token", "Enter the bot's token, such as 123456789:AAF3kX….");
}

function checkChat(chatId: string): string {
  if (/^(?:-?\d{1,20}|@\w{4,64})$/.test(chatId)) return chatId;
  throw new InvalidInput("chatId", "Enter the chat's number, such as -1001234567890, or @name.");
}

function checkRoutingKey(key: string): string {
  if (/^[\w-]{20,64}$/.test(key)) return key;
  throw new InvalidInput("routingKey", "Enter the integration key: 32 letters and digits.");
}
