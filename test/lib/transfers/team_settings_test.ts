import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { createOrganization } from "@/lib/accounts/organizations.ts";
import { createProject, type Project } from "@/lib/accounts/projects.ts";
import { SCOPES } from "@/lib/accounts/members.ts";
import { listDiscards } from "@/lib/errors/manage/discards.ts";
import { settingsDocument } from "@/lib/transfers/settings/document.ts";
import { takeSettings } from "@/lib/transfers/settings/take.ts";
import { askForTransfer, findTransfer } from "@/lib/transfers/transfers.ts";
import { sendSentry, type Transferred, transferred } from "../../support/transferred.ts";
import { waitFor } from "../../support/wait_for.ts";

/** A project with somebody's right to everything in its organization. */
interface Home {
  readonly organization: string;
  readonly project: Project;
  readonly token: string;
}

async function homeOf(
  { services: { kv }, owner }: Transferred,
  organization: { readonly id: string; readonly slug: string },
  project: Project,
): Promise<Home> {
  const { token } = await createApiToken(kv, {
    organizationId: organization.id,
    userId: owner.id,
    name: "all",
    scopes: [...SCOPES],
  });
  return { organization: organization.slug, project, token };
}

async function ask<T>(
  { send }: Transferred,
  { token }: Home,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<T> {
  const answer = await send(`/api/0${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${text}`);
  return text === "" ? undefined as T : JSON.parse(text) as T;
}

/** All that the API says of code mappings, CODEOWNERS and shared searches, but for ids and times. */
async function answersOf(world: Transferred, home: Home) {
  const { organization, project: { slug } } = home;
  const of = `/organizations/${organization}`;
  const all = [
    await ask(world, home, `${of}/code-mappings/?project=${slug}`),
    await ask(world, home, `/projects/${organization}/${slug}/codeowners/`),
    await ask(world, home, `${of}/searches/`),
  ];
  const local = ["id", "projectId", "projectSlug", "codeMappingId", "dateCreated", "dateUpdated"];
  return JSON.parse(JSON.stringify(all, (key, value) => local.includes(key) ? undefined : value));
}

async function setUp(world: Transferred, home: Home): Promise<void> {
  const { organization, project: { slug } } = home;
  const of = `/organizations/${organization}`;
  const mapping = await ask<{ id: string }>(world, home, `${of}/code-mappings/`, {
    projectId: slug,
    host: "gitlab",
    address: "https://git.example.com/acme/shop",
    stackRoot: "/app",
    sourceRoot: "src",
    defaultBranch: "trunk",
  });
  await ask(world, home, `${of}/code-mappings/`, {
    projectId: slug,
    host: "custom",
    address: "https://code.example.com/{path}?at={commit}#{line}",
    repository: "acme/tools",
    stackRoot: "/tools",
  });
  await ask(world, home, `/projects/${organization}/${slug}/codeowners/`, {
    raw: `/src/cart/ @olga\n*.md ${world.owner.email}\n`,
    codeMappingId: mapping.id,
    names: { "@olga": world.owner.email },
  });
  const searches = [
    ["Ours", `project:${slug} is:unresolved`, "organization"],
    ["Private", "is:resolved", "owner"],
    ["Of a sister", "is:unresolved !project:sister", "organization"],
    ["Of her issue", "issue:SISTER-1", "organization"],
  ];
  for (const [name, query, visibility] of searches) {
    await ask(world, home, `${of}/searches/`, { name, query, visibility, sort: "freq" });
  }
}

async function importSettings(world: Transferred, home: Home, archive: Uint8Array) {
  const { organization, project: { slug, id: projectId }, token } = home;
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(archive)]), "export.zip");
  const answer = await world.send(
    `/api/0/projects/${organization}/${slug}/imports/?settings=true`,
    { method: "POST", headers: { authorization: `Bearer ${token}` }, body: form },
  );
  assert.equal(answer.status, 202, await answer.clone().text());
  const { id } = await answer.json();
  const done = await waitFor("the end of the import", async () => {
    await world.work();
    const found = await findTransfer(world.services.sql, projectId, id);
    return found?.state === "waiting" ? undefined : found ?? undefined;
  });
  assert.deepEqual([done.state, done.lastError], ["done", ""]);
  return done.counts;
}

