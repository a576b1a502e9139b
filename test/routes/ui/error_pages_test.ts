import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { createOrganization } from "../../support/organizations.ts";
import { person } from "../../support/people.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

async function shopOf(app: Acme, organizationId = app.organization.id): Promise<string> {
  const { kv } = app.services;
  return (await createProject(kv, { organizationId, name: "Shop", platform: "node" })).id;
}

Deno.test("what is not in a project says so within the project's frame", async () => {
  await using app = await acme();
  const id = await shopOf(app);
  for (const page of ["issues/99", "nonsense"]) {
    const { status, html } = await app.owner.get(`/projects/${id}/${page}`);
    assert.equal(status, 404, page);
    assert.match(html, new RegExp(`<a href="/projects/${id}/traces"`), page);
    assert.match(textOf(html), /Shop Nothing here/, page);
    assert.match(html, new RegExp(`href="/projects/${id}/issues"[^>]*>Go to the issues`), page);
  }
});

Deno.test("elsewhere the frame is that of who is signed in, and nobody gets none", async () => {
  await using app = await acme();
  const { status, html } = await app.owner.get("/nonsense");
  assert.equal(status, 404);
  assert.match(html, /olga@example\.com/);
  assert.match(html, /href="\/"[^>]*>Go to the projects/);
  const unknown = await app.visitor().get("/nonsense");
  assert.equal(unknown.status, 404);
  assert.doesNotMatch(unknown.html, /<nav/);
});

Deno.test("an error tells nothing of a project that one may not see", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const stranger = await person(kv, "sam");
  const { visitor } = await app.member("member");
  const other = await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const id = await shopOf(app, other.id);
  for (const page of ["issues/99", "nonsense"]) {
    const { status, html } = await visitor.get(`/projects/${id}/${page}`);
    assert.equal(status, 404, page);
    assert.match(html, /member@example\.com/, page);
    assert.doesNotMatch(html, /Shop|\/traces"/, page);
  }
});

Deno.test("a page that failed offers to ask for it again, and one that is not there does not", async () => {
  await using app = await acme();
  const id = await shopOf(app);
  await app.services.sql`alter table alert_rules rename to gone`;
  const failed = await app.owner.get(`/projects/${id}/alerts`);
  assert.equal(failed.status, 500);
  assert.match(failed.html, /<a [^>]*href(?:="")?>Try again/);
  const missing = await app.owner.get(`/projects/${id}/issues/99`);
  assert.doesNotMatch(missing.html, /Try again/);
});
