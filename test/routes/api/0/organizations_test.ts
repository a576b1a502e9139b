import assert from "node:assert/strict";
import { testApi } from "@/test/support/api_people.ts";

Deno.test("GET /api/0/ says which version it is and who asks", async () => {
  await using api = await testApi();
  assert.deepEqual((await api.call("nobody", "/")).body, { version: "0", auth: null, user: null });
  const { body } = await api.call<{ auth: { scopes: string[] }; user: { email: string } }>(
    "viewer",
    "",
  );
  assert.ok(body.auth.scopes.includes("project:read"));
  assert.ok(!body.auth.scopes.includes("project:write"));
  assert.equal(body.user.email, "viewer@example.com");
  const bootstrap = await api.call<{ user: null }>("bootstrap", "/");
  assert.equal(bootstrap.body.user, null);
});

Deno.test("organizations are listed to those who see them", async () => {
  await using api = await testApi();
  const slugs = async (actor: "viewer" | "stranger" | "bootstrap") =>
    (await api.call<{ slug: string }[]>(actor, "/organizations/")).body.map(({ slug }) => slug);
  assert.deepEqual(await slugs("viewer"), ["acme"]);
  assert.deepEqual(await slugs("stranger"), ["other"]);
  assert.deepEqual(await slugs("bootstrap"), ["acme", "other"]);
});

Deno.test("an organization is found by slug and by id", async () => {
  await using api = await testApi();
  for (const name of [api.organization.slug, api.organization.id]) {
    const { status, body } = await api.call<{ id: string; name: string; role: string }>(
      "admin",
      `/organizations/${name}/`,
    );
    assert.equal(status, 200);
    assert.deepEqual([body.id, body.name, body.role], [api.organization.id, "acme", "admin"]);
  }
});

Deno.test("addresses work without the trailing slash, other methods get 405, other addresses 404", async () => {
  await using api = await testApi();
  assert.equal((await api.call("viewer", "/organizations")).status, 200);
  assert.equal((await api.call("viewer", "/projects/acme/acme-shop")).status, 200);
  const wrong = await api.call("owner", "/organizations/acme/", { method: "DELETE" });
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get("allow"), "GET, PUT, OPTIONS");
  const options = await api.call("nobody", "/projects/acme/acme-shop/", { method: "OPTIONS" });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get("allow"), "GET, PUT, DELETE, OPTIONS");
  const missing = await api.call<{ detail: string }>("owner", "/nothing/here/");
  assert.equal(missing.status, 404);
  assert.ok(missing.body.detail);
});
