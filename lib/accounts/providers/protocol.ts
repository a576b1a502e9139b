/**
 * The authorization code flow with PKCE, as every provider is spoken to: OpenID Connect Core 1.0 with discovery, RFC 7636
 * and RFC 9207; of OAuth 2 alone what `oauth_profiles.ts` says.
 */
import * as client from "openid-client";
import type { Config } from "../../core/config.ts";
import { HOUR_MS } from "../../core/time.ts";
import { sha256 } from "../secrets.ts";
import { hasNoDiscovery, oauthMetadata, readOAuthProfile } from "./oauth_profiles.ts";
import { BadClaims, type Claims, type Profile, profileOf } from "./profile.ts";
import { callbackUrl, type Provider, secretOf } from "./provider.ts";
import { isNamed, ProviderFailure, providerFetch } from "./provider_fetch.ts";

export interface ProviderStores {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "secretKey" | "baseUrl" | "signInAllow">;
}

/** What has to be known again when the browser comes back; secret. */
export interface Handshake {
  readonly state: string;
  /** Of OAuth without OpenID Connect nobody repeats it. */
  readonly nonce: string;
  readonly verifier: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Identity must be proven anew there. */
  readonly isAgain: boolean;
}

export interface Answered {
  readonly profile: Profile;
  readonly claims: Claims;
}

/** The person said no there. */
export class Cancelled extends Error {
  override name = "Cancelled";
}

/** How long a discovery holds; keys are fetched again by themselves when a token names one that is unknown. */
const CONFIGURATION_MS = 24 * HOUR_MS;
/** As long as what a slow provider may take for each of its answers. */
const TIMEOUT_SEC = 10;

interface Cached {
  readonly until: number;
  readonly configuration: Promise<client.Configuration>;
}

/** By everything that a configuration is made from, so that a changed provider gets a new one. */
const configurations = new Map<string, Cached>();

/**
 * The provider's addresses and keys, and how we prove ourselves there.
 *
 * @throws {ProviderFailure}
 */
export async function configurationOf(
  stores: ProviderStores,
  provider: Provider,
): Promise<client.Configuration> {
  const key = keyOfConfiguration(stores, provider);
  const now = Date.now();
  for (const [each, { until }] of configurations) if (until <= now) configurations.delete(each);
  const cached = configurations.get(key);
  if (cached !== undefined) return await cached.configuration;
  const configuration = configure(stores, provider);
  configurations.set(key, { until: now + CONFIGURATION_MS, configuration });
  try {
    return await configuration;
  } catch (error) {
    configurations.delete(key);
    throw failureOf(error);
  }
}

/** Forgets addresses and keys: something did not fit, and they may have changed. */
export function forgetConfiguration(stores: ProviderStores, provider: Provider): void {
  configurations.delete(keyOfConfiguration(stores, provider));
}

function keyOfConfiguration({ config }: ProviderStores, provider: Provider): string {
  const { id, kind, issuer, clientId, clientAuth, clockSkewSec, sealedSecret } = provider;
  return sha256(JSON.stringify([
    [id, kind, issuer, clientId, clientAuth, clockSkewSec, sealedSecret?.toHex() ?? null],
    [config.baseUrl, config.signInAllow, config.secretKey],
  ]));
}

async function configure(
  stores: ProviderStores,
  provider: Provider,
): Promise<client.Configuration> {
  const { config } = stores;
  const secret = await secretOf(stores, provider);
  if (secret === null && provider.clientAuth !== "none") {
    throw new ProviderFailure(
      "The client secret cannot be read: SERVICE_SECRET_KEY has changed. Enter the secret again.",
    );
  }
  const issuer = URL.parse(provider.issuer);
  if (issuer === null) throw new ProviderFailure("The issuer is no address.");
  const auth = authOf(provider, secret ?? "");
  const metadata = { [client.clockTolerance]: provider.clockSkewSec };
  const fetch = providerFetch(config);
  const known = oauthMetadata(provider);
  if (known !== null) {
    const made = new client.Configuration(known, provider.clientId, metadata, auth);
    made[client.customFetch] = (url, init) => fetch(url, init).then(hasNoDiscovery);
    if (isNamed(issuer, config.signInAllow)) client.allowInsecureRequests(made);
    made.timeout = TIMEOUT_SEC;
    return made;
  }
  return await client.discovery(issuer, provider.clientId, metadata, auth, {
    [client.customFetch]: fetch,
    timeout: TIMEOUT_SEC,
    execute: [
      // The code flow trusts TLS alone by default: a token with a forged signature would do.
      client.enableNonRepudiationChecks,
      ...isNamed(issuer, config.signInAllow) ? [client.allowInsecureRequests] : [],
    ],
  });
}

function authOf({ clientAuth }: Provider, secret: string): client.ClientAuth {
  if (clientAuth === "none") return client.None();
  return clientAuth === "client_secret_basic"
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
}

/**
 * Where to send a browser so that somebody signs in, and what to know again when it comes back.
 *
 * @param isAgain whether the provider has to ask for the password, though it knows who is there
 * @throws {ProviderFailure}
 */
export async function startHandshake(
  stores: ProviderStores,
  provider: Provider,
  { isAgain }: { readonly isAgain: boolean },
): Promise<{ url: URL; handshake: Handshake }> {
  const configuration = await configurationOf(stores, provider);
  const handshake: Handshake = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    startedAt: Date.now(),
    isAgain,
  };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(stores.config, provider.id),
    scope: provider.scopes,
    state: handshake.state,
    code_challenge: await client.calculatePKCECodeChallenge(handshake.verifier),
    code_challenge_method: "S256",
    ...provider.kind === "oidc" ? { nonce: handshake.nonce } : {},
    ...isAgain ? { prompt: "login", max_age: "0" } : {},
  });
  return { url, handshake };
}

