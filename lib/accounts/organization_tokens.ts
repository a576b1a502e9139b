/**
 * Tokens of an organization for its build servers, in the form of Sentry's: they say themselves which server and which
 * organization they are for, so that its tools need nothing else. They permit what a build does, and nothing else.
 */
import { InvalidInput } from "../core/errors.ts";
import { MINUTE_MS } from "../core/time.ts";
import { keyOf, prefixOf, readIndex, readMany } from "./kv.ts";
import type { Permission } from "./members.ts";
import { checkName } from "./names.ts";
import type { Organization } from "./organizations.ts";
import { randomHex, sha256 } from "./secrets.ts";

export interface OrganizationToken {
  /** 16 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  /** Name of who made it; it outlives their membership. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Up to ten minutes behind; null when never used. */
  readonly lastUsedAt: Date | null;
  /** By which people tell one from another. */
  readonly lastCharacters: string;
}

interface StoredToken extends OrganizationToken {
  readonly tokenHash: string;
}

/** What Sentry's `org:ci` permits: releases with their commits, deploys and source maps. */
export const CI_PERMISSIONS: readonly Permission[] = ["release:read", "release:write"];

/** Two underscores exactly: standard base64 has none. */
const TOKEN = /^sntrys_[A-Za-z0-9+/]{1,1000}={0,2}_[A-Za-z0-9+/]{43}$/;
const SECRET_BYTES = 32;
const MAX_TOKENS = 100;
const TOUCH_AFTER_MS = 10 * MINUTE_MS;

/**
 * Makes a token of an organization.
 *
 * @param baseUrl `config.baseUrl`, which its tools will send to
 * @returns the record, and the token itself, which is shown once and not kept
 * @throws {InvalidInput} for a malformed name, or when the organization has 100 tokens
 */
export async function createOrganizationToken(
  kv: Deno.Kv,
  { organization, name, createdBy, baseUrl }: {
    readonly organization: Organization;
    readonly name: string;
    readonly createdBy: string;
    readonly baseUrl: string;
  },
): Promise<{ organizationToken: OrganizationToken; token: string }> {
  const checked = checkName("name", name);
  const existing = await readIndex(kv, prefixOf.organizationTokens(organization.id));
  if (existing.length >= MAX_TOKENS) {
    throw new InvalidInput("name", `Delete a token first: ${MAX_TOKENS} are possible.`);
  }
  const createdAt = new Date();
  const token = newToken(organization.slug, baseUrl, createdAt);
  const stored: StoredToken = {
    id: randomHex(8),
    name: checked,
    organizationId: organization.id,
    createdBy,
    createdAt,
    lastUsedAt: null,
    lastCharacters: token.slice(-4),
    tokenHash: sha256(token),
  };
  await kv.atomic()
    .set(keyOf.organizationToken(stored.tokenHash), stored)
    .set(keyOf.organizationTokenOf(organization.id, stored.id), stored.tokenHash)
    .commit();
  return { organizationToken: withoutHash(stored), token };
}

/** In the form that Sentry's tools parse. The texts in it are ASCII, as addresses and slugs are. */
function newToken(slug: string, baseUrl: string, createdAt: Date): string {
  const claims = { iat: createdAt.getTime() / 1_000, url: baseUrl, region_url: baseUrl, org: slug };
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `sntrys_${btoa(JSON.stringify(claims))}_${secret.toBase64({ omitPadding: true })}`;
}

/**
 * Finds a token by itself, and notes now and then that it is in use. The claims in it are never read: its hash says whose
 * it is.
 *
 * @param token what the client sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for unknown and deleted tokens
 */
export async function findOrganizationToken(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<OrganizationToken | null> {
  if (!TOKEN.test(token)) return null;
  const entry = await kv.get<StoredToken>(keyOf.organizationToken(sha256(token)));
  if (entry.value === null) return null;
  if (now - (entry.value.lastUsedAt?.getTime() ?? 0) >= TOUCH_AFTER_MS) {
    // The check keeps a token that is deleted at this moment from coming back.
    const used = { ...entry.value, lastUsedAt: new Date(now) };
    await kv.atomic().check(entry).set(entry.key, used).commit();
  }
  return withoutHash(entry.value);
}

/** All of an organization, newest first. */
export async function listOrganizationTokens(
  kv: Deno.Kv,
  organizationId: string,
): Promise<OrganizationToken[]> {
  const hashes = await readIndex(kv, prefixOf.organizationTokens(organizationId));
  const tokens = await readMany<StoredToken>(
    kv,
    hashes.map((hash) => keyOf.organizationToken(hash)),
  );
  return tokens.map(withoutHash).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** Deletes a token: it is refused from the next request on. One that is not there changes nothing. */
export async function deleteOrganizationToken(
  kv: Deno.Kv,
  organizationId: string,
  id: string,
): Promise<void> {
  const index = await kv.get<string>(keyOf.organizationTokenOf(organizationId, id));
  if (index.value === null) return;
  await kv.atomic().delete(index.key).delete(keyOf.organizationToken(index.value)).commit();
}

function withoutHash({ tokenHash: _, ...token }: StoredToken): OrganizationToken {
  return token;
}
