/** A provider of single sign-on, as the administrator of the instance set it up. */
import { InvalidInput } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import { changesBetween } from "../../records/audit.ts";
import { addAudit } from "../audit.ts";
import { conflict, keyOf, prefixOf, untilCommitted } from "../kv.ts";
import type { Role } from "../roles.ts";
import { isSlug } from "../names.ts";
import { openValue, sealValue } from "../secrets.ts";
import type { Config } from "../../core/config.ts";

/** How it is spoken to: `oidc` by discovery; the others are OAuth 2 with an answer of their own about who signed in. */
export type ProviderKind = "oidc" | "github" | "yandex" | "vk";

/** How the client proves itself at the token endpoint. */
export const CLIENT_AUTHS = ["client_secret_post", "client_secret_basic", "none"] as const;
export type ClientAuth = (typeof CLIENT_AUTHS)[number];

/** What members of a group at the provider become here; `*` is everybody who signs in by it. */
export interface GroupRule {
  readonly group: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly teamIds: readonly string[];
}

/** What an administrator chooses; see {@linkcode Provider} for what is kept beside it. */
export interface ProviderSettings {
  /** On its button. */
  readonly name: string;
  readonly isEnabled: boolean;
  /** Exactly as the provider writes it; of GitHub its address. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientAuth: ClientAuth;
  /** With blanks between. */
  readonly scopes: string;
  /** By how much the clocks may differ. */
  readonly clockSkewSec: number;
  /** An address that it calls verified signs in to the account that has it, without asking for the password once. */
  readonly isTrusted: boolean;
  /** It tells verified addresses only, without saying so. */
  readonly tellsVerifiedOnly: boolean;
  /** Makes an account for whoever has none. */
  readonly mayCreate: boolean;
  /** With `mayCreate`: only for verified addresses of these; empty: of any. */
  readonly domains: readonly string[];
  /** With `mayCreate`: only for who is in this group; `""`: for anybody. */
  readonly requiredGroup: string;
  /** Path of the claim with the groups, as `groups` or `resource_access.watchpost.roles`; `""`: none. */
  readonly groupsClaim: string;
  /** Refuse who is in none of the groups of the rules. */
  readonly needsGroup: boolean;
  readonly rules: readonly GroupRule[];
  /** Signing out here signs out there. */
  readonly endsThere: boolean;
}

export interface Provider extends ProviderSettings {
  /** A slug, part of the callback address, never changed. */
  readonly id: string;
  readonly kind: ProviderKind;
  /** Which ready text it was made from. */
  readonly preset: string;
  /** Null for a public client. */
  readonly sealedSecret: Uint8Array | null;
  readonly createdAt: Date;
}

interface Stores {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "secretKey">;
}

/** Each is a button on the sign-in page. */
const MAX_PROVIDERS = 20;

/** The provider of this id, or null. @param id what a client sent, whatever it is */
export async function findProvider(kv: Deno.Kv, id: string): Promise<Provider | null> {
  return isSlug(id) ? (await kv.get<Provider>(keyOf.provider(id))).value : null;
}

/** All providers, by name. */
export async function listProviders(kv: Deno.Kv): Promise<Provider[]> {
  const entries = kv.list<Provider>({ prefix: prefixOf.providers() });
  const providers = await Array.fromAsync(entries, ({ value }) => value);
  return providers.sort((a, b) => a.name.localeCompare(b.name));
}

/** Those that people can sign in by. */
export async function listEnabledProviders(kv: Deno.Kv): Promise<Provider[]> {
  return (await listProviders(kv)).filter(({ isEnabled }) => isEnabled);
}

/** An id that no provider has yet: `google`, `google-2`. */
export async function freeProviderId(kv: Deno.Kv, preset: string): Promise<string> {
  const taken = new Set((await listProviders(kv)).map(({ id }) => id));
  for (let n = 1;; n++) {
    const id = n === 1 ? preset : `${preset}-${n}`;
    if (!taken.has(id)) return id;
  }
}

interface NewProvider {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly preset: string;
  readonly settings: ProviderSettings;
  /** `""` for a public client. */
  readonly secret: string;
}

/**
 * Makes a provider.
 *
 * @throws {InvalidInput} when the id is taken or malformed, or there are too many
 */
