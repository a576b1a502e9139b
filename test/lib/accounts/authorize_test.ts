import assert from "node:assert/strict";
import {
  createApiToken,
  deleteApiToken,
  findApiToken,
  listApiTokens,
} from "@/lib/accounts/api_tokens.ts";
import {
  type Actor,
  actorOfBearer,
  authorize,
  Denied,
  listVisibleOrganizations,
} from "@/lib/accounts/authorize.ts";
import {
  addMember,
  type Permission,
  PERMISSIONS,
  removeMember,
  type Role,
  roleAllows,
  ROLES,
  SCOPES,
  setRole,
} from "@/lib/accounts/members.ts";
import {
  createOrganizationToken,
  deleteOrganizationToken,
} from "@/lib/accounts/organization_tokens.ts";
import { createOrganization } from "../../support/organizations.ts";
import { putAside } from "@/lib/accounts/deleted_projects.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { claimInstance, setupCode } from "@/lib/accounts/setup.ts";
import type { User } from "@/lib/accounts/users.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

const ADMIN_TOKEN = "bootstrap-token-of-the-operator";
const config = { adminToken: ADMIN_TOKEN };
const bootstrap = { role: "owner", userId: null } as const;

/** Acme with a project and a member of each role, another organization, and who runs the instance. */
async function world(kv: Deno.Kv) {
  const code = await setupCode(kv);
  const claimed = await claimInstance(kv, {
    code,
    organizationName: "Operators",
    name: "root",
    email: "root@example.com",
    password: PASSWORD,
    address: "203.0.113.9",
  });
  assert.ok(claimed.ok);
  const users: Record<string, User> = {};
  for (const name of [...ROLES, "stranger"]) users[name] = await person(kv, name);
  const user = (name: Role | "stranger") => users[name] ?? assert.fail();
  const acme = await createOrganization(kv, { name: "Acme", ownerId: user("owner").id });
  for (const role of ["viewer", "member", "admin", "manager"] as const) {
    await addMember(kv, bootstrap, acme.id, user(role).id, role);
  }
  const other = await createOrganization(kv, { name: "Other", ownerId: user("stranger").id });
  const app = await createProject(kv, { organizationId: acme.id, name: "App", platform: "node" });
  const foreign = await createProject(kv, {
    organizationId: other.id,
    name: "Foreign",
    platform: "node",
  });
  const as = (name: Role | "stranger"): Actor => ({ kind: "user", user: user(name) });
  return { root: claimed.user, user, as, acme, other, app, foreign };
}

async function status(access: Promise<unknown>): Promise<number> {
  try {
    await access;
    return 200;
  } catch (error) {
    if (error instanceof Denied) return error.status;
    throw error;
  }
}

Deno.test("authorize() lets each role do what the roles say, and answers 403 to the rest", async () => {
  await using test = await testKv();
  const { as, app, acme } = await world(test.kv);
  for (const role of ROLES) {
    for (const permission of PERMISSIONS) {
      const expected = roleAllows(role, permission) ? 200 : 403;
      const actor = as(role);
      const onProject = authorize(test.kv, actor, { projectId: app.id }, permission);
      assert.equal(await status(onProject), expected, `${role} ${permission}`);
      const onOrganization = authorize(test.kv, actor, { organizationId: acme.id }, permission);
      assert.equal(await status(onOrganization), expected, `${role} ${permission}`);
    }
  }
});

Deno.test("strangers get 404 with the very words of what does not exist, nobody gets 401", async () => {
  await using test = await testKv();
  const { as, app, acme } = await world(test.kv);
  const nobody: Actor = { kind: "nobody" };
  const targets = [
    { projectId: app.id },
    { projectId: "99" },
    { projectId: "x".repeat(9_999) },
    { organizationSlug: acme.slug, projectSlug: app.slug },
    { organizationSlug: acme.slug, projectSlug: "none" },
    { organizationSlug: "none", projectSlug: "none" },
  ];
  const answers = new Set<string>();
  for (const target of targets) {
    assert.equal(await status(authorize(test.kv, nobody, target, "project:read")), 401);
    await authorize(test.kv, as("stranger"), target, "project:read").catch((error: Denied) =>
      answers.add(`${error.status} ${error.message}`)
    );
  }
  assert.deepEqual([...answers], ["404 The requested resource does not exist."]);
  for (const target of [{ organizationId: acme.id }, { organizationSlug: acme.slug }]) {
    assert.equal(await status(authorize(test.kv, nobody, target, "organization:read")), 401);
    assert.equal(
      await status(authorize(test.kv, as("stranger"), target, "organization:read")),
      404,
    );
  }
});

