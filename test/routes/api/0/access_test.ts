/** Every address of the management API as every kind of caller. */
import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { ROLES } from "@/lib/accounts/members.ts";
import { apiApp, apiPatterns } from "@/test/support/api_app.ts";
import { type ActorName, ACTORS, testApi } from "@/test/support/api_people.ts";
import { apiRights, passes } from "@/test/support/rights.ts";
import { fill, freshParams } from "./access_params.ts";
import { type Rule, RULES } from "./access_rules.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"];

const RULE_OF_ADMINS: Rule = { method: "POST", pattern: "", weakest: "admin" };
const RULE_OF_MEMBERS: Rule = { ...RULE_OF_ADMINS, weakest: "member" };

/** What everybody may expect of a rule: `yes`, or the status of the refusal. */
function expected({ weakest }: Rule, actor: ActorName): "yes" | number {
  // The bootstrap token is nobody's.
  if (weakest === "a person") return actor === "nobody" || actor === "bootstrap" ? 401 : "yes";
  if (weakest === "a person who is admin") {
    return actor === "bootstrap" ? 403 : expected(RULE_OF_ADMINS, actor);
  }
  if (weakest === "a viewer who is a person") {
    return actor === "bootstrap" ? 403 : expected({ ...RULE_OF_MEMBERS, weakest: "viewer" }, actor);
  }
  if (weakest === "a member who is a person") {
    return actor === "bootstrap" ? 403 : expected(RULE_OF_MEMBERS, actor);
  }
  if (weakest === "everybody" || actor === "bootstrap") return "yes";
  if (actor === "nobody") return 401;
  if (weakest === "anybody with an account") return "yes";
  if (actor === "stranger") return 404;
  return ROLES.indexOf(actor) >= ROLES.indexOf(weakest) ? "yes" : 403;
}

Deno.test("every address of the API has a rule about who may use it", () => {
  const covered = new Set(RULES.map(({ pattern }) => `/api/0${pattern}{/}?`));
  const existing = apiPatterns.filter((pattern) => /^\/api\/0\b/.test(pattern));
  assert.deepEqual([...covered].sort(), existing.toSorted());
});

/** What is answered to everybody, though the scope is a weaker one: others may be put into a team by who decides about it. */
const DECIDES_ITSELF = [
  "POST /organizations/:organization/members/:member/teams/:team",
  "DELETE /organizations/:organization/members/:member/teams/:team",
  "PUT /organizations/:organization/access-requests/:request",
];

Deno.test("the rule of every method is what docs/rights.md tells of its scope", () => {
  const scopes = new Map(
    apiRights().map(({ method, path, right }) => [`${method} ${path}`, right]),
  );
  for (const { method, pattern, weakest } of RULES) {
    const name = `${method} ${pattern}`;
    const right = scopes.get(`${method} /api/0${pattern}/`);
    const role = ROLES.find((each) => each === weakest);
    if (role === undefined || DECIDES_ITSELF.includes(name)) continue;
    for (const each of ROLES) {
      const passing: boolean = ROLES.indexOf(each) >= ROLES.indexOf(role);
      assert.equal(
        passes(each, { path: pattern, right: right ?? "account" }),
        passing,
        `${name} as ${each}`,
      );
    }
  }
});

Deno.test("methods without a rule are refused everywhere with 405", async () => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  const params = await freshParams(api);
  for (const pattern of new Set(RULES.map(({ pattern }) => pattern))) {
    const ruled = RULES.filter((rule) => rule.pattern === pattern).map(({ method }) => method);
    for (const method of METHODS.filter((method) => !ruled.includes(method))) {
      const { status, headers } = await api.call("bootstrap", fill(pattern, params), { method });
      assert.equal(status, 405, `${method} ${pattern}`);
      const allowed = METHODS.filter((each) => ruled.includes(each));
      assert.deepEqual(
        headers.get("allow")?.split(", ").toSorted(),
        [...allowed, "OPTIONS"].sort(),
      );
    }
  }
});

Deno.test("every address of the API is for the roles of its rule", async (t) => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  const shared = await freshParams(api);
  for (const rule of RULES) {
    const { method, pattern, weakest, body, status } = rule;
    await t.step(`${method} /api/0${pattern}/ is for ${weakest}`, async () => {
      for (const actor of ACTORS) {
        const wanted = expected(rule, actor);
        // Only who may change something can take from the next what they ask for.
        const changes = wanted === "yes" && method !== "GET";
        const path = fill(pattern, changes ? await freshParams(api, pattern) : shared);
        const answer = await api.call<{ detail?: string } | null>(actor, path, { method, body });
        const message = `as ${actor}: ${answer.status} ${JSON.stringify(answer.body)}`;
        if (wanted === "yes" && status !== undefined) {
          assert.equal(answer.status, status, message);
        } else if (wanted === "yes") assert.ok(answer.status < 300, message);
        else {
          assert.equal(answer.status, wanted, message);
          assert.ok(answer.body?.detail, message);
        }
      }
    });
  }
});

Deno.test("a token does no more than its scopes say, whatever its owner may do", async () => {
  await using api = await testApi();
  const send = apiApp(api.services);
  const { token } = await createApiToken(api.services.kv, {
    name: "read only",
    organizationId: api.organization.id,
    userId: api.owner.id,
    scopes: ["project:read"],
  });
  const status = async (path: string, method = "GET") => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await send(`/api/0${path}`, { method, headers });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status("/projects/acme/acme-shop/"), 200);
  assert.equal(await status("/projects/acme/acme-shop/keys/"), 403);
  assert.equal(await status("/projects/acme/acme-shop/", "DELETE"), 403);
});

Deno.test("only a bearer token opens the API", async () => {
  await using api = await testApi();
  const send = apiApp(api.services);
  const heads: Record<string, string>[] = [
    {},
    { authorization: "Bearer" },
    { authorization: "Bearer wrong" },
    { authorization: "Bearer wpt_0123456789abcdef_x" },
    { authorization: "Basic Ym9vdHN0cmFwLXRva2VuLTAxMjM0NTY3ODk6" },
    { cookie: "watchpost=anything" },
  ];
  for (const headers of heads) {
    const response = await send("/api/0/organizations/", { headers });
    assert.equal(response.status, 401, JSON.stringify(headers));
    assert.match(response.headers.get("www-authenticate") ?? "", /Bearer/);
    await response.body?.cancel();
  }
});
