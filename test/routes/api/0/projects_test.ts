import assert from "node:assert/strict";
import { testApi } from "@/test/support/api_people.ts";

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
  const { status, body } = await api.call<ProjectAnswer>(
    "admin",
    "/teams/acme/everyone/projects/",
    {
      method: "POST",
      body: { name: "Api", slug: "api-2" },
    },
  );
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

Deno.test("a deleted project is listed and restored, not by another organization", async () => {
  await using api = await testApi();
  const { id } = api.project;
  await api.call("admin", `/projects/acme/${id}/`, { method: "DELETE" });
  const list = await api.call<{ id: string; slug: string; purgedRows: number | null }[]>(
    "admin",
    "/organizations/acme/deleted-projects/",
  );
  assert.deepEqual(
    list.body.map((each) => [each.id, each.slug, each.purgedRows]),
    [[id, "acme-shop", null]],
  );
  const restore = (organization: string) =>
    api.call<ProjectAnswer>(
      "bootstrap",
      `/organizations/${organization}/deleted-projects/${id}/restore/`,
      { method: "POST" },
    );
  assert.equal((await restore("other")).status, 404);
  assert.equal((await restore("acme")).body.slug, "acme-shop");
  assert.equal((await api.call("viewer", `/projects/acme/${id}/`)).status, 200);
  assert.equal((await restore("acme")).status, 404);
});

Deno.test("a project is not found through another organization", async () => {
  await using api = await testApi();
  const { status } = await api.call("bootstrap", `/projects/other/${api.project.id}/`);
  assert.equal(status, 404);
});

Deno.test("resolveAge is told and set in hours, which are rounded up to days", async () => {
  await using api = await testApi();
  const path = "/projects/acme/acme-shop/";
  const put = (resolveAge: unknown) =>
    api.call<{ resolveAge: unknown }>("admin", path, { method: "PUT", body: { resolveAge } });
  const age = async () => (await api.call<{ resolveAge: number }>("viewer", path)).body.resolveAge;
  assert.equal(await age(), 0);
  assert.equal((await put(168)).body.resolveAge, 168);
  assert.equal((await put(30)).body.resolveAge, 48);
  for (const wrong of [-1, 1.5, "24", 1e9, {}]) assert.equal((await put(wrong)).status, 400);
  assert.equal(await age(), 48);
  assert.equal((await put(null)).body.resolveAge, 0);
});