Deno.test("authorize() answers with what the target stands for, by id or by slug", async () => {
  await using test = await testKv();
  const { as, user, acme, other, app, foreign } = await world(test.kv);
  const expected = {
    organization: acme,
    project: app,
    role: "member",
    memberRole: "member",
    userId: user("member").id,
  };
  const targets = [
    { projectId: app.id },
    { organizationSlug: acme.slug, projectSlug: app.slug },
    { organizationSlug: acme.id, projectSlug: app.id },
  ];
  for (const target of targets) {
    assert.deepEqual(await authorize(test.kv, as("member"), target, "project:read"), expected);
  }
  const stray = [
    { organizationSlug: acme.slug, projectSlug: foreign.id },
    { organizationSlug: acme.slug, projectSlug: foreign.slug },
    { organizationSlug: other.slug, projectSlug: app.id },
  ];
  for (const target of stray) {
    assert.equal(await status(authorize(test.kv, as("member"), target, "project:read")), 404);
  }
});

Deno.test("a changed role, a removed member and a deleted project hold from the next request on", async () => {
  await using test = await testKv();
  const { as, user, acme, app } = await world(test.kv);
  const read = () =>
    status(authorize(test.kv, as("member"), { projectId: app.id }, "project:read"));
  const write = () =>
    status(authorize(test.kv, as("member"), { projectId: app.id }, "issue:write"));
  assert.deepEqual([await read(), await write()], [200, 200]);
  await setRole(test.kv, bootstrap, acme.id, user("member").id, "viewer");
  assert.deepEqual([await read(), await write()], [200, 403]);
  await removeMember(test.kv, bootstrap, acme.id, user("member").id);
  assert.deepEqual([await read(), await write()], [404, 404]);
  await putAside(test.kv, app.id, "ann");
  const owner = authorize(test.kv, as("owner"), { projectId: app.id }, "project:read");
  assert.equal(await status(owner), 404);
});

Deno.test("only who runs the instance, and the bootstrap token, pass for the instance", async () => {
  await using test = await testKv();
  const { root, as, user, acme } = await world(test.kv);
  const f = (actor: Actor) =>
    status(authorize(test.kv, actor, { instance: true }, "instance:admin"));
  assert.equal(await f({ kind: "nobody" }), 401);
  for (const role of ROLES) assert.equal(await f(as(role)), 403, role);
  assert.equal(await f({ kind: "user", user: root }), 200);
  assert.equal(await f({ kind: "bootstrap" }), 200);
  const { apiToken: token } = await createApiToken(test.kv, {
    name: "All",
    organizationId: acme.id,
    userId: root.id,
    scopes: SCOPES,
  });
  assert.equal(await f({ kind: "token", token, user: root }), 403);
  assert.equal(await f({ kind: "token", token, user: user("owner") }), 403);
});

Deno.test("who runs the instance, and the bootstrap token, act as owner everywhere", async () => {
  await using test = await testKv();
  const { root, app, foreign } = await world(test.kv);
  for (const actor of [{ kind: "user", user: root }, { kind: "bootstrap" }] as const) {
    for (const { id: projectId } of [app, foreign]) {
      assert.equal(
        (await authorize(test.kv, actor, { projectId }, "project:delete")).role,
        "owner",
      );
    }
    assert.equal(await status(authorize(test.kv, actor, { projectId: "99" }, "project:read")), 404);
  }
});

