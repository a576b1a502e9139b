import assert from "node:assert/strict";
import {
  beginPurge,
  bringBack,
  findDeletedProject,
  forgetProject,
  listDeletedProjects,
  putAside,
} from "@/lib/accounts/deleted_projects.ts";
import { findIngest } from "@/lib/accounts/ingest_lookup.ts";
import { createKey, listKeys } from "@/lib/accounts/keys.ts";
import { createOrganization } from "../../support/organizations.ts";
import {
  createProject,
  findProject,
  findProjectBySlug,
  listProjects,
  markFirstEvent,
  updateProject,
} from "@/lib/accounts/projects.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

async function organization(kv: Deno.Kv, name = "Acme"): Promise<string> {
  const owner = await person(kv, name.toLowerCase());
  return (await createOrganization(kv, { name, ownerId: owner.id })).id;
}

Deno.test("a project is made with one server key and one browser key", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  const shop = await createProject(test.kv, { organizationId, name: "Web Shop", platform: "Node" });
  assert.deepEqual(
    { ...shop, createdAt: null },
    {
      id: "1",
      organizationId,
      slug: "web-shop",
      name: "Web Shop",
      platform: "node",
      createdAt: null,
      firstEventAt: null,
    },
  );
  assert.deepEqual(await findProject(test.kv, "1"), shop);
  assert.deepEqual(await findProjectBySlug(test.kv, organizationId, "web-shop"), shop);
  const keys = await listKeys(test.kv, "1");
  assert.deepEqual(keys.map(({ type, isActive }) => [type, isActive]), [["server", true], [
    "browser",
    true,
  ]]);
});

Deno.test("ids of projects made at the same moment are sequential from 1", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  const made = await Promise.all(
    Array.from(
      { length: 40 },
      () => createProject(test.kv, { organizationId, name: "App", platform: "" }),
    ),
  );
  assert.deepEqual(
    made.map(({ id }) => Number(id)).sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  assert.equal(new Set(made.map(({ slug }) => slug)).size, 40);
  assert.equal((await listProjects(test.kv, organizationId)).length, 40);
});

Deno.test("the id of a deleted project is never used again", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  const input = { organizationId, name: "App", platform: "other" };
  await createProject(test.kv, input);
  assert.equal(await putAside(test.kv, "1", "ann"), true);
  await forgetProject(test.kv, "1");
  const next = await createProject(test.kv, input);
  assert.deepEqual([next.id, next.slug], ["2", "app"]);
});

Deno.test("two organizations may use the same slug", async () => {
  await using test = await testKv();
  const [acme, other] = [await organization(test.kv), await organization(test.kv, "Other")];
  const input = { name: "App", platform: "node", slug: "app" };
  const first = await createProject(test.kv, { ...input, organizationId: acme });
  const second = await createProject(test.kv, { ...input, organizationId: other });
  assert.deepEqual(await findProjectBySlug(test.kv, acme, "app"), first);
  assert.deepEqual(await findProjectBySlug(test.kv, other, "app"), second);
  assert.deepEqual(await listProjects(test.kv, other), [second]);
  await assert.rejects(createProject(test.kv, { ...input, organizationId: acme }), {
    field: "slug",
    reason: "taken",
  });
});

Deno.test("createProject() refuses malformed input and names the field", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  const input = { organizationId, name: "App", platform: "node" };
  const f = (field: string, changes: object) =>
    assert.rejects(createProject(test.kv, { ...input, ...changes }), {
      name: "InvalidInput",
      field,
    });
  await f("name", { name: "" });
  await f("name", { name: "x".repeat(65) });
  await f("platform", { platform: "<script>" });
  await f("slug", { slug: "../etc" });
  await f("slug", { slug: "42" });
  await assert.rejects(createProject(test.kv, { ...input, organizationId: "99" }), { status: 404 });
  assert.deepEqual(await listProjects(test.kv, organizationId), []);
});

Deno.test("updateProject() changes what it is given, and moves the slug", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  const app = await createProject(test.kv, { organizationId, name: "App", platform: "node" });
  await createProject(test.kv, { organizationId, name: "Other", platform: "node" });
  const renamed = await updateProject(test.kv, "1", { name: "Application" });
  assert.deepEqual(renamed, { ...app, name: "Application" });
  const moved = await updateProject(test.kv, "1", { slug: "new-app", platform: "deno" });
  assert.deepEqual(moved, { ...app, name: "Application", slug: "new-app", platform: "deno" });
  assert.equal(await findProjectBySlug(test.kv, organizationId, "app"), null);
  assert.deepEqual(await findProjectBySlug(test.kv, organizationId, "new-app"), moved);
  await assert.rejects(updateProject(test.kv, "1", { slug: "other" }), { reason: "taken" });
  assert.equal(await updateProject(test.kv, "99", { name: "Nobody" }), null);
});

