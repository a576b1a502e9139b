import { arrive } from "../../accounts/providers/arrival.ts";
import { HEADER_ID, type Provider, providerPath } from "../../accounts/providers/provider.ts";
import type { Profile } from "../../accounts/providers/profile.ts";
import { newSecret } from "../../accounts/secrets.ts";
import { completeSignIn } from "../sign_in.ts";
import { strangerCookie } from "./attempt_cookies.ts";
import { type Connected, HEADER_ISSUER, namedByProxy } from "./auth_header.ts";
import { type Flowing, MANAGED_LIFETIME_MS } from "./flow.ts";
import { hasInviteAt } from "./invites.ts";

/**
 * Signs in whom a trusted proxy names.
 *
 * @param next a path within this service
 * @returns null when it names nobody, or who it names is about to connect an account
 */
export async function signInByHeader(
  ctx: Flowing & Connected,
  next: string,
): Promise<Response | null> {
  const { services } = ctx.state;
  const email = namedByProxy(ctx, services.config);
  const connect = `${providerPath(HEADER_ID)}/connect`;
  // There the password is asked for once: to come back here at once would be a circle.
  if (email === null || next.startsWith(connect)) return null;
  const profile = profileOf(email);
  const provider = proxyOf(services.config.authHeader?.mayCreate ?? false);
  const hasInvite = await hasInviteAt(ctx, next, email);
  const arrival = await arrive(services.kv, provider, profile, { hasInvite });
  if ("user" in arrival) {
    const lifetimeMs = MANAGED_LIFETIME_MS;
    return await completeSignIn(ctx, { user: arrival.user, method: "header", lifetimeMs }, next);
  }
  const response = new Response(null, { status: 303, headers: { location: connect } });
  response.headers.append(
    "set-cookie",
    await strangerCookie(services, {
      providerId: HEADER_ID,
      profile,
      why: arrival.why,
      id: newSecret(),
      startedAt: Date.now(),
      next,
    }),
  );
  return response;
}

function profileOf(email: string): Profile {
  return {
    issuer: HEADER_ISSUER,
    subject: email,
    email,
    isEmailVerified: true,
    name: "",
    groups: [],
    hasMoreGroups: false,
    sid: null,
    authTime: null,
  };
}

/** The proxy as a provider: the operator trusts it, and it knows addresses alone. */
function proxyOf(mayCreate: boolean): Provider {
  return {
    id: HEADER_ID,
    kind: "oidc",
    preset: HEADER_ID,
    name: HEADER_ID,
    isEnabled: true,
    issuer: HEADER_ISSUER,
    clientId: "",
    clientAuth: "none",
    scopes: "",
    clockSkewSec: 0,
    isTrusted: true,
    tellsVerifiedOnly: true,
    mayCreate,
    domains: [],
    requiredGroup: "",
    groupsClaim: "",
    needsGroup: false,
    rules: [],
    endsThere: false,
    sealedSecret: null,
    createdAt: new Date(0),
  };
}
