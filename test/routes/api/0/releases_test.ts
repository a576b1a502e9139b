import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { type ActorName, ACTORS, type TestApi, testApi } from "@/test/support/api_people.ts";

interface ReleaseAnswer {
  readonly version: string;
  readonly status: string;
  readonly dateCreated: string;
  readonly dateReleased: string | null;
  readonly newGroups: number;
  readonly commitCount: number;
  readonly lastCommit: { id: string; repository: { name: string } | null } | null;
  readonly deployCount: number;
  readonly lastDeploy: { environment: string } | null;
  readonly projects: { id: number; slug: string }[];
}

const RELEASES = "/organizations/acme/releases/";
const OF_PROJECT = "/projects/acme/acme-shop/releases/";

function create(api: TestApi, body: object, actor: ActorName = "member", path = RELEASES) {
  return api.call<ReleaseAnswer>(actor, path, { method: "POST", body });
}

const COMMIT = {
  id: "62aaca3186baa4b2a2b2a6e5b0c4c6e2a4a4a4a4",
  repository: "acme/shop",
  author_name: "Ann",
  author_email: "ann@acme.example",
  timestamp: "2026-11-20T12:00:00+01:00",
  message: "Count the cart\n\nFixes SHOP-1A\n",
  patch_set: [{ path: "src/cart.ts", type: "M" }],
};

Deno.test("a release is made once: 201, then 208 with the same body", async () => {
  await using api = await testApi();
  const body = {
    version: "shop@1.0.0",
    projects: ["acme-shop"],
    dateStarted: "2026-11-20T10:00:00.123456789Z",
  };
  const first = await create(api, body);
  assert.equal(first.status, 201);
  assert.deepEqual(first.body.projects.map(({ slug }) => slug), ["acme-shop"]);
  const again = await create(api, body);
  assert.equal(again.status, 208);
  assert.deepEqual(again.body, first.body);
});

Deno.test("a project is named by its id as a number too, and adding one makes 201", async () => {
  await using api = await testApi();
  const other = await createProject(api.services.kv, {
    organizationId: api.organization.id,
    name: "Second",
    platform: "node",
  });
  await create(api, { version: "1.0", projects: [Number(api.project.id)] });
  const { status, body } = await create(api, { version: "1.0", projects: [other.slug] });
  assert.equal(status, 201);
  assert.equal(body.projects.length, 1);
  const whole = await api.call<ReleaseAnswer>("viewer", `${RELEASES}1.0/`);
  assert.equal(whole.body.projects.length, 2);
});

const WRONG = [
  { says: "unknown projects", body: { version: "1", projects: ["nope"] }, field: "projects" },
  { says: "no projects", body: { version: "1", projects: [] }, field: "projects" },
  { says: "no version", body: { projects: ["acme-shop"] }, field: "version" },
  ...["", "latest", ".", "..", "a/b", "a\\b", "a\nb", " a", "x".repeat(201)].map((version) => ({
    says: `the version ${JSON.stringify(version).slice(0, 20)}`,
    body: { version, projects: ["acme-shop"] },
    field: "version",
  })),
  {
    says: "a date that is none",
    body: { version: "1", projects: ["acme-shop"], dateReleased: "soon" },
    field: "dateReleased",
  },
  {
    says: "a date before any calendar of Postgres",
    body: { version: "1", projects: ["acme-shop"], dateReleased: "-000044-03-15T12:00:00Z" },
    field: "dateReleased",
  },
  {
    says: "a year of five digits",
    body: { version: "1", projects: ["acme-shop"], dateReleased: "+012026-01-01T12:00:00Z" },
    field: "dateReleased",
  },
  ...["a\0b", "a\ud800"].flatMap((text) => [
    {
      says: `the ref ${JSON.stringify(text)}`,
      body: { version: "1", projects: ["acme-shop"], ref: text },
      field: "ref",
    },
    {
      says: `a head commit of ${JSON.stringify(text)}`,
      body: {
        version: "1",
        projects: ["acme-shop"],
        headCommits: [{ repository: text, currentId: "abc" }],
      },
      field: "headCommits",
    },
  ]),
  {
    says: "a commit with blanks in its id",
    body: { version: "1", projects: ["acme-shop"], commits: [{ id: "a b" }] },
    field: "commits",
  },
];
for (const { says, body, field } of WRONG) {
  Deno.test(`a release with ${says} is refused with 400 at its field`, async () => {
    await using api = await testApi();
    const answer = await create(api, body);
    assert.equal(answer.status, 400);
    assert.ok(field in answer.body, JSON.stringify(answer.body));
  });
}

