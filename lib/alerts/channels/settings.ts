/** Making and changing channels: what people enter is checked, sealed and stored. */
import { isIP } from "node:net";
import { checkName } from "../../accounts/names.ts";
import { newSecret, openValue, sealValue } from "../../accounts/secrets.ts";
import type { Config } from "../../core/config.ts";
import { InvalidInput } from "../../core/errors.ts";
import { isPublicAddress } from "../../core/addresses.ts";
import type { Stores } from "../../store/stores.ts";
import { CHANNEL_KINDS, type ChannelSettings, type ChannelType } from "./channel_types.ts";
import {
  type Channel,
  createChannel,
  findChannel,
  findSealed,
  listChannels,
  updateChannel,
} from "./channels.ts";
import type { ChannelField } from "./kind.ts";
import { t } from "../../core/language/translate.ts";

/** What managing channels needs of the services. */
export interface ChannelStores extends Pick<Stores, "kv" | "sql"> {
  readonly config: Pick<Config, "secretKey" | "allowPrivateWebhooks">;
}

/** What somebody entered: the name and, by their names, the fields of the type. */
export type ChannelInput = Readonly<Record<string, string | undefined>> & { readonly name: string };

/** A channel, and the secret of its signatures where that was just made: it is not shown again. */
export interface SavedChannel {
  readonly channel: Channel;
  readonly signingSecret: string | null;
}

/** Rules, and people who look for a channel, are no better off with more. */
export const MAX_CHANNELS = 50;

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
  await requireRoom(sql, projectId);
  const channelId = crypto.randomUUID();
  const sealed = await sealValue({ kv, config }, placeOf(projectId, channelId), settings);
  const row = { type, name, target: CHANNEL_KINDS[type].targetOf(settings), sealed, updatedBy: by };
  await createChannel(sql, projectId, channelId, row);
  const channel = await findChannel(sql, projectId, channelId);
  if (channel === null) throw new Error("Cannot find the channel that was just made");
  return { channel, signingSecret: signingSecretOf(settings) };
}

/** What an import knows of a channel: where it went, as far as that was shown, and nothing of how. */
export type ChannelOutline = Pick<Channel, "type" | "name" | "target">;

/**
 * Adds a channel that waits for its settings: they never leave an instance, and nothing goes out before somebody has
 * entered them here, where they are checked as those of any other.
 *
 * @param by whoever asked for the import
 * @throws {InvalidInput}
 */
export async function addOutline(
  { sql }: Pick<ChannelStores, "sql">,
  projectId: string,
  { type, name, target }: ChannelOutline,
  by: string,
): Promise<void> {
  await requireRoom(sql, projectId);
  await createChannel(sql, projectId, crypto.randomUUID(), {
    type,
    name: checkName("name", name),
    target,
    sealed: new Uint8Array(),
    updatedBy: by,
  });
}

/** @throws {InvalidInput} */
async function requireRoom(sql: ChannelStores["sql"], projectId: string): Promise<void> {
  if ((await listChannels(sql, projectId)).length < MAX_CHANNELS) return;
  throw new InvalidInput("", t("A project has at most {n} channels.", { n: MAX_CHANNELS }));
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
  // Of a secret that cannot be read, or never was here, a new one was made.
  const signingSecret = former === null ? signingSecretOf(settings) : null;
  return saved && { channel: saved, signingSecret };
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
  if (!CHANNEL_KINDS[channel.type].isSigned) return null;
  const former = await readSettings(stores, channel);
  if (channel.awaitsSettings) throw new InvalidInput("url", awaitedText());
  if (former === null || !("secret" in former)) {
    throw new InvalidInput("url", t("The address cannot be read any more. Enter it again."));
  }
  const settings = { ...former, secret: newSigningSecret() };
  const event = "notification_action.secret";
  const saved = await save(stores, channel, channel.name, settings, by, event);
  return saved && { channel: saved, signingSecret: settings.secret };
}

