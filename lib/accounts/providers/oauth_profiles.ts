/**
 * Providers without OpenID Connect: who signed in is told by an address of their own. GitHub, Yandex ID and VK ID have no
 * discovery document (as of 2026); all three take PKCE.
 */
import type { ServerMetadata } from "openid-client";
import type { Claims } from "./profile.ts";
import type { Provider } from "./provider.ts";
import { ProviderFailure } from "./provider_fetch.ts";

type Ask = (
  url: string | URL,
  init?: { method?: string; headers?: HeadersInit; body?: unknown },
) => Promise<Response>;

/** Addresses of a provider that has no discovery; null: it has one. */
export function oauthMetadata({ kind, issuer }: Provider): ServerMetadata | null {
  const base = issuer.replace(/\/+$/, "");
  switch (kind) {
    case "oidc":
      return null;
    case "github":
      return {
        issuer: base,
        authorization_endpoint: `${base}/login/oauth/authorize`,
        token_endpoint: `${base}/login/oauth/access_token`,
      };
    case "yandex":
      return {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
      };
    case "vk":
      return {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/oauth2/auth`,
      };
  }
}

/**
 * VK ID answers with an ID token beside the access token, without a discovery that would tell whose it has to be: it is
 * left out, as the access token alone is used.
 */
export async function hasNoDiscovery(response: Response): Promise<Response> {
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== "object" || answer === null || !("id_token" in answer)) {
    return new Response(text, response);
  }
  const { id_token: _, ...rest } = answer;
  return Response.json(rest, { status: response.status });
}

/**
 * Asks who an access token belongs to, and answers as OpenID Connect's claims.
 *
 * @throws {ProviderFailure}
 */
export async function readOAuthProfile(
  provider: Provider,
  ask: Ask,
  accessToken: string,
): Promise<Claims> {
  switch (provider.kind) {
    case "github":
      return await readGitHub(provider, ask, accessToken);
    case "yandex":
      return await readYandex(provider, ask, accessToken);
    case "vk":
      return await readVk(provider, ask, accessToken);
    case "oidc":
      throw new Error("OpenID Connect has claims");
  }
}

/** https://docs.github.com/en/rest/users: an address of the profile may be any text; those of `/user/emails` are checked. */
async function readGitHub(provider: Provider, ask: Ask, accessToken: string): Promise<Claims> {
  const base = provider.issuer.replace(/\/+$/, "");
  const api = base === "https://github.com" ? "https://api.github.com" : `${base}/api/v3`;
  const headers = {
    authorization: `Bearer ${accessToken}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  };
  const get = (path: string) => readJson(ask, `${api}${path}`, { headers });
  const user = asRecord(await get("/user"));
  const emails = asList(await get("/user/emails")).map(asRecord);
  const email = emails.find(({ primary }) => primary === true) ?? emails[0] ?? {};
  const groups = provider.groupsClaim === "" ? {} : { groups: await gitHubGroups(get) };
  return {
    sub: user.id,
    name: user.name ?? user.login,
    preferred_username: user.login,
    email: email.email,
    email_verified: email.verified === true,
    ...groups,
  };
}

/** Organizations as `acme`, teams as `acme/backend`. Needs the scope `read:org`. */
async function gitHubGroups(get: (path: string) => Promise<unknown>): Promise<string[]> {
  const [organizations, teams] = await Promise.all([
    get("/user/orgs?per_page=100"),
    get("/user/teams?per_page=100"),
  ]);
  const logins = asList(organizations).map((each) => asRecord(each).login);
  const slugs = asList(teams).map(asRecord).map(({ slug, organization }) =>
    `${asRecord(organization).login}/${slug}`
  );
  return [...logins, ...slugs].filter((each): each is string => typeof each === "string");
}

/** https://yandex.ru/dev/id/doc/en/user-information: it does not say whether the address is verified. */
async function readYandex({ issuer }: Provider, ask: Ask, accessToken: string): Promise<Claims> {
  const url = issuer.startsWith("https://oauth.yandex.")
    ? "https://login.yandex.ru/info?format=json"
    : `${issuer.replace(/\/+$/, "")}/info?format=json`;
  const headers = { authorization: `OAuth ${accessToken}` };
  const info = asRecord(await readJson(ask, url, { headers }));
  return {
    ...info,
    sub: info.id,
    name: info.real_name || info.display_name,
    preferred_username: info.login,
    email: info.default_email,
  };
}

/** https://id.vk.com/about/business/go/docs: it does not say whether the address is verified. */
async function readVk(provider: Provider, ask: Ask, accessToken: string): Promise<Claims> {
  const { issuer, clientId } = provider;
  const answer = asRecord(
    await readJson(ask, `${issuer.replace(/\/+$/, "")}/oauth2/user_info`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: clientId, access_token: accessToken }),
    }),
  );
  const user = asRecord(answer.user);
  return {
    sub: user.user_id,
    given_name: user.first_name,
    family_name: user.last_name,
    email: user.email,
  };
}

async function readJson(ask: Ask, url: string, init: Parameters<Ask>[1]): Promise<unknown> {
  const response = await ask(url, init);
  if (!response.ok) {
    throw new ProviderFailure(`${new URL(url).host}: HTTP ${response.status} for ${url}`);
  }
  try {
    return await response.json();
  } catch (error) {
    throw new ProviderFailure(`${new URL(url).host}: The answer is no JSON.`, { cause: error });
  }
}

function asRecord(value: unknown): Claims {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
