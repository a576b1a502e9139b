import { MINUTE_MS } from "../core/time.ts";
import { InvalidInput } from "../core/errors.ts";
import { keyOf, prefixOf, readIndex, readMany } from "./kv.ts";
import { effectiveRole, type Permission, roleAllows, SCOPES } from "./members.ts";
import { checkName } from "./names.ts";
import { newSecret, randomHex, sameSecret, sha256 } from "./secrets.ts";
import { findUser } from "./users.ts";

/** Lets a program act for a user in one organization, within scopes and within what the user may do. */
export interface ApiToken {
  /** 16 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly scopes: readonly Permission[];
  readonly createdAt: Date;
  /** Up to ten minutes behind; null when never used. */
  readonly lastUsedAt: Date | null;
}

interface NewApiToken {
  readonly name: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
}

interface StoredToken extends ApiToken {
  readonly secretHash: string;
}

/** The prefix lets people and secret scanners see what it is; the id finds it; the secret proves it. */
const TOKEN = /^wpt_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
const MAX_TOKENS_PER_ORGANIZATION = 1_000;
const TOUCH_AFTER_MS = 10 * MINUTE_MS;

/**
 * Makes a token.
 *
 * @returns the record, and the token itself, which is shown once and not kept
 * @throws {InvalidInput} for a malformed name, or scopes that are unknown, missing, or more than the
 *   user's role allows
 */
export async function createApiToken(
  kv: Deno.Kv,
  input: NewApiToken,
): Promise<{ apiToken: ApiToken; token: string }> {
  const { organizationId, userId } = input;
  const name = checkName("name", input.name);
  const scopes = await checkScopes(kv, input);
  const existing = await readIndex(kv, prefixOf.apiTokens(organizationId));
  if (existing.length >= MAX_TOKENS_PER_ORGANIZATION) {
    throw new InvalidInput(
      "name",
      `Delete a token first: an organization has at most ${MAX_TOKENS_PER_ORGANIZATION}.`,
    );
  }
  const id = randomHex(8);
  const secret = newSecret();
  const created = { name, organizationId, userId, scopes, createdAt: new Date(), lastUsedAt: null };
  const stored: StoredToken = { id, ...created, secretHash: sha256(secret) };
  await kv.atomic()
    .set(keyOf.apiToken(id), stored)
    .set(keyOf.apiTokenOf(organizationId, id), id)
    .commit();
  return { apiToken: withoutSecret(stored), token: `wpt_${id}_${secret}` };
}

/**
 * Finds a token, and notes now and then that it is in use.
 *
 * @param token what the client sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for unknown and deleted tokens
 */
export async function findApiToken(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<ApiToken | null> {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  if (id === undefined || secret === undefined) return null;
  const entry = await kv.get<StoredToken>(keyOf.apiToken(id));
  if (entry.value === null || !sameSecret(entry.value.secretHash, sha256(secret))) return null;
  const lastUsed = entry.value.lastUsedAt?.getTime() ?? 0;
  if (now - lastUsed >= TOUCH_AFTER_MS) await touch(kv, entry, entry.value, now);
  return withoutSecret(entry.value);
}

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
  await kv.atomic()
    .delete(keyOf.apiToken(id))
    .delete(keyOf.apiTokenOf(organizationId, id))
    .commit();
  return true;
}

async function checkScopes(
  kv: Deno.Kv,
  { organizationId, userId, scopes }: NewApiToken,
): Promise<Permission[]> {
  if (scopes.length === 0) throw new InvalidInput("scopes", "Choose at least one scope.");
  const user = await findUser(kv, userId);
  const role = user && await effectiveRole(kv, organizationId, user);
  return [...new Set(scopes)].map((text) => {
    const scope = SCOPES.find((known) => known === text);
    if (scope === undefined) throw new InvalidInput("scopes", "Choose scopes from the list.");
    if (role === null || !roleAllows(role, scope)) {
      throw new InvalidInput("scopes", `Leave out ${scope}: your own role does not include it.`);
    }
    return scope;
  });
}

/** The check keeps a token that is deleted at this moment from coming back. */
async function touch(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<StoredToken>,
  stored: StoredToken,
  now: number,
): Promise<void> {
  await kv.atomic().check(entry).set(entry.key, { ...stored, lastUsedAt: new Date(now) }).commit();
}

function withoutSecret({ secretHash: _, ...token }: StoredToken): ApiToken {
  return token;
}
