/** Making and changing channels: what people enter is checked, sealed and stored. */
import type { Config } from "../../core/config.ts";
import { InvalidInput } from "../../core/invalid_input.ts";
import { openSealer, SealBroken } from "../../accounts/master_secret.ts";
import { checkName } from "../../accounts/names.ts";
import type { Sql } from "../../store/database.ts";
import {
  type Channel,
  type ChannelType,
  createChannel,
  findChannel,
  findSealed,
  listChannels,
  updateChannel,
} from "./channels.ts";
import { withTimeLimit } from "../../core/time_limit.ts";
import { checkSettings, newSigningSecret, type SettingsInput } from "./check_settings.ts";
import { type ChannelSettings, targetOf } from "./settings.ts";

/** What managing channels needs of the services. */
export interface ChannelStores {
  readonly sql: Sql;
  readonly kv: Deno.Kv;
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

/** Deno KV waits for ever while its server is away. */
const KV_LIMIT_MS = 5_000;
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
