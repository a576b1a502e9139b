import assert from "node:assert/strict";
import {
  findOrganization,
  findOrganizationBySlug,
  listAllOrganizations,
  listOrganizationsOf,
  updateOrganization,
} from "@/lib/accounts/organizations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { roleOf } from "@/lib/accounts/members.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

Deno.test("an organization is found by id and by slug, and its maker is its owner", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const acme = await createOrganization(test.kv, { name: "Acme Ltd.", ownerId: ann.id });
  assert.deepEqual([acme.id, acme.slug], ["1", "acme-ltd"]);
  assert.deepEqual(await findOrganization(test.kv, "1"), acme);
  assert.deepEqual(await findOrganizationBySlug(test.kv, "acme-ltd"), acme);
  assert.equal(await roleOf(test.kv, acme.id, ann.id), "owner");
  for (const text of ["", "01", "1".repeat(5_000), "x", "__proto__"]) {
    assert.equal(await findOrganization(test.kv, text), null);
    assert.equal(await findOrganizationBySlug(test.kv, text), null);
  }
});

Deno.test("organizations of one name made at the same moment get different ids and slugs", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const made = await Promise.all(
    Array.from(
      { length: 12 },
      () => createOrganization(test.kv, { name: "Acme", ownerId: ann.id }),
    ),
  );
  assert.deepEqual(
    made.map(({ id }) => Number(id)).sort((a, b) => a - b),
    Array.from({ length: 12 }, (_, i) => i + 1),
  );
  assert.equal(new Set(made.map(({ slug }) => slug)).size, 12);
  assert.equal((await listAllOrganizations(test.kv)).length, 12);
});

Deno.test("users see the organizations they are members of", async () => {
  await using test = await testKv();
  const [ann, bob] = await Promise.all([person(test.kv, "ann"), person(test.kv, "bob")]);
  await createOrganization(test.kv, { name: "Zebra", ownerId: ann.id });
  await createOrganization(test.kv, { name: "Acme", ownerId: ann.id });
  await createOrganization(test.kv, { name: "Other", ownerId: bob.id });
  const names = async (userId: string) =>
    (await listOrganizationsOf(test.kv, userId)).map(({ name }) => name);
  assert.deepEqual(await names(ann.id), ["Acme", "Zebra"]);
  assert.deepEqual(await names(bob.id), ["Other"]);
  assert.deepEqual(await names("nobody"), []);
});

Deno.test("a changed slug finds the organization, the old one is free again", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const acme = await createOrganization(test.kv, { name: "Acme", ownerId: ann.id });
  const other = await createOrganization(test.kv, { name: "Other", ownerId: ann.id });
  const changed = await updateOrganization(test.kv, acme.id, { slug: "apex", name: "Apex" });
  assert.deepEqual(changed, { ...acme, slug: "apex", name: "Apex" });
  assert.equal(await findOrganizationBySlug(test.kv, "acme"), null);
  assert.deepEqual(await findOrganizationBySlug(test.kv, "apex"), changed);
  await assert.rejects(updateOrganization(test.kv, other.id, { slug: "apex" }), {
    field: "slug",
    reason: "taken",
  });
  assert.equal((await updateOrganization(test.kv, other.id, { slug: "acme" }))?.slug, "acme");
  assert.equal(await updateOrganization(test.kv, "99", { name: "Nobody" }), null);
});

Deno.test("an organization needs a name and an owner who exists", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  await assert.rejects(createOrganization(test.kv, { name: " ", ownerId: ann.id }), {
    field: "name",
  });
  await assert.rejects(createOrganization(test.kv, { name: "Acme", ownerId: "nobody" }), {
    status: 404,
  });
});
