/** Somebody signed out at a provider, which tells us: OpenID Connect Back-Channel Logout 1.0. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { DAY_MS } from "../../core/time.ts";
import { keyOf, prefixOf } from "../kv.ts";
import { listSessions, revokeSessions, SESSION_LIFETIME_MS } from "../sessions.ts";
import { sha256 } from "../secrets.ts";
import type { User } from "../users.ts";
import { spendOnce } from "./attempts.ts";
import { findIdentity } from "./identities.ts";
import { configurationOf, type ProviderStores } from "./protocol.ts";
import type { Provider } from "./provider.ts";
import { ProviderFailure, providerFetch } from "./provider_fetch.ts";

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** A logout token that is older is refused, whatever its end says. */
const MAX_AGE_SEC = 10 * 60;
const MAX_TOKEN_LENGTH = 16_000;

/** The logout token does not hold; the message says why, for the provider. */
export class BadLogoutToken extends Error {
  override name = "BadLogoutToken";
}

/** By the address of the keys: each keeps them, and fetches again at most every half minute. */
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
const MAX_KEY_SETS = 50;

/**
 * Ends the sessions that a logout token names: those of one session there (`sid`), or all of a person's (`sub`) that began
 * by this provider.
 *
 * @param token what was sent, whatever it is
 * @returns how many ended
 * @throws {BadLogoutToken}
 * @throws {ProviderFailure} when the provider's keys cannot be read
 */
export async function endByProvider(
  stores: ProviderStores,
  provider: Provider,
  token: string,
): Promise<number> {
  const { kv } = stores;
  const { payload, issuer } = await verifyLogoutToken(stores, provider, token);
  const { sid, sub } = payload;
  if (typeof sid === "string" && sid !== "") return await endBySid(kv, provider, issuer, sid);
  const found = await findIdentity(kv, { issuer, subject: sub ?? "" });
  if (found === null) return 0;
  const sessions = await listSessions(kv, found.user.id);
  const ids = sessions.filter((session) => session.provider === provider.id).map(({ id }) => id);
  return await revokeSessions(kv, found.user, ids);
}

/** Section 2.6 of the specification, in its order. */
async function verifyLogoutToken(
  stores: ProviderStores,
  provider: Provider,
  token: string,
): Promise<{ payload: JWTPayload; issuer: string }> {
  if (provider.kind !== "oidc") throw new BadLogoutToken("This provider has no logout tokens");
  if (token.length > MAX_TOKEN_LENGTH) throw new BadLogoutToken("The token is too long");
  const { issuer, jwks_uri } = (await configurationOf(stores, provider)).serverMetadata();
  if (jwks_uri === undefined) throw new ProviderFailure("The provider names no keys (jwks_uri).");
  const payload = await verify(token, keySetOf(stores, jwks_uri), {
    issuer,
    audience: provider.clientId,
    clockTolerance: provider.clockSkewSec,
    maxTokenAge: MAX_AGE_SEC,
    requiredClaims: ["iat", "jti", "events"],
    // Nothing that is signed with the client's own secret, and never `none`.
    algorithms: [
      "RS256",
      "RS384",
      "RS512",
      "PS256",
      "PS384",
      "PS512",
      "ES256",
      "ES384",
      "ES512",
      "EdDSA",
      "Ed25519",
    ],
  });
  if (
    typeof payload.events !== "object" || payload.events === null ||
    !isRecord(Object(payload.events)[LOGOUT_EVENT])
  ) {
    throw new BadLogoutToken("The token is none of a logout (events)");
  }
  if (payload.nonce !== undefined) throw new BadLogoutToken("A logout token has no nonce");
  if (typeof payload.sub !== "string" && typeof payload.sid !== "string") {
    throw new BadLogoutToken("The token names neither sub nor sid");
  }
  const lifetimeMs = (MAX_AGE_SEC + 2 * provider.clockSkewSec) * 1000;
  const { jti } = payload;
  if (typeof jti !== "string" || jti === "") throw new BadLogoutToken("The token has no jti");
  if (!await spendOnce(stores.kv, "logout token", JSON.stringify([issuer, jti]), lifetimeMs)) {
    throw new BadLogoutToken("The token was used before (jti)");
  }
  return { payload, issuer };
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function verify(
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  options: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, options);
    // Explicit types are new: who sends one must send this one.
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, "");
    if (type !== undefined && type !== "jwt" && type !== "logout+jwt") {
      throw new BadLogoutToken("The token is of another type (typ)");
    }
    return payload;
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    if (error instanceof Error && error.cause instanceof ProviderFailure) throw error.cause;
    if (error instanceof errors.JWKSTimeout) {
      throw new ProviderFailure("The provider's keys did not come in time.", { cause: error });
    }
    if (error instanceof errors.JOSEError) {
      throw new BadLogoutToken(error.message, { cause: error });
    }
    throw error;
  }
}

function keySetOf(stores: ProviderStores, address: string) {
  const known = keySets.get(address);
  if (known !== undefined) return known;
  if (keySets.size >= MAX_KEY_SETS) keySets.clear();
  const fetch = providerFetch(stores.config);
  const made = createRemoteJWKSet(new URL(address), {
    [customFetch]: (url, init) => fetch(url, init),
    cacheMaxAge: DAY_MS,
  });
  keySets.set(address, made);
  return made;
}

/** Remembers which session of ours began by which session at the provider. */
export async function rememberSid(
  kv: Deno.Kv,
  provider: Provider,
  { issuer, sid }: { readonly issuer: string; readonly sid: string | null },
  session: { readonly id: string; readonly userId: string },
): Promise<void> {
  if (sid === null) return;
  const key = keyOf.providerSession(hashOf(provider, issuer, sid), session.id);
  await kv.set(key, session.userId, { expireIn: SESSION_LIFETIME_MS });
}

async function endBySid(
  kv: Deno.Kv,
  provider: Provider,
  issuer: string,
  sid: string,
): Promise<number> {
  let ended = 0;
  const prefix = prefixOf.providerSessions(hashOf(provider, issuer, sid));
  for await (const { key, value: userId } of kv.list<string>({ prefix })) {
    const { value: user } = await kv.get<User>(keyOf.user(userId));
    if (user !== null) ended += await revokeSessions(kv, user, [String(key.at(-1))]);
    await kv.delete(key);
  }
  return ended;
}

function hashOf({ id }: Provider, issuer: string, sid: string): string {
  return sha256(JSON.stringify([id, issuer, sid]));
}