Deno.test("actorOfBearer() tells the bootstrap token, API tokens and everything else apart", async () => {
  await using test = await testKv();
  const { user, acme } = await world(test.kv);
  const { apiToken, token } = await createApiToken(test.kv, {
    name: "CI",
    organizationId: acme.id,
    userId: user("member").id,
    scopes: ["project:read"],
  });
  const f = (bearer: string | null) => actorOfBearer(test.kv, config, bearer);
  assert.deepEqual(await f(ADMIN_TOKEN), { kind: "bootstrap" });
  const found = await f(token);
  assert.ok(found.kind === "token");
  assert.deepEqual([found.token.id, found.user], [apiToken.id, user("member")]);
  const secret = token.slice(-43);
  const strangers = [
    null,
    "",
    ADMIN_TOKEN.slice(1),
    `${ADMIN_TOKEN} `,
    token.slice(0, -1),
    `${token}x`,
    secret,
    `wpt_${"0".repeat(16)}_${secret}`,
    `wpt_${apiToken.id}_${"A".repeat(43)}`,
    "x".repeat(100_000),
  ];
  for (const bearer of strangers) {
    if (bearer === null || bearer === "") assert.deepEqual(await f(bearer), { kind: "nobody" });
    else assert.equal(await status(f(bearer)), 401, bearer.slice(0, 60));
  }
  assert.deepEqual(await actorOfBearer(test.kv, { adminToken: null }, ""), { kind: "nobody" });
});

Deno.test("a token does what both its scopes and its user's role allow, in its organization", async () => {
  await using test = await testKv();
  const { root, user, acme, app, foreign } = await world(test.kv);
  const scopes: Permission[] = ["project:read", "issue:write"];
  // Part of the first.
  const allowed: Permission[] = [...scopes, "release:read"];
  const { token } = await createApiToken(test.kv, {
    name: "CI",
    organizationId: acme.id,
    userId: user("member").id,
    scopes,
  });
  const f = async (permission: Permission, projectId: string) =>
    status(
      authorize(test.kv, await actorOfBearer(test.kv, config, token), { projectId }, permission),
    );
  for (const permission of PERMISSIONS) {
    assert.equal(await f(permission, app.id), allowed.includes(permission) ? 200 : 403, permission);
  }
  await setRole(test.kv, bootstrap, acme.id, user("member").id, "viewer");
  assert.deepEqual([await f("project:read", app.id), await f("issue:write", app.id)], [200, 403]);
  await addMember(test.kv, bootstrap, foreign.organizationId, user("member").id, "owner");
  assert.equal(await f("project:read", foreign.id), 404);
  await removeMember(test.kv, bootstrap, acme.id, user("member").id);
  assert.equal(await f("project:read", app.id), 404);

  const made = await createApiToken(test.kv, {
    name: "Root",
    organizationId: acme.id,
    userId: root.id,
    scopes,
  });
  const actor = await actorOfBearer(test.kv, config, made.token);
  assert.equal(
    await status(authorize(test.kv, actor, { projectId: foreign.id }, "project:read")),
    404,
  );
});

Deno.test("a token cannot be given more than its user has, nor the right to make tokens", async () => {
  await using test = await testKv();
  const { user, acme } = await world(test.kv);
  const f = async (name: Role | "stranger", scopes: string[]) =>
    await assert.rejects(
      createApiToken(test.kv, {
        name: "CI",
        organizationId: acme.id,
        userId: user(name).id,
        scopes,
      }),
      { name: "InvalidInput", field: "scopes" },
    );
  await f("member", ["project:read", "key:write"]);
  await f("stranger", ["project:read"]);
  await f("owner", []);
  await f("owner", ["token:write"]);
  await f("owner", ["instance:admin"]);
  await f("owner", ["constructor"]);
});

Deno.test("a token of an organization works on its releases, whoever made it, and on nothing else", async () => {
  await using test = await testKv();
  const { acme, app, foreign } = await world(test.kv);
  const { token, organizationToken } = await createOrganizationToken(test.kv, {
    organization: acme,
    name: "Build",
    createdBy: "admin",
    baseUrl: "https://watchpost.example.com",
  });
  const actor = await actorOfBearer(test.kv, config, token);
  for (const permission of PERMISSIONS) {
    const asked = authorize(test.kv, actor, { projectId: app.id }, permission);
    assert.equal(await status(asked), permission.startsWith("release:") ? 200 : 403, permission);
  }
  const abroad = authorize(test.kv, actor, { projectId: foreign.id }, "release:write");
  assert.equal(await status(abroad), 404);
  const instance = authorize(test.kv, actor, { instance: true }, "instance:admin");
  assert.equal(await status(instance), 403);
  await deleteOrganizationToken(test.kv, acme.id, organizationToken.id);
  assert.equal(await status(actorOfBearer(test.kv, config, token)), 401);
});

