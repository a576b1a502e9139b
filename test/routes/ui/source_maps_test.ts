import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { storedBundle } from "../../support/artifact_bundles.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

async function withProject(app: Acme): Promise<{ id: string; path: string }> {
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "javascript" });
  return { id, path: `/projects/${id}/settings/source-maps` };
}

async function releasesOf(app: Acme): Promise<string[]> {
  const rows = await app.services.sql`select release from artifact_bundles order by release`;
  return rows.map(({ release }) => release);
}

Deno.test("a project without uploads shows the commands that send the first, with its own names", async () => {
  await using app = await acme();
  const { path } = await withProject(app);
  const text = textOf((await app.owner.get(path)).html);
  assert.match(text, /No source maps yet/);
  assert.match(text, /SENTRY_ORG=acme SENTRY_PROJECT=shop/);
  assert.match(text, /sourcemaps inject dist.*sourcemaps upload dist/s);
});

Deno.test("uploads are listed against the organization's space, filtered, and deleted one by one", async () => {
  await using app = await acme();
  const { id, path } = await withProject(app);
  const { sql } = app.services;
  const bundle = await storedBundle(sql, id, "shop@1");
  await storedBundle(sql, id, "shop@2");
  const all = textOf((await app.owner.get(path)).html);
  assert.match(all, /shop@2.*shop@1.*The organization uses 0 B of/s);
  assert.doesNotMatch(textOf((await app.owner.get(`${path}?query=shop@2`)).html), /shop@1/);
  assert.match(textOf((await app.owner.get(`${path}?query=nothing`)).html), /No upload has this/);

  const deleted = await app.owner.post(path, { action: "delete", bundle });
  assert.equal(deleted.location, path);
  assert.match(textOf((await app.owner.get(path)).html), /Deleted 1 upload\./);
  assert.deepEqual(await releasesOf(app), ["shop@2"]);
});

Deno.test("all uploads of a release are deleted only with its name typed", async () => {
  await using app = await acme();
  const { id, path } = await withProject(app);
  const { sql } = app.services;
  for (const release of ["shop@1", "shop@1", "shop@2"]) await storedBundle(sql, id, release);
  const form = { action: "delete_release", release: "shop@1" };
  const wrong = await app.owner.post(`${path}?query=shop@1`, { ...form, confirm: "shop" });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /This is not the name\./);
  assert.equal((await releasesOf(app)).length, 3);
  await app.owner.post(`${path}?query=shop@1`, { ...form, confirm: "shop@1" });
  assert.deepEqual(await releasesOf(app), ["shop@2"]);
});

Deno.test("viewers see uploads and no way to delete them; nobody deletes those of another project", async () => {
  await using app = await acme();
  const { id, path } = await withProject(app);
  const bundle = await storedBundle(app.services.sql, id, "shop@1");
  const { visitor } = await app.member("viewer");
  assert.doesNotMatch((await visitor.get(path)).html, /Delete upload/);
  assert.equal((await visitor.post(path, { action: "delete", bundle })).status, 403);
  const other = await withProject(app);
  await app.owner.post(other.path, { action: "delete", bundle });
  assert.equal((await app.owner.get(`${other.path}/${bundle}`)).status, 404);
  assert.deepEqual(await releasesOf(app), ["shop@1"]);
});

Deno.test("an upload is shown with its files", async () => {
  await using app = await acme();
  const { id, path } = await withProject(app);
  const bundle = await storedBundle(app.services.sql, id, "shop@1");
  await app.services.sql`
    insert into artifacts (project_id, bundle_id, place, organization_id, file_id, type, debug_id, release, dist,
      url, size_bytes, uploaded_at)
    values (${id}, ${bundle}, 0, 1, gen_random_uuid(), 'source_map', '13cc92ca1f0d4f3c9f2ad5be5aa8c9f1', 'shop@1', '',
      '~/<b>app.js.map', 5, now())
  `;
  const { html } = await app.owner.get(`${path}/${bundle}`);
  assert.match(textOf(html), /13cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1/);
  assert.doesNotMatch(html, /<b>app/);
});
