/**
 * A provider of single sign-on on a port of its own: npm's `oidc-provider`, which a test can have answer wrongly. Whoever
 * comes is signed in at once as the person that the test names.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider from "oidc-provider";
import { callbackUrl } from "../../lib/accounts/providers/provider.ts";

/** What the provider tells of somebody. */
export type Person = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Changes an answer before it is sent. */
export type Alteration = (
  path: string,
  answer: { status: number; body: string },
) => Promise<{ status: number; body: string }> | { status: number; body: string };

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Signs its tokens. */
  readonly key: CryptoKey;
  /** Who is signed in there from now on. */
  person: Person;
  /** What becomes of its answers. */
  alter: Alteration;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Goes to where our app sends a browser, and answers where it is sent back to. */
  visit(url: string): Promise<URL>;
  /** Its browser, as `visit()` uses it, signs out there. */
  readonly cookies: Map<string, string>;
}

interface Options {
  /** Of our app. */
  readonly baseUrl?: string;
  /** Ids of the providers at our app. */
  readonly ids?: readonly string[];
  /** What the provider's own requests go through, such as those that tell of a logout. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** A page asks who signs in, for browsers. @default false */
  readonly asks?: boolean;
}

export async function identityProvider(options: Options = {}): Promise<IdentityProvider> {
  const { baseUrl = "http://localhost:8000", ids = ["test"], asks = false } = options;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk: JWK = { ...await exportJWK(privateKey), kid: "one", alg: "RS256", use: "sig" };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const idp: Mutable = {
    person: { sub: "alice", email: "alice@example.com", email_verified: true, name: "Alice" },
    alter: (_path, answer) => answer,
  };
  const clientSecret = "a secret of the client, long enough";
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "watchpost",
      client_secret: clientSecret,
      redirect_uris: ids.map((id) => callbackUrl({ baseUrl }, id)),
      post_logout_redirect_uris: [`${baseUrl}/sign-in`],
      token_endpoint_auth_method: "client_secret_post",
      backchannel_logout_uri: `${baseUrl}/sign-in/with/${ids[0]}/back-channel-logout`,
      backchannel_logout_session_required: true,
    }],
    jwks: { keys: [jwk] },
    cookies: { keys: ["a key of cookies"] },
    conformIdTokenClaims: false,
    claims: {
      openid: ["sub", "groups"],
      email: ["email", "email_verified"],
      profile: ["name"],
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ ...idp.person, sub }),
    }),
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ...options.fetch === undefined ? {} : {
      fetch: (url: string | URL, init?: RequestInit) => options.fetch?.(new Request(url, init)),
    },
  });
  const asked: string[] = [];
  const callback = provider.callback();

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const path = new URL(request.url ?? "/", issuer).pathname;
    asked.push(path);
    if (path.startsWith("/interaction/")) {
      if (asks && request.method === "GET") return askWho(response);
      return await finish(request, response);
    }
    if (/^\/(?:token|me|jwks|\.well-known)/.test(path)) catchAnswer(path, response);
    callback(request, response);
  }

  async function finish(request: IncomingMessage, response: ServerResponse) {
    const { params, session } = await provider.interactionDetails(request, response);
    const accountId = session?.accountId ?? idp.person.sub;
    const grant = new provider.Grant({ accountId: idp.person.sub, clientId: params.client_id });
    grant.addOIDCScope("openid email profile");
    await provider.interactionFinished(request, response, {
      login: { accountId: accountId === idp.person.sub ? accountId : idp.person.sub },
      consent: { grantId: await grant.save() },
    }, { mergeWithLastSubmission: false });
  }

  function catchAnswer(path: string, response: ServerResponse) {
    const end = response.end.bind(response);
    response.end = ((body?: unknown) => {
      const text = body === undefined ? "" : String(body);
      Promise.resolve(idp.alter(path, { status: response.statusCode, body: text })).then(
        (altered) => {
          response.statusCode = altered.status;
          response.removeHeader("content-length");
          end(altered.body);
        },
      );
      return response;
    }) as typeof response.end;
  }

  const cookies = new Map<string, string>();
  return Object.assign(idp, {
    issuer,
    clientId: "watchpost",
    clientSecret,
    key: privateKey,
    asked,
    cookies,
    visit: (url: string) => visit(url, issuer, cookies),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

interface Mutable {
  person: Person;
  alter: Alteration;
}

function askWho(response: ServerResponse) {
  response.setHeader("content-type", "text/html");
  response.end(
    `<title>Provider</title><form method="post"><button>Sign in as Alice</button></form>`,
  );
}

/** Follows redirects as a browser does, until one leads away. */
async function visit(
  start: string,
  issuer: string,
  cookies: Map<string, string>,
): Promise<URL> {
  let url = new URL(start);
  for (let hops = 0; hops < 10; hops++) {
    if (url.origin !== issuer) return url;
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    await response.body?.cancel();
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=", 2);
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${url.pathname}: ${response.status} and no redirect`);
    url = new URL(location, url);
  }
  throw new Error("Too many redirects");
}
