/** Making and changing channels: what people enter is checked, sealed and stored. */
import { KV_LIMIT_MS } from "../../accounts/kv.ts";
import { isIP } from "node:net";
import { checkName, normalizeEmail } from "../../accounts/names.ts";
import { newSecret, openSealer, SealBroken } from "../../accounts/secrets.ts";
import type { Config } from "../../core/config.ts";
import { InvalidInput } from "../../core/errors.ts";
import { isPublicAddress } from "../../core/safe_fetch.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import type { Stores } from "../../store/stores.ts";
import {
  type Channel,
  type ChannelType,
  createChannel,
  findChannel,
  findSealed,
  listChannels,
  updateChannel,
} from "./channels.ts";

/** What managing channels needs of the services. */
export interface ChannelStores extends Pick<Stores, "kv" | "sql"> {
  readonly config: Pick<Config, "secretKey" | "allowPrivateWebhooks">;
}

export interface ChannelInput extends SettingsInput {
  readonly name: string;
}

/** A channel, and the secret of its signatures where that was just made: it is not shown again. */
export interface SavedChannel {
  readonly channel: Channel;
  readonly signingSecret: string | null;
}

/** Rules, and people who look for a channel, are no better off with more. */
const MAX_CHANNELS = 50;

/**
 * Adds a channel to a project.
 *
 * @param by e-mail address of who does it, or `""`
 * @throws {InvalidInput}
 */
export async function addChannel(
  stores: ChannelStores,
  projectId: string,
  type: ChannelType,
  input: ChannelInput,
  by: string,
): Promise<SavedChannel> {
  const { sql, kv, config } = stores;
  const name = checkName("name", input.name);
  const settings = checkSettings(type, input, null, config.allowPrivateWebhooks);
  if ((await listChannels(sql, projectId)).length >= MAX_CHANNELS) {
    throw new InvalidInput("", `A project has at most ${MAX_CHANNELS} channels.`);
  }
  const channelId = crypto.randomUUID();
  const sealed = await seal({ kv, config }, projectId, channelId, settings);
  const row = { type, name, target: targetOf(settings), sealed, updatedBy: by };
  await createChannel(sql, projectId, channelId, row);
  const channel = await findChannel(sql, projectId, channelId);
  if (channel === null) throw new Error("Cannot find the channel that was just made");
  return { channel, signingSecret: settings.type === "webhook" ? settings.secret : null };
}

/**
 * Changes name and settings of a channel; its type stays.
 *
 * @returns with the signing secret where that was lost and is a new one now; null when somebody has deleted it meanwhile
 * @throws {InvalidInput}
 */
export async function changeChannel(
  stores: ChannelStores,
  channel: Channel,
  input: ChannelInput,
  by: string,
): Promise<SavedChannel | null> {
  const former = await readSettings(stores, channel);
  const name = checkName("name", input.name);
  const { allowPrivateWebhooks } = stores.config;
  const settings = checkSettings(channel.type, input, former, allowPrivateWebhooks);
  const saved = await save(stores, channel, name, settings, by);
  // Of a secret that cannot be read any more a new one was made.
  const isNew = former === null && settings.type === "webhook";
  return saved && { channel: saved, signingSecret: isNew ? settings.secret : null };
}

/**
 * Gives a webhook a new signing secret; the old one signs nothing from then on.
 *
 * @returns null when it is gone, or has no secret
 * @throws {InvalidInput} when its address cannot be read any more
 */
export async function renewSigningSecret(
  stores: ChannelStores,
  channel: Channel,
  by: string,
): Promise<SavedChannel | null> {
  if (channel.type !== "webhook") return null;
  const former = await readSettings(stores, channel);
  if (former?.type !== "webhook") {
    throw new InvalidInput("url", "The address cannot be read any more. Enter it again.");
  }
  const settings = { ...former, secret: newSigningSecret() };
  const saved = await save(stores, channel, channel.name, settings, by);
  return saved && { channel: saved, signingSecret: settings.secret };
}

/** The settings of a channel; null when it is gone, or the key of this instance is another one now. */
export async function readSettings(
  { sql, kv, config }: ChannelStores,
  { projectId, channelId }: Pick<Channel, "projectId" | "channelId">,
): Promise<ChannelSettings | null> {
  const sealed = await findSealed(sql, projectId, channelId);
  return sealed && await openSettings({ kv, config }, projectId, channelId, sealed);
}

