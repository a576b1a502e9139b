import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createOrganization } from "../../support/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { person } from "../../support/people.ts";
import { acme, textOf, type Visitor } from "../../support/ui_app.ts";

Deno.test("without projects the list says what would fill it", async () => {
  await using app = await acme();
  const { html } = await app.owner.get("/projects");
  assert.match(textOf(html), /No projects yet A project stands for one app or service\./);
  assert.match(html, /<title>Projects · Watchpost<\/title>/);
});

Deno.test("a new project leads to its Setup page with both DSNs and a snippet", async () => {
  await using app = await acme({ baseUrl: "https://errors.example/prefix" });
  const made = await app.owner.post("/projects/new", { name: "web shop", platform: "python" });
  assert.equal(made.status, 303);
  assert.equal(made.location, "/projects/1/setup");

  const { html } = await app.owner.get("/projects/1/setup");
  const text = textOf(html);
  const [server, browser] = await listKeys(app.services.kv, "1");
  assert.match(text, new RegExp(`https://${server?.publicKey}@errors\\.example/prefix/1`));
  assert.match(text, new RegExp(`https://${browser?.publicKey}@errors\\.example/prefix/1`));
  assert.match(text, /sentry_sdk\.init\( dsn="https:/);
  assert.match(text, /Waiting for the first data/);
  const go = await app.owner.get("/projects/1/setup?platform=go");
  assert.match(textOf(go.html), /sentry\.Init\(sentry\.ClientOptions/);
});

Deno.test("a project without a name or platform is refused with both reasons at once", async () => {
  await using app = await acme();
  const answer = await app.owner.post("/projects/new", { name: " " });
  assert.equal(answer.status, 422);
  assert.match(textOf(answer.html), /Choose a platform\. Enter a name\./);
});

Deno.test("only those whose role allows it create projects", async () => {
  await using app = await acme();
  const { visitor } = await app.member("member");
  assert.match(textOf((await visitor.get("/projects/new")).html), /You cannot create projects/);
  const offers = async (who: Visitor) =>
    (await who.get("/projects")).html.includes("/projects/new");
  assert.deepEqual([await offers(visitor), await offers(app.owner)], [false, true]);
  const organization = app.organization.id;
  const answer = await visitor.post("/projects/new", { name: "x", platform: "go", organization });
  assert.equal(answer.status, 403);
});

Deno.test("the list is searched by name and shows only what one may see", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const organizationId = app.organization.id;
  await createProject(kv, { organizationId, name: "Web Shop", platform: "node" });
  await createProject(kv, { organizationId, name: "Billing", platform: "go" });

  assert.match(textOf((await app.owner.get("/projects")).html), /Billing.*Web Shop/);
  const found = textOf((await app.owner.get("/projects?q=shop")).html);
  assert.match(found, /no events yet Node\.js/);
  assert.doesNotMatch(found, /no events yet Go/);
  assert.match(textOf((await app.owner.get("/projects?q=nope")).html), /None of your 2 projects/);

  const eve = await person(kv, "eve");
  const other = await createOrganization(kv, { name: "Other", ownerId: eve.id });
  await createProject(kv, { organizationId: other.id, name: "Secret", platform: "go" });
  const { visitor } = await app.member("member");
  const seen = textOf((await visitor.get("/projects")).html);
  assert.match(seen, /Billing.*Web Shop/);
  assert.doesNotMatch(seen, /Secret/);
});

Deno.test("viewers see the Setup page without keys", async () => {
  await using app = await acme();
  const { kv } = app.services;
  await createProject(kv, { organizationId: app.organization.id, name: "Shop", platform: "node" });
  const { visitor } = await app.member("viewer");
  const { html } = await visitor.get("/projects/1/setup");
  assert.match(textOf(html), /Your role does not show keys\./);
  for (const { publicKey } of await listKeys(kv, "1")) assert.ok(!html.includes(publicKey));
});