/** Why nothing goes out through a channel whose settings are awaited. */
export function awaitedText(): string {
  return t("An import made this channel without its settings. Enter them first.");
}

/** The settings of a channel; null when it is gone, nobody has entered them, or the key of this instance is another one now. */
export async function readSettings(
  { sql, kv, config }: ChannelStores,
  { projectId, channelId }: Pick<Channel, "projectId" | "channelId">,
): Promise<ChannelSettings | null> {
  const sealed = await findSealed(sql, projectId, channelId);
  return sealed && await openSettings({ kv, config }, projectId, channelId, sealed);
}

/** Opens what `addChannel()` sealed; null when that is nothing yet, or the key of this instance is another one now. */
export async function openSettings(
  { kv, config }: Pick<ChannelStores, "kv" | "config">,
  projectId: string,
  channelId: string,
  sealed: Uint8Array,
): Promise<ChannelSettings | null> {
  if (sealed.length === 0) return null;
  return await openValue<ChannelSettings>({ kv, config }, placeOf(projectId, channelId), sealed);
}

async function save(
  { sql, kv, config }: ChannelStores,
  { projectId, channelId }: Channel,
  name: string,
  settings: ChannelSettings,
  by: string,
  event?: string,
): Promise<Channel | null> {
  const sealed = await sealValue({ kv, config }, placeOf(projectId, channelId), settings);
  const target = CHANNEL_KINDS[settings.type].targetOf(settings);
  const row = { name, target, sealed, updatedBy: by };
  await updateChannel(sql, projectId, channelId, row, event);
  return await findChannel(sql, projectId, channelId);
}

function placeOf(projectId: string, channelId: string): string {
  return `channel/${projectId}/${channelId}`;
}

/**
 * Reads the settings of a channel.
 *
 * @param former what holds so far, or null for a new channel
 * @param allowsPrivate whether webhooks may go to private networks
 * @throws {InvalidInput}
 */
function checkSettings(
  type: ChannelType,
  input: ChannelInput,
  former: ChannelSettings | null,
  allowsPrivate: boolean,
): ChannelSettings {
  const { fields, isSigned } = CHANNEL_KINDS[type];
  const kept: Kept = former?.type === type ? { ...former } : {};
  const settings: Record<string, string | readonly string[]> = { type };
  for (const { name, schema } of fields) {
    settings[name] = checkField(name, schema, enteredOr(kept[name], input[name]));
  }
  if (isSigned) settings.secret = kept.secret ?? newSigningSecret();
  if (typeof settings.url === "string" && !allowsPrivate) refusePrivate(settings.url);
  // The fields of a type, with its signing secret, are what its settings are made of.
  return settings as unknown as ChannelSettings;
}

/** The settings so far, of whatever type. */
type Kept = Readonly<Record<string, string | readonly string[]>>;

/** What is absent stays, and so does what is left empty, but for lists: they are shown, and whoever empties them means it. */
function enteredOr(kept: Kept[string] | undefined, entered: string | undefined): string {
  const text = entered?.trim() ?? "";
  if (text !== "" || kept === undefined) return text;
  if (typeof kept === "string") return kept;
  return entered === undefined ? kept.join("\n") : "";
}

function checkField(
  name: string,
  schema: ChannelField["schema"],
  text: string,
): string | readonly string[] {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new InvalidInput(name, result.error.issues[0]?.message ?? "");
}

function signingSecretOf(settings: ChannelSettings): string | null {
  return "secret" in settings ? settings.secret : null;
}

/** A secret to sign webhooks with. */
function newSigningSecret(): string {
  return `whsec_${newSecret()}`;
}

/** Names are judged when they are used: what they lead to may change. */
function refusePrivate(url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new InvalidInput(
      "url",
      t("This address is in a private or reserved network. The operator of this instance can allow such addresses."),
    );
  }
}
