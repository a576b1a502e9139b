import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { actorOfBearer, authorize, Denied } from "@/lib/accounts/authorize.ts";
import {
  findDeletedOrganization,
  listDeletedOrganizationsOf,
} from "@/lib/accounts/deleted_organizations.ts";
import { findDeletedProject } from "@/lib/accounts/deleted_projects.ts";
import { addMember, listMembers, roleOf, transferOwnership } from "@/lib/accounts/members.ts";
import {
  createOrganization,
  findOrganizationBySlug,
  listOrganizationsOf,
} from "@/lib/accounts/organizations.ts";
import { createProject, findProject } from "@/lib/accounts/projects.ts";
import { createTeam, listTeams } from "@/lib/accounts/teams.ts";
import {
  deleteOrganization,
  purgeDeletedOrganizations,
  restoreOrganization,
} from "@/lib/projects/organization_life.ts";
import { setJoinPolicy } from "@/lib/accounts/join_policy.ts";
import { proposeInvite } from "@/lib/accounts/join_requests.ts";
import { enableScim } from "@/lib/accounts/scim_token.ts";
import { purgeDeletedProjects } from "@/lib/projects/deletion.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import { person } from "@/test/support/people.ts";
import { testServices } from "@/test/support/services.ts";

type Services = Awaited<ReturnType<typeof testServices>>["services"];

async function world({ kv }: Services) {
  const [ann, bob] = [await person(kv, "ann"), await person(kv, "bob")];
  const acme = await createOrganization(kv, { name: "Acme", slug: null, ownerId: ann.id });
  const organizationId = acme.id;
  await addMember(kv, { role: "owner", userId: ann.id }, organizationId, bob.id, "manager");
  const project = await createProject(kv, { organizationId, name: "Shop", platform: "" });
  await createTeam(kv, { organizationId, name: "Backend" });
  const policy = { allowsRequests: true, domains: "acme.example", domainRole: "viewer" } as const;
  await setJoinPolicy(kv, organizationId, policy);
  const by = { role: "owner", userId: ann.id } as const;
  await proposeInvite(kv, by, organizationId, { email: "new@acme.example", role: "member" });
  await enableScim(kv, organizationId, { role: "member", createdBy: "Ann" });
  const { token } = await createApiToken(kv, {
    name: "script",
    organizationId,
    userId: ann.id,
    scopes: ["project:read"],
  });
  const status = async (work: Promise<unknown>) => {
    try {
      await work;
      return 200;
    } catch (error) {
      assert.ok(error instanceof Denied);
      return error.status;
    }
  };
  const asToken = async () => {
    const actor = await actorOfBearer(kv, { adminToken: null }, token);
    return await status(authorize(kv, actor, { projectId: project.id }, "project:read"));
  };
  const as = (user: typeof ann) =>
    status(authorize(kv, { kind: "user", user }, { organizationId }, "organization:read"));
  return { ann, bob, acme, project, asToken, as };
}

Deno.test("a deleted organization is there for nobody, and is restored as it was within a week", async () => {
  await using opened = await testServices();
  const { services } = opened;
  const { kv } = services;
  const { ann, bob, acme, project, asToken, as } = await world(services);
  assert.deepEqual([await as(ann), await asToken()], [200, 200]);
  assert.equal(await deleteOrganization(services, acme, "ann@example.com"), true);
  assert.deepEqual([await as(ann), await as(bob), await asToken()], [404, 404, 404]);
  assert.deepEqual(await listOrganizationsOf(kv, ann.id), []);
  assert.equal(await findProject(kv, project.id), null);
  assert.equal(await deleteOrganization(services, acme, "ann@example.com"), false);

  const restorable = (id: string) => listDeletedOrganizationsOf(kv, id);
  assert.deepEqual((await restorable(ann.id)).map(({ organization }) => organization), [acme]);
  assert.deepEqual(await restorable(bob.id), [], "a manager cannot restore it");
  assert.deepEqual(await restoreOrganization(services, acme.id), acme);
  assert.deepEqual([await as(bob), await asToken()], [200, 200]);
  assert.deepEqual(await findProject(kv, project.id), project);
  assert.equal(await restoreOrganization(services, acme.id), null);
});

Deno.test("a restored organization gets another slug where somebody has taken its own", async () => {
  await using opened = await testServices();
  const { services } = opened;
  const { kv } = services;
  const { bob, acme } = await world(services);
  await deleteOrganization(services, acme, "ann");
  await createOrganization(kv, { name: "Acme", slug: "acme", ownerId: bob.id });
  const restored = await restoreOrganization(services, acme.id);
  assert.notEqual(restored?.slug, "acme");
  assert.equal((await findOrganizationBySlug(kv, restored?.slug ?? ""))?.id, acme.id);
});

Deno.test("after a week a deleted organization is forgotten with members, teams, tokens and projects", async () => {
  await using opened = await testServices();
  const { services } = opened;
  const { kv, sql, log } = services;
  const { ann, acme, project, asToken } = await world(services);
  await deleteOrganization(services, acme, "ann");
  await purgeDeletedOrganizations({ kv, sql, log }, Date.now() + 6 * DAY_MS);
  assert.equal((await findDeletedOrganization(kv, acme.id))?.isPurging, false);

  const later = Date.now() + 8 * DAY_MS;
  await purgeDeletedOrganizations({ kv, sql, log }, later);
  assert.equal((await findDeletedOrganization(kv, acme.id))?.isPurging, true);
  assert.equal(await restoreOrganization(services, acme.id), null);
  assert.notEqual(await findDeletedProject(kv, project.id), null, "its data goes first");

  await sql`update deleted_projects set deleted_at = now() - interval '8 days'`;
  await purgeDeletedProjects(services, new AbortController().signal);
  await purgeDeletedOrganizations({ kv, sql, log }, later);
  assert.equal(await findDeletedOrganization(kv, acme.id), null);
  assert.equal(await roleOf(kv, acme.id, ann.id), null);
  assert.deepEqual(await listMembers(kv, acme.id), []);
  assert.deepEqual((await listTeams(kv, acme)).map(({ slug }) => slug), ["everyone"]);
  await assert.rejects(asToken(), { status: 401 });
  const left: Deno.KvKey[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const isOfAudit = key[0] === "audit_entry";
    const names = JSON.stringify([key, value]).includes(`"${acme.id}"`);
    const isOther = key[0] === "sequence" || key[0] === "user";
    if (!isOfAudit && !isOther && names) left.push(key);
  }
  assert.deepEqual(left.filter(([kind]) => kind !== "instance"), []);
});

Deno.test("an organization is handed over in one step, and never left without an owner", async () => {
  await using opened = await testServices();
  const { services } = opened;
  const { kv } = services;
  const { ann, bob, acme } = await world(services);
  await assert.rejects(transferOwnership(kv, acme.id, bob.id, ann.id), { status: 403 });
  await assert.rejects(transferOwnership(kv, acme.id, ann.id, ann.id), { name: "InvalidInput" });
  await assert.rejects(transferOwnership(kv, acme.id, ann.id, "nobody"), { status: 404 });
  await transferOwnership(kv, acme.id, ann.id, bob.id);
  assert.equal(await roleOf(kv, acme.id, bob.id), "owner");
  assert.equal(await roleOf(kv, acme.id, ann.id), "manager");
});
