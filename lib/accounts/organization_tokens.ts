/**
 * Tokens of an organization for its build servers, in the form of Sentry's: they say themselves which server and which
 * organization they are for, so that its tools need nothing else. They permit what a build does, and nothing else.
 */
import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "./kv.ts";
import type { Permission, Role } from "./members.ts";
import { checkName } from "./names.ts";
import type { Organization } from "./organizations.ts";
import { randomHex, sha256 } from "./secrets.ts";
import {
  expiryOf,
  type FoundToken,
  limitProblem,
  networksOf,
  noteUse,
  overlapEnd,
  type TokenLimits,
  type TokenUse,
} from "./token_limits.ts";

export interface OrganizationToken extends TokenLimits {
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
  /** Of the token before the last rotation, which holds until `formerUntil`. */
  readonly formerHash?: string;
  /** It was rotated: another one stands in its place, and it goes by itself. */
  readonly isFormer?: boolean;
}

/** What Sentry's `org:ci` permits: releases with their commits, deploys and source maps. */
export const CI_PERMISSIONS: readonly Permission[] = ["release:read", "release:write"];

/**
 * Two underscores exactly: standard base64 has none. There is no place for check digits, as Sentry's tools take no other
 * form: scanners know it by what its claims begin with.
 */
const TOKEN = /^sntrys_[A-Za-z0-9+/]{1,1000}={0,2}_[A-Za-z0-9+/]{43}$/;
const SECRET_BYTES = 32;
const MAX_TOKENS = 100;

interface NewOrganizationToken {
  readonly organization: Organization;
  readonly name: string;
  readonly createdBy: string;
  readonly baseUrl: string;
  /** Of who makes it: owners alone make some that never expire. @default "owner" */
  readonly role?: Role;
  /** 1 to 365; null: never. @default 365 */
  readonly expiresInDays?: number | null;
  /** Addresses and networks from which it is taken. @default everywhere */
  readonly networks?: readonly string[];
}

/**
 * Makes a token of an organization.
 *
 * @param input `baseUrl` is `config.baseUrl`, which its tools will send to
 * @param now milliseconds since 1970
 * @returns the record, and the token itself, which is shown once and not kept
 * @throws {InvalidInput} for a malformed name, expiry or network, or when the organization has 100 tokens
 */
export async function createOrganizationToken(
  kv: Deno.Kv,
  input: NewOrganizationToken,
  now: number = Date.now(),
): Promise<{ organizationToken: OrganizationToken; token: string }> {
  const { organization, createdBy, baseUrl, role = "owner" } = input;
  const name = checkName("name", input.name);
  const expiresAt = expiryOf(input.expiresInDays, role, now);
  const networks = networksOf(input.networks ?? []);
  const existing = await readIndex(kv, prefixOf.organizationTokens(organization.id));
  if (existing.length >= MAX_TOKENS) {
    throw new InvalidInput(
      "name",
      t("Delete a token first: {max} are possible.", { max: MAX_TOKENS }),
    );
  }
  const createdAt = new Date(now);
  const token = newToken(organization.slug, baseUrl, createdAt);
  const stored: StoredToken = {
    id: randomHex(8),
    name,
    organizationId: organization.id,
    createdBy,
    createdAt,
    lastUsedAt: null,
    lastCharacters: token.slice(-4),
    expiresAt,
    networks,
    tokenHash: sha256(token),
  };
  const atomic = kv.atomic()
    .set(keyOf.organizationToken(stored.tokenHash), stored)
    .set(keyOf.organizationTokenOf(organization.id, stored.id), stored.tokenHash);
  await tellOf(atomic, "org-auth-token.create", stored, null, stored).commit();
  return { organizationToken: withoutHash(stored), token };
}

/**
 * Replaces a token by a new one of the same name; the old one holds for a while, so that builds can be told.
 *
 * @param overlapDays 0 to 7
 * @param now milliseconds since 1970
 * @returns the record, and the new token, which is shown once
 * @throws {Denied} 404 when this organization has no such token
 * @throws {InvalidInput} for another overlap
 */