Deno.test("a release is finalized by its name with nine-digit dates, however it is encoded", async () => {
  await using api = await testApi();
  const version = "my shop@1.0.0+build#7?%";
  await create(api, { version, projects: ["acme-shop"] });
  const path = `${RELEASES}${encodeURIComponent(version)}/`;
  const { status, body } = await api.call<ReleaseAnswer>("member", path, {
    method: "PUT",
    body: { projects: ["acme-shop"], dateReleased: "2026-11-20T12:00:00.123456789Z" },
  });
  assert.equal(status, 200);
  assert.deepEqual([body.version, body.dateReleased], [version, "2026-11-20T12:00:00.123Z"]);
});

Deno.test("a release that is not there is 404, and one that was deleted too", async () => {
  await using api = await testApi();
  assert.equal((await api.call("viewer", `${RELEASES}9.9/`)).status, 404);
  await create(api, { version: "9.9", projects: ["acme-shop"] });
  assert.equal((await api.call("member", `${RELEASES}9.9`, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("viewer", `${RELEASES}9.9/`)).status, 404);
  assert.equal((await api.call("member", `${RELEASES}9.9/`, { method: "DELETE" })).status, 404);
});

Deno.test("commits come back with author, repository and files; refs: [] takes them away", async () => {
  await using api = await testApi();
  await create(api, { version: "1.0" }, "member", OF_PROJECT);
  const put = (body: object) =>
    api.call<ReleaseAnswer>("member", `${OF_PROJECT}1.0/`, { method: "PUT", body });
  const { body } = await put({ commits: [COMMIT] });
  assert.equal(body.commitCount, 1);
  assert.deepEqual([body.lastCommit?.id, body.lastCommit?.repository?.name], [
    COMMIT.id,
    "acme/shop",
  ]);
  const commits = await api.call<{ message: string; author: object; dateCreated: string }[]>(
    "viewer",
    `${RELEASES}1.0/commits/`,
  );
  assert.deepEqual(
    commits.body.map(({ message, author, dateCreated }) => [
      message,
      author,
      dateCreated,
    ]),
    [[COMMIT.message, { name: "Ann", email: "ann@acme.example" }, "2026-11-20T11:00:00.000Z"]],
  );
  const files = await api.call<{ filename: string; type: string }[]>(
    "viewer",
    `${OF_PROJECT}1.0/commitfiles/`,
  );
  assert.deepEqual(files.body.map(({ filename, type }) => [filename, type]), [[
    "src/cart.ts",
    "M",
  ]]);
  const repos = await api.call<{ name: string }[]>("viewer", "/organizations/acme/repos/?cursor=");
  assert.deepEqual(repos.body.map(({ name }) => name), ["acme/shop"]);
  assert.equal((await put({ refs: [] })).body.commitCount, 0);
});

Deno.test("a reference with a range leaves its end as the newest commit", async () => {
  await using api = await testApi();
  const refs = [{ repository: "acme/shop", commit: "aaaaaaa..bbbbbbb" }];
  const { body } = await create(api, { version: "1.0", projects: ["acme-shop"], refs });
  assert.equal(body.lastCommit?.id, "bbbbbbb");
});

Deno.test("the release before with commits is exactly {} when there is none", async () => {
  await using api = await testApi();
  const before = (version: string) =>
    api.call<ReleaseAnswer>("viewer", `${RELEASES}${version}/previous-with-commits/`);
  assert.deepEqual((await before("1.0")).body, {});
  await create(api, { version: "1.0", projects: ["acme-shop"], commits: [COMMIT] });
  assert.deepEqual((await before("1.0")).body, {});
  await create(api, { version: "1.1", projects: ["acme-shop"] });
  assert.equal((await before("1.1")).body.lastCommit?.id, COMMIT.id);
});

Deno.test("deploys are listed newest first, and the release tells of the last", async () => {
  await using api = await testApi();
  await create(api, { version: "1.0", projects: ["acme-shop"] });
  const path = `${RELEASES}1.0/deploys/`;
  const deploy = (body: object) =>
    api.call<{ id: string }>("member", path, { method: "POST", body });
  const first = await deploy({
    environment: "staging",
    name: null,
    url: null,
    dateStarted: null,
    dateFinished: "2026-11-20T12:00:00.123456789Z",
  });
  assert.equal(first.status, 201);
  await deploy({ environment: "production" });
  const { body } = await api.call<{ environment: string; dateFinished: string }[]>("viewer", path);
  assert.deepEqual(body.map(({ environment }) => environment), ["production", "staging"]);
  const release = await api.call<ReleaseAnswer>("viewer", `${RELEASES}1.0/`);
  assert.deepEqual([release.body.deployCount, release.body.lastDeploy?.environment], [
    2,
    "production",
  ]);
  for (const environment of ["", "x".repeat(65), "a/b"]) {
    assert.equal((await deploy({ environment })).status, 400);
  }
});

Deno.test("the list is paged, searched and sorted by versions", async () => {
  await using api = await testApi();
  for (const version of ["shop@1.10.0", "shop@1.9.0", "other", "shop@1.2.0"]) {
    await create(api, { version, projects: ["acme-shop"] });
  }
  const list = async (search: string) => {
    const answer = await api.call<ReleaseAnswer[]>("viewer", `${RELEASES}?${search}`);
    const next = /rel="next"; results="true"; cursor="([^"]+)"/.exec(
      answer.headers.get("link") ?? "",
    )?.[1];
    return { versions: answer.body.map(({ version }) => version), next };
  };
  const { versions, next } = await list("sort=semver&per_page=3");
  assert.deepEqual(versions, ["shop@1.10.0", "shop@1.9.0", "shop@1.2.0"]);
  assert.deepEqual((await list(`sort=semver&per_page=3&cursor=${next}`)).versions, ["other"]);
  assert.deepEqual((await list("query=1.9")).versions, ["shop@1.9.0"]);
  assert.deepEqual((await list("query=%25")).versions, []);
});