export async function createProvider(stores: Stores, input: NewProvider): Promise<Provider> {
  const { kv } = stores;
  if (!isSlug(input.id) || input.id === HEADER_ID) {
    throw new InvalidInput("id", t("Open the form again: its address is taken."));
  }
  if ((await listProviders(kv)).length >= MAX_PROVIDERS) {
    throw new InvalidInput("", t("Delete a provider first: there are too many."));
  }
  const provider: Provider = {
    ...input.settings,
    id: input.id,
    kind: input.kind,
    preset: input.preset,
    sealedSecret: await seal(stores, input.id, input.secret),
    createdAt: new Date(),
  };
  const key = keyOf.provider(provider.id);
  const atomic = kv.atomic().check({ key, versionstamp: null }).set(key, provider);
  addAudit(atomic, auditOf("sso.enable", null, provider));
  if ((await atomic.commit()).ok) return provider;
  throw new InvalidInput("id", t("Open the form again: its address is taken."), "taken");
}

/** Not a provider of ours: stands for the reverse proxy among the ids. */
export const HEADER_ID = "header";

/**
 * Changes a provider.
 *
 * @param secret null: it stays as it is
 * @returns the provider as it is then, or null when it is gone
 */
export async function updateProvider(
  stores: Stores,
  id: string,
  settings: ProviderSettings,
  secret: string | null,
): Promise<Provider | null> {
  const { kv } = stores;
  const sealed = secret === null ? null : await seal(stores, id, secret);
  return await untilCommitted<Provider | null>("change the provider", async () => {
    const entry = await kv.get<Provider>(keyOf.provider(id));
    if (entry.value === null) return null;
    const isKept = secret === null && settings.clientAuth !== "none";
    const sealedSecret = isKept ? entry.value.sealedSecret : sealed;
    const changed: Provider = { ...entry.value, ...settings, sealedSecret };
    const atomic = kv.atomic().check(entry).set(entry.key, changed);
    addAudit(atomic, auditOf("sso.edit", entry.value, changed));
    return (await atomic.commit()).ok ? changed : conflict;
  });
}

/** Deletes a provider. Who signed in by it keeps the account and what it was made a member of. */
export async function deleteProvider(kv: Deno.Kv, id: string): Promise<void> {
  await untilCommitted<null>("delete the provider", async () => {
    const entry = await kv.get<Provider>(keyOf.provider(id));
    if (entry.value === null) return null;
    const atomic = kv.atomic().check(entry).delete(entry.key);
    addAudit(atomic, auditOf("sso.disable", entry.value, null));
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function auditOf(event: string, before: Provider | null, after: Provider | null) {
  const { id = "", name = "" } = after ?? before ?? {};
  const changes = changesBetween(shown(before), shown(after));
  return {
    event,
    organizationId: null,
    target: { kind: "provider", id, label: name },
    changes,
  };
}

/** Bytes make no readable entry: that the secret changed is told by its own field. */
function shown(provider: Provider | null) {
  if (provider === null) return null;
  const { sealedSecret, ...rest } = provider;
  return { ...rest, secret: sealedSecret === null ? null : sealedSecret.toHex() };
}

/** The client's secret; null for a public client, and when the key of this instance is another one now. */
export async function secretOf(stores: Stores, provider: Provider): Promise<string | null> {
  if (provider.sealedSecret === null) return null;
  return await openValue<string>(stores, placeOf(provider.id), provider.sealedSecret);
}

async function seal(stores: Stores, id: string, secret: string): Promise<Uint8Array | null> {
  return secret === "" ? null : await sealValue(stores, placeOf(id), secret);
}

function placeOf(id: string): string {
  return `provider ${id}`;
}

/** Where the provider sends people back to, to be registered there. */
export function callbackUrl({ baseUrl }: Pick<Config, "baseUrl">, id: string): string {
  return `${baseUrl}${providerPath(id)}/callback`;
}

/** Where it tells that somebody signed out there. */
export function backChannelUrl({ baseUrl }: Pick<Config, "baseUrl">, id: string): string {
  return `${baseUrl}${providerPath(id)}/back-channel-logout`;
}

/** The page that starts to sign in by a provider. */
export function providerPath(id: string): string {
  return `/sign-in/with/${id}`;
}