/**
 * Who came back.
 *
 * @param search the query that the browser came back with
 * @throws {Cancelled}
 * @throws {ProviderFailure} when the answer does not fit what was asked, or cannot be verified
 */
export async function finishHandshake(
  stores: ProviderStores,
  provider: Provider,
  handshake: Handshake,
  search: string,
): Promise<Answered> {
  try {
    const configuration = await configurationOf(stores, provider);
    // Behind a proxy the request's own address is another one than the registered one.
    const url = new URL(callbackUrl(stores.config, provider.id));
    url.search = search;
    const answered = provider.kind === "oidc"
      ? await readTokens(configuration, provider, handshake, url)
      : await readOAuth(stores, configuration, provider, handshake, url);
    if (handshake.isAgain) requireFresh(provider, handshake, answered.profile);
    return answered;
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError && error.error === "access_denied") {
      throw new Cancelled("The person said no", { cause: error });
    }
    forgetConfiguration(stores, provider);
    throw failureOf(error);
  }
}

async function readTokens(
  configuration: client.Configuration,
  provider: Provider,
  { state, nonce, verifier }: Handshake,
  url: URL,
): Promise<Answered> {
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    expectedState: state,
    idTokenExpected: true,
  });
  const claims: Claims = { ...tokens.claims() };
  const { sub, iat } = claims;
  if (typeof sub !== "string") throw new BadClaims("The ID token has no subject.");
  if (typeof iat === "number" && iat > Date.now() / 1000 + provider.clockSkewSec) {
    throw new ProviderFailure("The ID token is of the future: the clocks differ (iat).");
  }
  const { issuer, userinfo_endpoint } = configuration.serverMetadata();
  const isShort = claims.email === undefined || claims.name === undefined ||
    provider.groupsClaim !== "" && profileOf(provider, issuer, claims).groups.length === 0;
  const more: Claims = isShort && userinfo_endpoint !== undefined
    ? { ...await client.fetchUserInfo(configuration, tokens.access_token, sub) }
    : {};
  const all = merged(claims, more);
  return { profile: profileOf(provider, issuer, all), claims: all };
}

/** The ID token's claims come first. Whether an address is verified is taken from where the address is from. */
function merged(claims: Claims, more: Claims): Claims {
  if (claims.email !== undefined) {
    const { email: _, email_verified: __, xms_edov: ___, ...rest } = more;
    return { ...rest, ...claims };
  }
  const { email_verified: _, xms_edov: __, ...rest } = claims;
  return { ...more, ...rest };
}

async function readOAuth(
  stores: ProviderStores,
  configuration: client.Configuration,
  provider: Provider,
  { state, verifier }: Handshake,
  url: URL,
): Promise<Answered> {
  // VK ID binds the code to a device, which its answer names.
  const device = url.searchParams.get("device_id");
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  }, provider.kind === "vk" && device !== null ? { device_id: device, state } : {});
  const ask = providerFetch(stores.config);
  const claims = await readOAuthProfile(provider, ask, tokens.access_token);
  const { issuer } = configuration.serverMetadata();
  return { profile: profileOf(provider, issuer, claims), claims };
}

/** Asked to prove themselves anew, they must have done so since. */
function requireFresh(provider: Provider, { startedAt }: Handshake, { authTime }: Profile): void {
  if (authTime !== null && authTime >= startedAt / 1000 - provider.clockSkewSec - 1) return;
  throw new ProviderFailure(
    authTime === null
      ? "The provider does not tell when somebody signed in there (auth_time)."
      : "The provider did not ask again: the sign-in there is an old one (auth_time).",
  );
}

/**
 * Where to send a browser so that it is signed out at the provider as well; null when it has no such address.
 *
 * @throws {ProviderFailure}
 */
export async function signOutUrl(
  stores: ProviderStores,
  provider: Provider,
): Promise<URL | null> {
  const configuration = await configurationOf(stores, provider);
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  return client.buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: `${stores.config.baseUrl}/sign-in`,
  });
}

/** What went wrong in words for the log and the administrator, without anything secret. */
export function failureOf(error: unknown): Error {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BadClaims) return new ProviderFailure(error.message, { cause: error });
  const cause = error instanceof Error && error.cause instanceof ProviderFailure
    ? error.cause
    : null;
  if (cause !== null) return cause;
  if (
    error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError
  ) {
    const text = [error.error, error.error_description].filter(Boolean).join(": ");
    return new ProviderFailure(`The provider refuses: ${text.slice(0, MAX_TEXT)}`, {
      cause: error,
    });
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return new ProviderFailure(`The provider refuses: HTTP ${error.status}`, { cause: error });
  }
  if (error instanceof client.ClientError) {
    const text = [error.code, error.message].filter(Boolean).join(": ");
    return new ProviderFailure(text.slice(0, MAX_TEXT), { cause: error });
  }
  if (error instanceof TypeError || error instanceof SyntaxError || isTimeout(error)) {
    const { message } = error;
    return new ProviderFailure(`The answer cannot be read: ${message.slice(0, MAX_TEXT)}`, {
      cause: error,
    });
  }
  return error instanceof Error ? error : new Error(String(error));
}

const MAX_TEXT = 300;

function isTimeout(error: unknown): error is DOMException {
  return error instanceof DOMException;
}