export async function rotateOrganizationToken(
  kv: Deno.Kv,
  { organization, baseUrl, role }: Pick<NewOrganizationToken, "organization" | "baseUrl"> & {
    readonly role: Role;
  },
  id: string,
  overlapDays: number,
  now: number = Date.now(),
): Promise<{ organizationToken: OrganizationToken; token: string }> {
  const formerUntil = overlapEnd(overlapDays, now);
  return await untilCommitted("rotate the token", async () => {
    const index = await kv.get<string>(keyOf.organizationTokenOf(organization.id, id));
    const entry = index.value && await kv.get<StoredToken>(keyOf.organizationToken(index.value));
    if (!entry || entry.value === null) {
      throw new Denied(404, t("This token does not exist any more."));
    }
    const former = entry.value;
    const token = newToken(organization.slug, baseUrl, new Date(now));
    const rotated: StoredToken = {
      ...former,
      expiresAt: !former.expiresAt && role === "owner" ? null : expiryOf(undefined, role, now),
      lastCharacters: token.slice(-4),
      tokenHash: sha256(token),
      formerHash: former.tokenHash,
      formerUntil,
    };
    const ends = Math.min(formerUntil.getTime(), former.expiresAt?.getTime() ?? Infinity);
    const atomic = kv.atomic().check(index, entry)
      .set(keyOf.organizationToken(rotated.tokenHash), rotated)
      .set(index.key, rotated.tokenHash);
    if (ends > now) {
      atomic.set(entry.key, { ...former, expiresAt: new Date(ends), isFormer: true }, {
        expireIn: ends - now,
      });
    } else atomic.delete(entry.key);
    // The one before the last holds no longer, whatever it was promised.
    if (former.formerHash !== undefined) atomic.delete(keyOf.organizationToken(former.formerHash));
    tellOf(atomic, "org-auth-token.edit", rotated, former, rotated);
    return (await atomic.commit()).ok
      ? { organizationToken: withoutHash(rotated), token }
      : conflict;
  });
}

/** In the form that Sentry's tools parse. The texts in it are ASCII, as addresses and slugs are. */
function newToken(slug: string, baseUrl: string, createdAt: Date): string {
  const claims = { iat: createdAt.getTime() / 1_000, url: baseUrl, region_url: baseUrl, org: slug };
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `sntrys_${btoa(JSON.stringify(claims))}_${secret.toBase64({ omitPadding: true })}`;
}

/**
 * Finds a token that may be used by itself, and notes now and then that it is. The claims in it are never read: its hash
 * says whose it is.
 *
 * @param token what the client sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for tokens that are unknown, deleted, or expired
 */
export async function findOrganizationToken(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<OrganizationToken | null> {
  const found = await readOrganizationToken(kv, token, { now, address: null });
  return found.ok ? found.token : null;
}

/** Like {@linkcode findOrganizationToken}, and says what is wrong with the token. */
export async function readOrganizationToken(
  kv: Deno.Kv,
  token: string,
  use: TokenUse,
): Promise<FoundToken<OrganizationToken>> {
  if (!TOKEN.test(token)) return { ok: false, problem: "unknown" };
  const entry = await kv.get<StoredToken>(keyOf.organizationToken(sha256(token)));
  if (entry.value === null) return { ok: false, problem: "unknown" };
  const problem = limitProblem(entry.value, use);
  if (problem !== null) return { ok: false, problem };
  if (!entry.value.isFormer) await noteUse(kv, entry, use);
  return { ok: true, token: withoutHash(entry.value) };
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
  await untilCommitted("delete the token", async () => {
    const index = await kv.get<string>(keyOf.organizationTokenOf(organizationId, id));
    if (index.value === null) return null;
    const { value: stored } = await kv.get<StoredToken>(keyOf.organizationToken(index.value));
    const atomic = kv.atomic().check(index)
      .delete(index.key)
      .delete(keyOf.organizationToken(index.value));
    if (stored !== null) {
      if (stored.formerHash !== undefined) {
        atomic.delete(keyOf.organizationToken(stored.formerHash));
      }
      tellOf(atomic, "org-auth-token.remove", stored, stored, null);
    }
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function withoutHash({ tokenHash: _, formerHash: __, ...token }: StoredToken): OrganizationToken {
  return token;
}

/** What of a token the audit log tells: all that somebody chose. */
function chosen({ name, expiresAt, networks, formerUntil }: StoredToken) {
  return { name, expiresAt, networks, formerUntil };
}

function tellOf(
  atomic: Deno.AtomicOperation,
  event: string,
  { id, name, organizationId }: StoredToken,
  before: StoredToken | null,
  after: StoredToken | null,
): Deno.AtomicOperation {
  return addAudit(atomic, {
    event,
    organizationId,
    target: { kind: "org-auth-token", id, label: name },
    changes: changesBetween(before && chosen(before), after && chosen(after)),
  });
}
