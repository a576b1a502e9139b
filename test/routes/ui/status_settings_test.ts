import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { readLogo } from "@/lib/monitors/status/logo.ts";
import { listPosts } from "@/lib/monitors/status/posts.ts";
import { entryKey, findPage, savePage } from "@/lib/monitors/status/status_page.ts";
import { createOrganization } from "../../support/organizations.ts";
import { person } from "../../support/people.ts";
import { SETTINGS, type StatusSite, statusSite, uptimeMonitor } from "../../support/status_site.ts";
import { acme, textOf } from "../../support/ui_app.ts";

const PATH = "/organizations/acme/settings/status-page";
const FORM = {
  action: "settings",
  title: "Acme",
  slug: "acme",
  about: "",
  host: "",
  visibility: "public",
  headColour: "#1f2937",
  linkColour: "#2563eb",
};

Deno.test("a page is made by a form, private until somebody says otherwise", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const first = await app.owner.get(PATH);
  assert.match(textOf(first.html), /New status page/);
  assert.match(first.html, /<option value="private" selected/);
  assert.equal((await app.owner.post(PATH, FORM)).location, PATH);
  const page = await findPage(kv, app.organization.id);
  assert.equal(page?.slug, "acme");
  assert.equal(page?.updatedBy, "olga@example.com");
  assert.equal((await app.visitor().get("/status/acme")).status, 200);

  assert.equal((await app.owner.post(PATH, { ...FORM, slug: "shop" })).location, PATH);
  assert.equal((await app.visitor().get("/status/acme")).status, 404);
  assert.equal((await app.visitor().get("/status/shop")).status, 200);
  const refused = await app.owner.post(PATH, { action: "delete", confirm: "acme" });
  assert.equal(refused.status, 422);
  assert.equal((await app.owner.post(PATH, { action: "delete", confirm: "shop" })).location, PATH);
  assert.equal((await app.visitor().get("/status/shop")).status, 404);
});

Deno.test("colours, slugs and host names are taken only in their own form", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const wrong: Record<string, string>[] = [
    { headColour: "red" },
    { headColour: "#fff" },
    { headColour: "#000000;}body{background:url(https://evil.example)" },
    { linkColour: "#12345g" },
    { linkColour: "#123456</style><script>alert(1)</script>" },
    { slug: "No Slug" },
    { slug: "../acme" },
    { host: "localhost" },
    { host: "127.0.0.1" },
    { host: "status.example.com/path" },
    { host: "status.example.com:80" },
    { host: "<b>.example.com" },
    { title: "" },
    { title: "x\u202e" },
  ];
  for (const fields of wrong) {
    const answer = await app.owner.post(PATH, { ...FORM, ...fields });
    assert.equal(answer.status, 422, JSON.stringify(fields));
    assert.match(answer.html, /role="alert"/);
    assert.doesNotMatch(answer.html, /<script>alert/);
  }
  assert.equal(await findPage(kv, app.organization.id), null);
});

Deno.test("the service's own host name, and what another page has, cannot be taken", async () => {
  await using app = await acme({ baseUrl: "https://watch.example.com" });
  const { kv } = app.services;
  await savePage(kv, "77", { ...SETTINGS, slug: "other", host: "status.example.com" }, "");
  for (
    const fields of [{ host: "watch.example.com" }, { host: "Status.example.com" }, {
      slug: "other",
    }]
  ) {
    assert.equal((await app.owner.post(PATH, { ...FORM, ...fields })).status, 422);
  }
  // A slug or host that was left is free again.
  await savePage(kv, "77", { ...SETTINGS, slug: "moved", host: null }, "");
  const fields = { host: "status.example.com", slug: "other" };
  assert.equal((await app.owner.post(PATH, { ...FORM, ...fields })).status, 303);
});

Deno.test("monitors of other organizations cannot be shown, whatever the form says", async () => {
  await using site = await statusSite();
  const { kv } = site.services;
  const stranger = await person(kv, "stranger");
  const other = await createOrganization(kv, { name: "Elsewhere", ownerId: stranger.id });
  const foreign = await createProject(kv, {
    organizationId: other.id,
    name: "X",
    platform: "node",
  });
  const monitor = await uptimeMonitor(site.services, foreign.id, "Foreign monitor");
  const own = await uptimeMonitor(site.services, site.project.id, "Second monitor");

  const { visitor } = await site.member("admin");
  const text = textOf((await visitor.get(PATH)).html);
  assert.match(text, /Second monitor/);
  assert.doesNotMatch(text, /Foreign monitor/);
  const keys = [entryKey(monitor), `${site.project.id}/${monitor.monitorId}`, "1", "", "__proto__"];
  for (const key of keys) {
    const answer = await visitor.post(PATH, [["action", "add"], ["monitor", entryKey(own)], [
      "monitor",
      key,
    ]]);
    assert.equal(answer.status, 422, key);
  }
  const entries = async () => (await findPage(kv, site.organization.id))?.entries ?? [];
  assert.equal((await entries()).length, 1);
  // The form of those that are shown adds none.
  await visitor.post(PATH, [["action", "entries"], ["key", entryKey(monitor)], ["name", "X"], [
    "group",
    "",
  ], ["place", "1"]]);
  assert.deepEqual((await entries()).map(({ name }) => name), ["Checkout"]);

  // A project that has left the organization shows nothing more.
  await kv.set(["status_page", site.organization.id], {
    ...site.page,
    entries: [...site.page.entries, {
      ...site.entry,
      projectId: foreign.id,
      monitorId: monitor.monitorId,
      name: "Stolen",
    }],
  });
  await visitor.post(PATH, FORM);
  assert.doesNotMatch(textOf((await visitor.get("/status/acme")).html), /Stolen/);
});