Deno.test("code mappings, CODEOWNERS, shared searches and discards come into another organization", async (t) => {
  await using world = await transferred();
  const { services: { kv, sql }, owner } = world;
  const home = await homeOf(world, world.organization, world.project);
  await setUp(world, home);
  await sendSentry(world);
  const withEvents = await world.exported(home.project);
  const issues = await ask<{ id: string; title: string }[]>(
    world,
    home,
    `/projects/acme/${home.project.slug}/issues/?query=`,
  );
  const discarded = issues.find(({ title }) => title.startsWith("TypeError"));
  assert.ok(discarded);
  const address = `/projects/acme/${home.project.slug}/issues/?id=${discarded.id}`;
  await ask(world, home, address, { discard: true }, "PUT");
  const archive = await world.exported(home.project);
  const text = new TextDecoder().decode(unzipSync(archive)["settings.json"]);

  await t.step(
    "the document has no id, no private search, and none that names another project",
    () => {
      assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-|Private|sister/i);
      assert.doesNotMatch(text, /"(?:id|codeMappingId|ownerId)"/);
      const { version, savedSearches, discards } = JSON.parse(text);
      assert.equal(version, 1);
      const query = `project:${home.project.slug} is:unresolved`;
      assert.deepEqual(savedSearches, [{ name: "Ours", query, sort: "freq" }]);
      assert.match(discards[0].title, /^TypeError/);
    },
  );

  const organization = await createOrganization(kv, {
    name: "Other",
    slug: "other",
    ownerId: owner.id,
  });
  const place = { organizationId: organization.id, name: "Copy", platform: "node" };
  const copy = await homeOf(world, organization, await createProject(kv, place));
  const before = await answersOf(world, home);
  await t.step("they answer there as they did", async () => {
    const counts = await importSettings(world, copy, archive);
    assert.deepEqual([counts.settings, counts.settings_refused], [5, undefined]);
    const [mappings, files, searches] = before;
    const shared = searches.filter(({ name }: { name: string }) => name === "Ours");
    assert.deepEqual(await answersOf(world, copy), [mappings, files, shared]);
  });

  await t.step("events of the discarded group are dropped there, too", async () => {
    await world.imported(copy.project, "export.zip", withEvents);
    const [discard, ...others] = await listDiscards(sql, copy.project.id);
    assert.deepEqual([discard?.timesDropped, others.length], [2, 0]);
    const path = `/projects/other/${copy.project.slug}/issues/?query=`;
    const left = await ask<{ title: string }[]>(world, copy, path);
    assert.ok(left.length > 0 && !left.some(({ title }) => title.startsWith("TypeError")));
    assert.equal(discard?.discardedBy, `${owner.email} (API token all)`);
  });

  await t.step("a second import changes nothing, there or where it came from", async () => {
    for (const each of [copy, home]) {
      const document = await settingsDocument(kv, sql, each.project.id);
      const answers = await answersOf(world, each);
      const counts = await importSettings(world, each, archive);
      assert.deepEqual([counts.settings, counts.settings_refused], [undefined, undefined]);
      assert.deepEqual(await answersOf(world, each), answers);
      assert.deepEqual(await settingsDocument(kv, sql, each.project.id), document);
    }
  });

  await t.step("an issue that is open here stays open", async () => {
    const open = await homeOf(world, organization, await createProject(kv, place));
    await world.imported(open.project, "export.zip", withEvents);
    await importSettings(world, open, archive);
    assert.deepEqual(await listDiscards(sql, open.project.id), []);
    const left = await ask<{ title: string }[]>(
      world,
      open,
      `/projects/other/${open.project.slug}/issues/?query=`,
    );
    assert.ok(left.some(({ title }) => title.startsWith("TypeError")));
  });

  await t.step("whoever imports is told of in the audit log", async () => {
    const entries = await sql<{ event: string }[]>`
      select distinct event from audit_entries
      where project_id = ${copy.project.id} or event = 'saved-search.create' order by event
    `;
    const events = entries.map(({ event }) => event);
    for (
      const event of [
        "code-mapping.create",
        "issue.discard",
        "project.ownership-rule.edit",
        "saved-search.create",
      ]
    ) assert.ok(events.includes(event), event);
  });
});

Deno.test("team settings that nobody could have entered are counted, and cost none of the others", async () => {
  await using world = await transferred();
  const { project, services, owner } = world;
  const take = async (by: string, raw: Record<string, unknown>) => {
    const id = await askForTransfer(services.sql, project, {
      kind: "import",
      takesSettings: true,
      by,
    });
    const transfer = await findTransfer(services.sql, project.id, id);
    assert.ok(transfer);
    const head = { format: "watchpost-settings", version: 1 };
    return await takeSettings(services, transfer, { ...head, ...raw });
  };
  const mapping = {
    host: "github",
    address: "https://github.com/acme/shop",
    defaultBranch: "main",
  };
  const hash = "a".repeat(32);
  assert.deepEqual(
    await take(owner.email, {
      codeMappings: [
        7,
        { ...mapping, stackRoot: "../.." },
        { ...mapping, address: "javascript:alert(1)//{path}", host: "custom", repository: "a" },
        { ...mapping, address: "https://a:b@github.com/acme/shop" },
        { ...mapping, defaultBranch: {} },
        mapping,
        mapping,
      ],
      codeowners: { raw: "* @olga", codeMapping: { repository: "nobody/has", stackRoot: "/" } },
      savedSearches: [
        { name: "", query: "" },
        { name: "long", query: "q".repeat(2_000) },
        { name: "n".repeat(101), query: "" },
        { name: "Good", query: "is:unresolved", sort: {}, visibility: "owner", ownerId: "1" },
      ],
      discards: [
        { title: "no hashes" },
        { title: "bad hashes", hashes: [hash, { hash: "x", version: 1 }, { hash, version: 1e9 }] },
        { title: { a: 1 }, id: "-1", hashes: [{ hash, version: 3 }, { hash, version: 3 }] },
        { title: "the same", hashes: [{ hash, version: 3 }] },
        ...Array(12_000).fill(null),
      ],
    }),
    { settings: 3, there_already: 2, settings_refused: 5 + 1 + 3 + 2 + 12_000 },
  );
  assert.deepEqual(
    await take(owner.email, {
      codeMappings: 7,
      codeowners: { raw: "* @olga", names: { "@olga": "nobody@example.com" } },
      savedSearches: { name: "x" },
      discards: "all",
    }),
    { settings_refused: 1 },
  );
  assert.deepEqual(await take(owner.email, { codeowners: { raw: "", names: { "@olga": 7 } } }), {
    settings_refused: 1,
  });
  assert.deepEqual(
    await take("organization token of nobody", { savedSearches: [{ name: "New", query: "a" }] }),
    { settings_refused: 1 },
  );
  const { savedSearches } = await settingsDocument(services.kv, services.sql, project.id) ?? {};
  assert.deepEqual(savedSearches, [{ name: "Good", query: "is:unresolved", sort: "date" }]);
});
