import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "./kv.ts";
import { effectiveRole, type Permission, type Role, roleAllows, SCOPES } from "./members.ts";
import { checkName } from "./names.ts";
import { newSecret, randomHex, sameSecret, sha256 } from "./secrets.ts";
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
import { hasCheckDigits, withCheckDigits } from "./token_text.ts";
import { findUser } from "./users.ts";

/** Lets a program act for a user in one organization, within scopes and within what the user may do. */
export interface ApiToken extends TokenLimits {
  /** 16 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly scopes: readonly Permission[];
  readonly createdAt: Date;
  /** Up to ten minutes behind; null when never used. */
  readonly lastUsedAt: Date | null;
  /** By which people tell one from another; absent in records of before. */
  readonly lastCharacters?: string;
}

interface NewApiToken {
  readonly name: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** 1 to 365; null: never, which owners alone may choose. @default 365 */
  readonly expiresInDays?: number | null;
  /** Addresses and networks from which it is taken. @default everywhere */
  readonly networks?: readonly string[];
}

interface StoredToken extends ApiToken {
  readonly secretHash: string;
  /** Of the token before the last rotation, which holds until `formerUntil`. */
  readonly formerHash?: string;
}

/**
 * The prefix lets people and secret scanners see what it is; the id finds it; the secret proves it; the check digits tell a
 * token from its like. Those that were made before there were check digits go on working.
 */
const TOKEN = /^wpt_([0-9a-f]{16})_([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})?$/;
const MAX_TOKENS_PER_ORGANIZATION = 1_000;

/**
 * Makes a token.
 *
 * @param now milliseconds since 1970
 * @returns the record, and the token itself, which is shown once and not kept
 * @throws {InvalidInput} for a malformed name, scopes that are unknown, missing, or more than the user's role allows, an
 *   expiry that is too far, and networks that are none
 */
export async function createApiToken(
  kv: Deno.Kv,
  input: NewApiToken,
  now: number = Date.now(),
): Promise<{ apiToken: ApiToken; token: string }> {
  const { organizationId, userId } = input;
  const name = checkName("name", input.name);
  const role = await roleOfUser(kv, organizationId, userId);
  const scopes = checkScopes(role, input.scopes);
  const expiresAt = expiryOf(input.expiresInDays, role, now);
  const networks = networksOf(input.networks ?? []);
  const existing = await readIndex(kv, prefixOf.apiTokens(organizationId));
  if (existing.length >= MAX_TOKENS_PER_ORGANIZATION) {
    throw new InvalidInput(
      "name",
      t("Delete a token first: an organization has at most {max}.", {
        max: MAX_TOKENS_PER_ORGANIZATION,
      }),
    );
  }
  const id = randomHex(8);
  const { token, secretHash } = newToken(id);
  const stored: StoredToken = {
    id,
    name,
    organizationId,
    userId,
    scopes,
    createdAt: new Date(now),
    lastUsedAt: null,
    expiresAt,
    networks,
    lastCharacters: token.slice(-4),
    secretHash,
  };
  const atomic = kv.atomic()
    .set(keyOf.apiToken(id), stored)
    .set(keyOf.apiTokenOf(organizationId, id), id);
  await tellOf(atomic, "user.token.create", stored, null, stored).commit();
  return { apiToken: withoutSecret(stored), token };
}

/**
 * Gives a token a new secret; the old one holds for a while, so that its programs can be told.
 *
 * @param overlapDays 0 to 7
 * @param now milliseconds since 1970
 * @returns the record, and the new token, which is shown once
 * @throws {Denied} 404 when this organization has no such token
 * @throws {InvalidInput} for another overlap
 */
export async function rotateApiToken(
  kv: Deno.Kv,
  organizationId: string,
  id: string,
  overlapDays: number,
  now: number = Date.now(),
): Promise<{ apiToken: ApiToken; token: string }> {
  const formerUntil = overlapEnd(overlapDays, now);
  return await untilCommitted("rotate the token", async () => {
    const entry = await kv.get<StoredToken>(keyOf.apiToken(id));
    const former = entry.value;
    if (former?.organizationId !== organizationId) throw gone();
    const role = await roleOfUser(kv, organizationId, former.userId);
    const { token, secretHash } = newToken(id);
    const rotated: StoredToken = {
      ...former,
      secretHash,
      formerHash: former.secretHash,
      formerUntil,
      lastCharacters: token.slice(-4),
      expiresAt: !former.expiresAt && role === "owner" ? null : expiryOf(undefined, role, now),
    };
    const atomic = kv.atomic().check(entry).set(entry.key, rotated);
    tellOf(atomic, "user.token.rotate", rotated, former, rotated);
    return (await atomic.commit()).ok ? { apiToken: withoutSecret(rotated), token } : conflict;
  });
}