Deno.test("monitors are added, named, grouped, ordered and removed", async () => {
  await using site = await statusSite();
  const { kv } = site.services;
  const second = await uptimeMonitor(site.services, site.project.id, "Second");
  await site.owner.post(PATH, [["action", "add"], ["monitor", entryKey(second)]]);
  const rows = (names: string[], places: string[]): [string, string][] => [
    ["action", "entries"],
    ...[entryKey(site.entry), entryKey(second)].flatMap((key, row): [string, string][] => [
      ["key", key],
      ["place", places[row] ?? ""],
      ["name", names[row] ?? ""],
      ["group", row === 0 ? "" : "Shops"],
    ]),
  ];
  assert.equal((await site.owner.post(PATH, rows(["Pay", "Buy"], ["2", "1"]))).status, 303);
  assert.match(
    textOf((await site.visitor().get("/status/acme")).html),
    /Shops Buy .* Services Pay/,
  );
  assert.equal((await site.owner.post(PATH, rows(["Pay", ""], ["1", "2"]))).status, 422);
  await site.owner.post(PATH, [...rows(["Pay", "Buy"], ["1", "2"]), ["remove", entryKey(second)]]);
  const page = await findPage(kv, site.organization.id);
  assert.deepEqual(page?.entries.map(({ name, badge }) => [name, badge]), [[
    "Pay",
    site.entry.badge,
  ]]);
});

Deno.test("a logo is a picture by its bytes; drawings that can carry scripts are refused", async () => {
  await using site = await statusSite();
  const { kv } = site.services;
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  const svg = new TextEncoder().encode(
    "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
  );
  assert.equal(await upload(site, svg, "image/png"), 422);
  assert.equal(await upload(site, new Uint8Array(48 * 1024 + 1).fill(0xff), "image/jpeg"), 422);
  assert.equal(await readLogo(kv, site.organization.id), null);

  assert.equal(await upload(site, png, "image/svg+xml"), 303);
  const response = await site.ask("/status/acme/logo");
  assert.equal(response.headers.get("content-type"), "image/png");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.deepEqual(await response.bytes(), png);
  assert.match(await (await site.ask("/status/acme")).text(), /<img src="\/status\/acme\/logo[?"]/);
  await site.owner.post(PATH, { action: "remove-logo" });
  assert.equal((await site.ask("/status/acme/logo")).status, 404);
});

async function upload(
  site: StatusSite,
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<number> {
  const body = new FormData();
  body.set("logo", new File([bytes], "logo.png", { type }));
  const cookie = [...site.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const response = await site.ask(PATH, { method: "POST", body, headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test("members write incidents and updates, and plan maintenance; subscribers are told only where asked", async () => {
  await using site = await statusSite();
  const { kv } = site.services;
  const { visitor } = await site.member("member");
  const key = entryKey(site.entry);
  const made = await visitor.post(`${PATH}/posts/new`, [
    ["kind", "incident"],
    ["title", "Checkout fails"],
    ["impact", "down"],
    ["state", "identified"],
    ["entries", key],
    ["text", "The bank is away."],
    ["tell", "on"],
  ]);
  assert.equal(made.status, 303);
  const post = made.location ?? "";
  // Without SMTP nobody is told.
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: ["status_mail"] })), []);
  assert.match(
    textOf((await site.visitor().get("/status/acme")).html),
    /All systems are down.*Checkout fails Identified.*· Checkout/,
  );

  assert.equal(
    (await visitor.post(post, { action: "update", state: "resolved", text: "" })).status,
    422,
  );
  assert.equal(
    (await visitor.post(post, { action: "update", state: "planned", text: "x" })).status,
    422,
  );
  assert.equal(
    (await visitor.post(post, { action: "update", state: "resolved", text: "Back." })).location,
    post,
  );
  assert.match(textOf((await site.visitor().get("/status/acme")).html), /All systems work/);

  const times = { startsAt: "2026-11-30T22:00", endsAt: "2026-11-30T21:00" };
  const maintenance = { kind: "maintenance", title: "Move", text: "We move.", ...times };
  const refused = await visitor.post(`${PATH}/posts/new`, maintenance);
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Maintenance ends after it begins/);
  assert.match(refused.html, /value="2026-11-30T22:00"/);
  const minute = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);
  const now = { startsAt: minute(-60_000), endsAt: minute(3_600_000), entries: key };
  assert.equal((await visitor.post(`${PATH}/posts/new`, { ...maintenance, ...now })).status, 303);
  assert.match(
    textOf((await site.visitor().get("/status/acme")).html),
    /Maintenance is under way.*Checkout Maintenance/,
  );

  const foreign = { ...maintenance, ...now, entries: "9/9" };
  assert.equal((await visitor.post(`${PATH}/posts/new`, foreign)).status, 422);
  assert.equal((await visitor.post(post, { action: "delete", confirm: "delete" })).location, PATH);
  assert.equal((await listPosts(kv, site.organization.id)).length, 1);
});

Deno.test("the settings open while Postgres is away", async () => {
  await using site = await statusSite();
  await site.services.sql.end({ timeout: 1 });
  const answer = await site.owner.get(PATH);
  assert.equal(answer.status, 200);
  assert.match(textOf(answer.html), /The database is away/);
  assert.equal((await site.owner.post(PATH, { ...FORM, title: "New title" })).status, 303);
  assert.match(textOf((await site.visitor().get("/status/acme")).html), /New title/);
});