Deno.test("of projects that want one slug at the same moment, one gets it", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  for (const name of ["A", "B", "C"]) {
    await createProject(test.kv, { organizationId, name, platform: "node" });
  }
  const changes = await Promise.allSettled(
    ["1", "2", "3"].map((id) => updateProject(test.kv, id, { slug: "wanted" })),
  );
  assert.equal(changes.filter(({ status }) => status === "fulfilled").length, 1);
  const slugs = (await listProjects(test.kv, organizationId)).map(({ slug }) => slug);
  assert.equal(slugs.filter((slug) => slug === "wanted").length, 1);
});

Deno.test("a project that is forgotten takes all keys with it, also one that was made at its deletion", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  for (let id = 1; id <= 10; id++) {
    await createProject(test.kv, { organizationId, name: "App", platform: "node" });
    const projectId = String(id);
    const made = createKey(test.kv, { projectId, name: "Late", type: "server" });
    await Promise.allSettled([putAside(test.kv, projectId, "ann"), made]);
    assert.equal(await findProject(test.kv, projectId), null);
    await forgetProject(test.kv, projectId);
  }
  let left = 0;
  for (const prefix of ["ingest_key", "ingest_key_of", "project", "project_by_slug"]) {
    for await (const _ of test.kv.list({ prefix: [prefix] })) left++;
  }
  for (const prefix of ["deleted_project", "deleted_project_of"]) {
    for await (const _ of test.kv.list({ prefix: [prefix] })) left++;
  }
  assert.equal(left, 0);
  assert.equal(await putAside(test.kv, "1", "ann"), false);
});

Deno.test("a deleted project lets nobody in, and comes back with its keys until its purge begins", async () => {
  await using test = await testKv();
  const { kv } = test;
  const organizationId = await organization(kv);
  const app = await createProject(kv, { organizationId, name: "App", platform: "node" });
  const [key] = await listKeys(kv, app.id);
  const isLetIn = async () => await findIngest(kv, key?.publicKey ?? "") !== null;

  await putAside(kv, app.id, "ann@example.com");
  const [deleted] = await listDeletedProjects(kv, organizationId);
  assert.deepEqual([deleted?.project, deleted?.deletedBy], [app, "ann@example.com"]);
  assert.equal(await isLetIn(), false);
  assert.equal(await bringBack(kv, "99", app.id), null, "another organization's");

  const other = await createProject(kv, { organizationId, name: "App", platform: "node" });
  assert.equal(other.slug, "app");
  assert.deepEqual(await bringBack(kv, organizationId, app.id), { ...app, slug: "app-2" });
  assert.equal(await isLetIn(), true);
  assert.equal(await findDeletedProject(kv, app.id), null);
  const [isDue, isNotDue] = [() => Promise.resolve(true), () => Promise.resolve(false)];
  assert.equal(await beginPurge(kv, app.id, isDue), "alive");

  await putAside(kv, app.id, "ann@example.com");
  assert.equal(await beginPurge(kv, app.id, isNotDue), "kept");
  assert.equal(await beginPurge(kv, app.id, isDue), "begun");
  assert.equal(await bringBack(kv, organizationId, app.id), null);
  assert.equal(await beginPurge(kv, app.id, isDue), "begun", "an interrupted purge goes on");
});

Deno.test("markFirstEvent() keeps the first time, and does not bring a deleted project back", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  await createProject(test.kv, { organizationId, name: "App", platform: "node" });
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));
  await markFirstEvent(test.kv, "1", at(1));
  await Promise.all([2, 3, 4].map((minute) => markFirstEvent(test.kv, "1", at(minute))));
  assert.deepEqual((await findProject(test.kv, "1"))?.firstEventAt, at(1));
  await createProject(test.kv, { organizationId, name: "Other", platform: "node" });
  await Promise.all([putAside(test.kv, "2", "ann"), markFirstEvent(test.kv, "2", at(1))]);
  assert.equal(await findProject(test.kv, "2"), null);
});

Deno.test("no text that is no id finds a project", async () => {
  await using test = await testKv();
  const organizationId = await organization(test.kv);
  await createProject(test.kv, { organizationId, name: "App", platform: "node" });
  for (const text of ["", "0", "01", "+1", "1e0", " 1", "1 ", "-1", "1".repeat(9_999), "١"]) {
    assert.equal(await findProject(test.kv, text), null, text.slice(0, 10));
  }
});

Deno.test("a project is made in an organization that is there, whatever the name of another", async () => {
  await using test = await testKv();
  for (const organizationId of ["7", "", "x".repeat(3_000)]) {
    await assert.rejects(
      createProject(test.kv, { organizationId, name: "App", platform: "" }),
      /There is no such organization/,
    );
  }
});