Deno.test("members make releases, viewers read them, strangers find nothing", async () => {
  await using api = await testApi();
  await create(api, { version: "1.0", projects: ["acme-shop"] });
  const statuses = async (path: string, init?: { method: string; body: unknown }) =>
    Object.fromEntries(
      await Promise.all(
        ACTORS.map(async (actor) => [actor, (await api.call(actor, path, init)).status]),
      ),
    );
  const reading = {
    nobody: 401,
    stranger: 404,
    viewer: 200,
    member: 200,
    admin: 200,
    manager: 200,
    owner: 200,
  };
  for (const path of [RELEASES, `${RELEASES}1.0/`, `${OF_PROJECT}1.0/commits/`]) {
    assert.deepEqual(await statuses(path), { ...reading, bootstrap: 200 });
  }
  const body = { version: "1.0", projects: ["acme-shop"] };
  assert.deepEqual(await statuses(RELEASES, { method: "POST", body }), {
    ...reading,
    viewer: 403,
    member: 208,
    admin: 208,
    manager: 208,
    owner: 208,
    bootstrap: 208,
  });
});

Deno.test("releases of another organization's projects cannot be named", async () => {
  await using api = await testApi();
  const { slug, id } = api.otherWorld.project;
  for (const name of [slug, Number(id)]) {
    const { status } = await create(api, { version: "1.0", projects: [name] });
    assert.equal(status, 400);
  }
});
