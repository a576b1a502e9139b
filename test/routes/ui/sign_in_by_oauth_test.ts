import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { listIdentities } from "../../../lib/accounts/providers/identities.ts";
import { createProvider, type ProviderKind } from "../../../lib/accounts/providers/provider.ts";
import { findUserByEmail } from "../../../lib/accounts/users.ts";
import { LOCAL_PROVIDERS, STRICT } from "../../support/provider_settings.ts";
import { type Acme, acme, type Visitor } from "../../support/ui_app.ts";

/** What a provider without OpenID Connect was asked, and answers. */
interface OAuthServer extends AsyncDisposable {
  readonly issuer: string;
  /** By path; the token endpoint's as well. */
  readonly answers: Record<string, unknown>;
  readonly asked: { path: string; headers: Headers; form: URLSearchParams }[];
}

function oauthServer(answers: Record<string, unknown>): OAuthServer {
  const asked: OAuthServer["asked"] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const form = new URLSearchParams(request.method === "POST" ? await request.text() : "");
    asked.push({ path: pathname, headers: request.headers, form });
    const answer = answers[pathname];
    return answer === undefined ? new Response("", { status: 404 }) : Response.json(answer);
  });
  return {
    issuer: `http://127.0.0.1:${server.addr.port}`,
    answers,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function setUp(app: Acme, kind: ProviderKind, issuer: string, more = {}): Promise<void> {
  await createProvider(app.services, {
    id: kind,
    kind,
    preset: kind,
    settings: { ...STRICT, issuer, clientId: "client", mayCreate: true, ...more },
    secret: kind === "vk" ? "" : "the secret",
  });
}

/** @returns what our callback answers */
async function signIn(visitor: Visitor, kind: ProviderKind, more: Record<string, string> = {}) {
  const away = new URL((await visitor.get(`/sign-in/with/${kind}`)).location ?? "");
  const query = new URLSearchParams({
    code: "the code",
    state: away.searchParams.get("state") ?? "",
    ...more,
  });
  return { away, answer: await visitor.get(`/sign-in/with/${kind}/callback?${query}`) };
}

Deno.test("GitHub signs in by its number, with the primary address and whether it is verified", async () => {
  await using github = oauthServer({
    "/login/oauth/access_token": { access_token: "t", token_type: "bearer", scope: "user" },
    "/api/v3/user": { id: 583231, login: "octocat", name: "Octo Cat", email: "faked@example.com" },
    "/api/v3/user/emails": [
      { email: "other@example.com", primary: false, verified: true },
      { email: "octo@example.com", primary: true, verified: true },
    ],
    "/api/v3/user/orgs": [{ login: "acme" }],
    "/api/v3/user/teams": [{ slug: "backend", organization: { login: "acme" } }],
  });
  await using app = await acme(LOCAL_PROVIDERS);
  const organizationId = app.organization.id;
  await setUp(app, "github", github.issuer, {
    scopes: "read:user user:email read:org",
    domains: ["example.com"],
    needsGroup: true,
    rules: [{ group: "acme/backend", organizationId, role: "member", teamIds: [] }],
  });
  const { away, answer } = await signIn(app.visitor(), "github");
  assert.equal(answer.location, "/projects");
  assert.equal(away.pathname, "/login/oauth/authorize");
  assert.equal(away.searchParams.get("code_challenge_method"), "S256");
  assert.equal(away.searchParams.has("nonce"), false);

  const octo = await findUserByEmail(app.services.kv, "octo@example.com");
  const [identity] = await listIdentities(app.services.kv, octo?.id ?? "");
  assert.deepEqual([identity?.issuer, identity?.subject], [github.issuer, "583231"]);
  const token = github.asked.find(({ path }) => path === "/login/oauth/access_token");
  const challenge = createHash("sha256").update(token?.form.get("code_verifier") ?? "").digest(
    "base64url",
  );
  assert.equal(away.searchParams.get("code_challenge"), challenge);
  assert.equal(token?.form.get("client_secret"), "the secret");

  github.answers["/api/v3/user/teams"] = [];
  assert.equal((await signIn(app.visitor(), "github")).answer.status, 403);
});

Deno.test("GitHub's refusal of a code is told, though it comes with status 200", async () => {
  await using github = oauthServer({
    "/login/oauth/access_token": {
      error: "bad_verification_code",
      error_description: "The code is old",
    },
  });
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app, "github", github.issuer);
  assert.equal((await signIn(app.visitor(), "github")).answer.status, 502);
});

Deno.test("Yandex ID signs in, and its addresses count as verified only where the administrator says so", async () => {
  await using yandex = oauthServer({
    "/token": { access_token: "t", token_type: "bearer", expires_in: 100 },
    "/info": {
      id: "1000034426",
      login: "ivan",
      real_name: "Иван Иванов",
      default_email: "Ivan@Example.com",
    },
  });
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app, "yandex", yandex.issuer, { domains: ["example.com"] });
  const refused = await signIn(app.visitor(), "yandex");
  assert.equal(refused.answer.location, "/sign-in/with/yandex/connect");
  await app.services.kv.delete(["provider", "yandex"]);
  await setUp(app, "yandex", yandex.issuer, { domains: ["example.com"], tellsVerifiedOnly: true });
  assert.equal((await signIn(app.visitor(), "yandex")).answer.location, "/projects");
  const ivan = await findUserByEmail(app.services.kv, "ivan@example.com");
  assert.equal(ivan?.name, "Иван Иванов");
  assert.equal(ivan.emailVerifiedAt, undefined);
  const info = yandex.asked.find(({ path }) => path === "/info");
  assert.equal(info?.headers.get("authorization"), "OAuth t");
});

Deno.test("VK ID signs in without a secret, by the device that its answer names", async () => {
  await using vk = oauthServer({
    "/oauth2/auth": {
      access_token: "t",
      token_type: "Bearer",
      id_token: "not.for.us",
      user_id: 1,
      state: "s",
    },
    "/oauth2/user_info": {
      user: {
        user_id: "1234567890",
        first_name: "Вера",
        last_name: "Кузнецова",
        email: "vera@example.com",
      },
    },
  });
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app, "vk", vk.issuer, { clientAuth: "none" });
  const { answer } = await signIn(app.visitor(), "vk", {
    device_id: "the device",
    type: "code_v2",
  });
  assert.equal(answer.location, "/projects");
  const token = vk.asked.find(({ path }) => path === "/oauth2/auth");
  assert.equal(token?.form.get("device_id"), "the device");
  assert.equal(token?.form.has("client_secret"), false);
  assert.equal(
    (await findUserByEmail(app.services.kv, "vera@example.com"))?.name,
    "Вера Кузнецова",
  );
});
