import assert from "node:assert/strict";
import { roleOf } from "@/lib/accounts/members.ts";
import { findOrganization } from "@/lib/accounts/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { acme, textOf } from "../../support/ui_app.ts";

const GENERAL = "/organizations/acme/settings/general";

Deno.test("who runs the instance creates organizations, and everybody where the settings say so", async () => {
  await using closed = await acme();
  const { visitor } = await closed.member("owner");
  assert.equal((await visitor.get("/organizations/new")).status, 403);
  assert.equal((await visitor.post("/organizations/new", { name: "Mine" })).status, 403);
  assert.doesNotMatch((await visitor.get("/organizations")).html, /organizations\/new/);
  const made = await closed.owner.post("/organizations/new", { name: "Second", slug: "two" });
  assert.equal(made.location, "/organizations/two/settings");
  const taken = await closed.owner.post("/organizations/new", { name: "Third", slug: "two" });
  assert.equal(taken.status, 422);

  await using open = await acme({ organizationsBy: "everybody" });
  const member = await open.member("viewer");
  const own = await member.visitor.post("/organizations/new", { name: "Mine", slug: "" });
  assert.equal(own.location, "/organizations/mine/settings");
  assert.match(
    textOf((await member.visitor.get("/organizations")).html),
    /Minemine owner0 projects/,
  );
});

Deno.test("a manager renames the organization and its slug; ending it is for owners", async () => {
  await using app = await acme();
  const { visitor } = await app.member("manager");
  const renamed = await visitor.post(GENERAL, { name: "Acme Ltd", slug: "acme-ltd" });
  assert.equal(renamed.location, "/organizations/acme-ltd/settings/general");
  assert.equal((await visitor.get(GENERAL)).status, 404);
  const path = renamed.location ?? "";
  assert.doesNotMatch(textOf((await visitor.get(path)).html), /Delete organization/);
  for (const action of ["delete", "transfer"]) {
    assert.equal((await visitor.post(path, { action, confirm: "Acme Ltd" })).status, 403, action);
  }
  assert.equal((await visitor.post(path, { name: "", slug: "acme-ltd" })).status, 422);
});

Deno.test("an owner hands the organization over, and deletes it only with its name typed", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const { id } = app.organization;
  const project = await createProject(kv, { organizationId: id, name: "Shop", platform: "" });
  const { user, visitor } = await app.member("member");
  assert.equal((await app.owner.post(GENERAL, { action: "transfer", user: "nobody" })).status, 404);
  assert.equal((await app.owner.post(GENERAL, { action: "transfer", user: user.id })).status, 303);
  assert.equal(await roleOf(kv, id, user.id), "owner");
  assert.equal((await visitor.post(GENERAL, { action: "delete", confirm: "acme" })).status, 422);
  const deleted = await visitor.post(GENERAL, { action: "delete", confirm: "Acme" });
  assert.equal(deleted.location, "/organizations");
  assert.equal(await findOrganization(kv, id), null);
  assert.equal((await visitor.get(`/projects/${project.id}/issues`)).status, 404);
  assert.match(textOf((await visitor.get("/organizations")).html), /Deleted organizations .*Acme/);

  // Who runs the instance was made a manager: restoring is for owners.
  const form = { action: "restore", organization: id };
  assert.equal((await app.owner.post("/organizations", form)).status, 404);
  assert.equal((await visitor.post("/organizations", form)).status, 303);
  assert.equal((await visitor.get(`/projects/${project.id}/issues`)).status, 200);
});