Deno.test("scopes that include another one's work need not name it", async () => {
  await using test = await testKv();
  const { user, acme, app } = await world(test.kv);
  const answers = async (scope: Permission) => {
    const { token } = await createApiToken(test.kv, {
      name: scope,
      organizationId: acme.id,
      userId: user("owner").id,
      scopes: [scope],
    });
    const actor = await actorOfBearer(test.kv, config, token);
    return await Promise.all(
      (["release:read", "release:write", "project:read"] as const).map((permission) =>
        status(authorize(test.kv, actor, { projectId: app.id }, permission))
      ),
    );
  };
  assert.deepEqual(await answers("project:read"), [200, 403, 200]);
  assert.deepEqual(await answers("release:write"), [200, 200, 403]);
  assert.deepEqual(await answers("project:write"), [200, 200, 403]);
});

Deno.test("tokens are listed without secrets, note their use, and end with their deletion", async () => {
  await using test = await testKv();
  const { user, acme, other } = await world(test.kv);
  const { apiToken, token } = await createApiToken(test.kv, {
    name: "CI",
    organizationId: acme.id,
    userId: user("owner").id,
    scopes: ["project:read", "project:read"],
  });
  assert.deepEqual(await listApiTokens(test.kv, acme.id), [apiToken]);
  assert.deepEqual(apiToken.scopes, ["project:read"]);
  for await (const entry of test.kv.list({ prefix: [] })) {
    assert.ok(!Deno.inspect(entry, { depth: 9 }).includes(token.slice(-43)));
  }
  const now = Date.now();
  await findApiToken(test.kv, token, now);
  await findApiToken(test.kv, token, now + 599_000);
  assert.deepEqual((await listApiTokens(test.kv, acme.id))[0]?.lastUsedAt, new Date(now));
  await findApiToken(test.kv, token, now + 600_000);
  assert.deepEqual((await listApiTokens(test.kv, acme.id))[0]?.lastUsedAt, new Date(now + 600_000));

  assert.equal(await deleteApiToken(test.kv, other.id, apiToken.id), false);
  // Deleted while a request that is to note its use is on the way.
  const slow = interleaved(
    test.kv,
    "api_token",
    async () => assert.equal(await deleteApiToken(test.kv, acme.id, apiToken.id), true),
  );
  await findApiToken(slow, token, now + 3_600_000);
  assert.equal(await findApiToken(test.kv, token), null);
  assert.deepEqual(await listApiTokens(test.kv, acme.id), []);
});

Deno.test("everybody sees their own organizations, who runs the instance sees all", async () => {
  await using test = await testKv();
  const { root, as, user, acme } = await world(test.kv);
  const names = async (actor: Actor) =>
    (await listVisibleOrganizations(test.kv, actor)).map(({ name }) => name);
  assert.deepEqual(await names({ kind: "nobody" }), []);
  assert.deepEqual(await names(as("viewer")), ["Acme"]);
  assert.deepEqual(await names(as("stranger")), ["Other"]);
  assert.deepEqual(await names({ kind: "user", user: root }), ["Acme", "Operators", "Other"]);
  assert.deepEqual(await names({ kind: "bootstrap" }), ["Acme", "Operators", "Other"]);
  const { token } = await createApiToken(test.kv, {
    name: "CI",
    organizationId: acme.id,
    userId: user("member").id,
    scopes: ["project:read"],
  });
  assert.deepEqual(await names(await actorOfBearer(test.kv, config, token)), ["Acme"]);
  await removeMember(test.kv, bootstrap, acme.id, user("member").id);
  assert.deepEqual(await names(await actorOfBearer(test.kv, config, token)), []);
});