/** Opens what `addChannel()` sealed; null when the key of this instance is another one now. */
export async function openSettings(
  { kv, config }: Pick<ChannelStores, "kv" | "config">,
  projectId: string,
  channelId: string,
  sealed: Uint8Array,
): Promise<ChannelSettings | null> {
  const sealer = await withTimeLimit(openSealer(kv, config), KV_LIMIT_MS);
  try {
    // Sealed by this module alone.
    return JSON.parse(await sealer.open(sealed, placeOf(projectId, channelId))) as ChannelSettings;
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

async function save(
  { sql, kv, config }: ChannelStores,
  { projectId, channelId }: Channel,
  name: string,
  settings: ChannelSettings,
  by: string,
): Promise<Channel | null> {
  const sealed = await seal({ kv, config }, projectId, channelId, settings);
  const row = { name, target: targetOf(settings), sealed, updatedBy: by };
  await updateChannel(sql, projectId, channelId, row);
  return await findChannel(sql, projectId, channelId);
}

async function seal(
  { kv, config }: Pick<ChannelStores, "kv" | "config">,
  projectId: string,
  channelId: string,
  settings: ChannelSettings,
): Promise<Uint8Array> {
  const sealer = await openSealer(kv, config);
  return await sealer.seal(JSON.stringify(settings), placeOf(projectId, channelId));
}

/** Nobody can make a sealed text their own by putting it into a row of their project. */
function placeOf(projectId: string, channelId: string): string {
  return `channel/${projectId}/${channelId}`;
}

export interface EmailSettings {
  readonly type: "email";
  readonly addresses: readonly string[];
}

/** Services that take a message at an address which is the secret itself. */
export interface ChatHookSettings {
  readonly type: "slack" | "teams" | "discord";
  readonly url: string;
}

export interface TelegramSettings {
  readonly type: "telegram";
  /** Of the bot. */
  readonly token: string;
  /** A number, negative for groups, or the `@name` of a public channel. */
  readonly chatId: string;
}

export interface PagerDutySettings {
  readonly type: "pagerduty";
  readonly routingKey: string;
}

export interface WebhookSettings {
  readonly type: "webhook";
  readonly url: string;
  /** Signs the body. */
  readonly secret: string;
}

/** What a channel needs to know to send, with its secrets. */
export type ChannelSettings =
  | EmailSettings
  | ChatHookSettings
  | TelegramSettings
  | PagerDutySettings
  | WebhookSettings;

const MAX_TARGET_LENGTH = 200;

/** Where a channel leads as far as it may be shown to whoever reads the project. */
function targetOf(settings: ChannelSettings): string {
  switch (settings.type) {
    case "email":
      return settings.addresses.join(", ").slice(0, MAX_TARGET_LENGTH);
    case "telegram":
      return `chat ${settings.chatId} by bot ${settings.token.split(":")[0]}`;
    case "pagerduty":
      return `key …${settings.routingKey.slice(-4)}`;
    default:
      return maskedUrl(settings.url);
  }
}

/** Texts that no answer, log line or page may repeat. */
export function secretsOf(settings: ChannelSettings): readonly string[] {
  switch (settings.type) {
    case "email":
      return [];
    case "telegram":
      return [settings.token];
    case "pagerduty":
      return [settings.routingKey];
    case "webhook":
      return [settings.secret, ...secretParts(settings.url)];
    default:
      return secretParts(settings.url);
  }
}

export const CHANNEL_TYPE_NAMES: Readonly<Record<ChannelType, string>> = {
  email: "E-mail",
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
  telegram: "Telegram",
  pagerduty: "PagerDuty",
  webhook: "Webhook",
};

function maskedUrl(text: string): string {
  const { host, pathname, search } = new URL(text);
  const rest = pathname + search;
  return rest.length > 12 ? `${host}/…${rest.slice(-4)}` : `${host}/…`;
}

/** A server may repeat the address, or the part of it that it knows. */
function secretParts(text: string): string[] {
  const { href, pathname, search } = new URL(text);
  const parts = [href, pathname + search, pathname, ...pathname.split("/"), search.slice(1)];
  return [text, ...parts].filter((part) => part.length >= 8);
}

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
function checkSettings(
  type: ChannelType,
  input: SettingsInput,
  former: ChannelSettings | null,
  allowsPrivate: boolean,
): ChannelSettings {
  const kept: Kept = former?.type === type ? former : {};
  const text = (field: Exclude<KeptField, "secret">) => given(input[field]) ?? kept[field] ?? "";
  switch (type) {
    case "email":
      return { type, addresses: checkAddresses(input.addresses ?? "") };
    case "telegram":
      return { type, token: checkToken(text("token")), chatId: checkChat(text("chatId")) };
    case "pagerduty":
      return { type, routingKey: checkRoutingKey(text("routingKey")) };
    case "webhook": {
      const url = checkUrl(text("url"), allowsPrivate);
      return { type, url, secret: kept.secret ?? newSigningSecret() };
    }
    default:
      return { type, url: checkUrl(text("url"), allowsPrivate) };
  }
}

type KeptField = "url" | "token" | "chatId" | "routingKey" | "secret";
/** The settings so far, of whatever type: what is left empty stays. */
type Kept = { readonly type?: ChannelType } & Partial<Readonly<Record<KeptField, string>>>;

/** A secret to sign webhooks with. */
function newSigningSecret(): string {
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
