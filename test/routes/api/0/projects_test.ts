import assert from "node:assert/strict";
import { testApi } from "../../../support/api_people.ts";

interface ProjectAnswer {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly platform: string;
  readonly firstEvent: string | null;
  readonly teams: { slug: string }[];
  readonly organization?: { slug: string };
}

interface KeyAnswer {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly public: string;
  readonly projectId: number;
  readonly isActive: boolean;
  readonly type: string;
  readonly dsn: { public: string };
}

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

Deno.test("a project is made with a server key and a browser key", async () => {
  await using api = await testApi();
  const { status, body } = await api.call<ProjectAnswer>("admin", "/organizations/acme/projects/", {
    method: "POST",
    body: { name: "Web Shop", platform: "python-django", default_rules: true },
  });
  assert.equal(status, 201);
  assert.deepEqual([body.slug, body.name, body.platform], [
    "web-shop",
    "Web Shop",
    "python-django",
  ]);
  assert.match(body.id, /^\d+$/);
  const keys = await api.call<KeyAnswer[]>("admin", `/projects/acme/${body.slug}/keys/`);
  assert.deepEqual(keys.body.map(({ type, isActive }) => [type, isActive]), [
    ["server", true],
    ["browser", true],
  ]);
  for (const key of keys.body) {
    assert.match(key.public, /^[0-9a-f]{32}$/);
    assert.equal(key.dsn.public, `http://${key.public}@localhost:8000/${body.id}`);
    assert.deepEqual([key.id, key.projectId], [key.public, Number(body.id)]);
  }
});

Deno.test("a project is made through a team's address as well", async () => {
  await using api = await testApi();
  const { status, body } = await api.call<ProjectAnswer>("admin", "/teams/acme/backend/projects/", {
    method: "POST",
    body: { name: "Api", slug: "api-2" },
  });
  assert.equal(status, 201);
  assert.deepEqual([body.slug, body.platform, body.organization?.slug], ["api-2", "other", "acme"]);
});

Deno.test("wrong input is refused with the problems of each field", async () => {
  await using api = await testApi();
  const make = (body: unknown) =>
    api.call("admin", "/organizations/acme/projects/", { method: "POST", body });
  assert.deepEqual(await make({}).then(({ status, body }) => ({ status, body })), {
    status: 400,
    body: { name: ["This field is required."] },
  });
  for (
    const body of [
      { name: 7 },
      { name: "" },
      { name: "x", slug: "UPPER" },
      { name: "x", slug: "7" },
      [],
      "x",
    ]
  ) {
    const answer = await make(body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.ok(answer.body !== null && typeof answer.body === "object");
  }
  const broken = await make("{broken");
  assert.equal(broken.status, 400);
  assert.match(JSON.stringify(broken.body), /JSON parse error/);
  assert.equal((await make({ name: "x".repeat(200_000) })).status, 413);
});

Deno.test("a slug that is taken is refused with 409", async () => {
  await using api = await testApi();
  const { status, body } = await api.call<{ detail: string }>(
    "admin",
    "/organizations/acme/projects/",
    { method: "POST", body: { name: "Again", slug: api.project.slug } },
  );
  assert.equal(status, 409);
  assert.match(body.detail, /taken/);
});

Deno.test("projects are listed per organization and over all of them", async () => {
  await using api = await testApi();
  const list = await api.call<ProjectAnswer[]>("viewer", "/organizations/acme/projects/");
  assert.deepEqual(list.body.map(({ slug }) => slug), ["acme-shop"]);
  assert.match(list.headers.get("link") ?? "", /rel="next"; results="false"/);
  const all = await api.call<ProjectAnswer[]>("bootstrap", "/projects/");
  assert.deepEqual(all.body.map(({ slug, organization }) => [organization?.slug, slug]), [
    ["acme", "acme-shop"],
    ["other", "other-shop"],
  ]);
  const own = await api.call<ProjectAnswer[]>("viewer", "/projects/");
  assert.deepEqual(own.body.map(({ slug }) => slug), ["acme-shop"]);
});

Deno.test("a project is read, changed and deleted", async () => {
  await using api = await testApi();
  const path = `/projects/acme/${api.project.id}/`;
  assert.equal((await api.call<ProjectAnswer>("viewer", path)).body.slug, "acme-shop");
  const changed = await api.call<ProjectAnswer>("admin", path, {
    method: "PUT",
    body: { name: "Shop", slug: "shop", platform: "php" },
  });
  assert.equal(changed.status, 200);
  assert.deepEqual([changed.body.name, changed.body.slug, changed.body.platform], [
    "Shop",
    "shop",
    "php",
  ]);
  assert.equal((await api.call("viewer", "/projects/acme/acme-shop/")).status, 404);
  assert.equal((await api.call("admin", path, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("viewer", path)).status, 404);
});

Deno.test("a project is not found through another organization", async () => {
  await using api = await testApi();
  const { status } = await api.call("bootstrap", `/projects/other/${api.project.id}/`);
  assert.equal(status, 404);
});

Deno.test("a key is made, disabled, renamed and deleted", async () => {
  await using api = await testApi();
  const path = "/projects/acme/acme-shop/keys/";
  const made = await api.call<KeyAnswer>("admin", path, {
    method: "POST",
    body: { name: "Worker", type: "browser" },
  });
  assert.equal(made.status, 201);
  assert.deepEqual([made.body.name, made.body.label, made.body.type], [
    "Worker",
    "Worker",
    "browser",
  ]);
  const changed = await api.call<KeyAnswer>("admin", `${path}${made.body.id}/`, {
    method: "PUT",
    body: { name: "Old worker", isActive: false },
  });
  assert.deepEqual([changed.body.name, changed.body.isActive], ["Old worker", false]);
  const count = async (status: string) =>
    (await api.call<KeyAnswer[]>("admin", `${path}?status=${status}`)).body.length;
  assert.deepEqual([await count("active"), await count("inactive")], [2, 1]);
  assert.equal(
    (await api.call("admin", `${path}${made.body.id}/`, { method: "DELETE" })).status,
    204,
  );
  assert.equal((await api.call("admin", `${path}${made.body.id}/`)).status, 404);
});

Deno.test("a key without a name is called Default and serves servers", async () => {
  await using api = await testApi();
  const { body } = await api.call<KeyAnswer>("admin", "/projects/acme/acme-shop/keys/", {
    method: "POST",
  });
  assert.deepEqual([body.name, body.type, body.isActive], ["Default", "server", true]);
});

Deno.test("a key of another project is not found", async () => {
  await using api = await testApi();
  const path = `/projects/acme/acme-shop/keys/${api.otherWorld.serverKey}/`;
  assert.equal((await api.call("bootstrap", path)).status, 404);
  assert.equal((await api.call("bootstrap", path, { method: "DELETE" })).status, 404);
});

Deno.test("addresses work without the trailing slash, other methods get 405, other addresses 404", async () => {
  await using api = await testApi();
  assert.equal((await api.call("viewer", "/organizations")).status, 200);
  assert.equal((await api.call("viewer", "/projects/acme/acme-shop")).status, 200);
  const wrong = await api.call("owner", "/organizations/acme/", { method: "DELETE" });
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get("allow"), "GET, OPTIONS");
  const options = await api.call("nobody", "/projects/acme/acme-shop/", { method: "OPTIONS" });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get("allow"), "GET, PUT, DELETE, OPTIONS");
  const missing = await api.call<{ detail: string }>("owner", "/nothing/here/");
  assert.equal(missing.status, 404);
  assert.ok(missing.body.detail);
});