function newToken(id: string): { token: string; secretHash: string } {
  const secret = newSecret();
  return { token: withCheckDigits(`wpt_${id}_${secret}`), secretHash: sha256(secret) };
}

/**
 * Finds a token that may be used, and notes now and then that it is.
 *
 * @param token what the client sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for tokens that are unknown, deleted, or expired
 */
export async function findApiToken(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<ApiToken | null> {
  const found = await readApiToken(kv, token, { now, address: null });
  return found.ok ? found.token : null;
}

/** Like {@linkcode findApiToken}, and says what is wrong with the token. */
export async function readApiToken(
  kv: Deno.Kv,
  token: string,
  use: TokenUse,
): Promise<FoundToken<ApiToken>> {
  const [, id, secret, digits] = TOKEN.exec(token) ?? [];
  if (id === undefined || secret === undefined) return UNKNOWN;
  if (digits !== undefined && !hasCheckDigits(token)) return UNKNOWN;
  const entry = await kv.get<StoredToken>(keyOf.apiToken(id));
  if (entry.value === null) return UNKNOWN;
  const stored = entry.value;
  const hash = sha256(secret);
  if (!sameSecret(stored.secretHash, hash)) {
    if (stored.formerHash === undefined || !sameSecret(stored.formerHash, hash)) return UNKNOWN;
    if ((stored.formerUntil?.getTime() ?? 0) <= use.now) return { ok: false, problem: "expired" };
  }
  const problem = limitProblem(stored, use);
  if (problem !== null) return { ok: false, problem };
  await noteUse(kv, entry, use);
  return { ok: true, token: withoutSecret(stored) };
}

const UNKNOWN = { ok: false, problem: "unknown" } as const;

/** All tokens of an organization, newest first. */
export async function listApiTokens(kv: Deno.Kv, organizationId: string): Promise<ApiToken[]> {
  const ids = await readIndex(kv, prefixOf.apiTokens(organizationId));
  const tokens = await readMany<StoredToken>(kv, ids.map((id) => keyOf.apiToken(id)));
  return tokens.map(withoutSecret).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/**
 * Deletes a token: it is refused from the next request on.
 *
 * @returns false when this organization has no such token
 */
export async function deleteApiToken(
  kv: Deno.Kv,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const { value: token } = await kv.get<StoredToken>(keyOf.apiToken(id));
  if (token?.organizationId !== organizationId) return false;
  const atomic = kv.atomic()
    .delete(keyOf.apiToken(id))
    .delete(keyOf.apiTokenOf(organizationId, id));
  await tellOf(atomic, "user.token.remove", token, token, null).commit();
  return true;
}

async function roleOfUser(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Role | null> {
  const user = await findUser(kv, userId);
  return user && await effectiveRole(kv, organizationId, user);
}

function checkScopes(role: Role | null, scopes: readonly string[]): Permission[] {
  if (scopes.length === 0) throw new InvalidInput("scopes", t("Choose at least one scope."));
  return [...new Set(scopes)].map((text) => {
    const scope = SCOPES.find((known) => known === text);
    if (scope === undefined) throw new InvalidInput("scopes", t("Choose scopes from the list."));
    if (role === null || !roleAllows(role, scope)) {
      throw new InvalidInput(
        "scopes",
        t("Leave out {scope}: your own role does not include it.", { scope }),
      );
    }
    return scope;
  });
}

function withoutSecret({ secretHash: _, formerHash: __, ...token }: StoredToken): ApiToken {
  return token;
}

/** What of a token the audit log tells: all that somebody chose. */
function chosen({ name, scopes, expiresAt, networks, formerUntil }: StoredToken) {
  return { name, scopes, expiresAt, networks, formerUntil };
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
    target: { kind: "token", id, label: name },
    changes: changesBetween(before && chosen(before), after && chosen(after)),
  });
}

function gone(): Denied {
  return new Denied(404, t("This token does not exist any more."));
}
