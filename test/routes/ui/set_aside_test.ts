import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { spooledRequest } from "../../support/spooled_request.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";
import { waitFor } from "../../support/wait_for.ts";

/** Requests that are set aside, of two projects. */
async function withSetAside(): Promise<Acme & { readonly shop: string; readonly till: string }> {
  const app = await acme();
  const { kv, spool } = app.services;
  const [shop, till] = await Promise.all(["Shop", "Till"].map(async (name) => {
    const organizationId = app.organization.id;
    return (await createProject(kv, { organizationId, name, platform: "node" })).id;
  }));
  const add = (projectId = "", code: string, protocol = "sentry_envelope") => {
    const requestId = crypto.randomUUID();
    const request = { projectId, requestId, protocol, receivedAt: new Date() };
    return spool.aside.add(spooledRequest("{}", request), code);
  };
  await add(shop, "42501");
  await add(shop, "42501");
  // Of an older version, for instance.
  await add(shop, "0A000", "no_such_protocol");
  await add(till, "unreadable");
  return { ...app, shop: shop ?? "", till: till ?? "" };
}

Deno.test("the Instance page tells how many requests are set aside, since when, of whom and why", async () => {
  await using app = await withSetAside();
  const { html } = await app.owner.get("/instance");
  const text = textOf(html);
  assert.match(text, /Set aside 4 /);
  assert.match(text, /B of 256 MiB · Oldest/);
  assert.match(text, /Shop Watchpost lacks a right in Postgres. 42501 2 requests/);
  assert.match(text, /Shop Postgres does not support a statement. 0A000 1 request /);
  assert.match(text, /Till Watchpost cannot read them. 1 request /);
  const { visitor } = await app.member("owner");
  assert.equal((await visitor.get("/instance")).status, 404);
});

Deno.test("the administrator of the instance deletes what is set aside: all, of a project and reason, or by name", async () => {
  await using app = await withSetAside();
  const { spool, sql } = app.services;
  const left = async () => (await spool.aside.find({})).map(({ code }) => code).toSorted();
  const [first] = await spool.aside.find({ code: "42501" });
  const form = { action: "aside-delete" };
  const { visitor } = await app.member("owner");
  assert.equal((await visitor.post("/instance", { ...form, all: "yes" })).status, 404);
  // Neither one nor all of them.
  assert.equal((await app.owner.post("/instance", form)).status, 400);
  assert.equal((await left()).length, 4);

  await app.owner.post("/instance", { ...form, name: first?.name ?? "" });
  assert.deepEqual(await left(), ["0A000", "42501", "unreadable"]);
  await app.owner.post("/instance", { ...form, project: app.shop, code: "0A000" });
  assert.deepEqual(await left(), ["42501", "unreadable"]);
  const done = await app.owner.post("/instance", { ...form, all: "yes" });
  assert.equal(done.location, "/instance#set-aside");
  assert.match(textOf((await app.owner.get("/instance")).html), /2 requests are deleted/);
  assert.deepEqual(await left(), []);

  const log = textOf((await app.owner.get("/instance/audit")).html);
  for (const label of ["1 × 42501", "1 × 0A000", "2 × 42501, unreadable"]) {
    assert.ok(log.includes(`Deleted what was set aside: ${label}`), label);
  }
  await waitFor("the counts of what is lost", async () => {
    const [row] = await sql<{ quantity: number }[]>`
      select sum(quantity)::int as quantity from outcomes
      where project_id in (${app.shop}, ${app.till}) and reason = 'deleted_unstored'
    `;
    return row?.quantity === 4 || null;
  });
});

Deno.test("what is tried again leaves the list, and comes back with its reason when it is in vain", async () => {
  await using app = await withSetAside();
  const { spool } = app.services;
  const form = { action: "aside-retry", project: app.shop, code: "0A000" };
  const answer = await app.owner.post("/instance", form);
  assert.equal(answer.location, "/instance#set-aside");
  const [back] = await waitFor("the next try", async () => {
    const found = await spool.aside.find({ projectId: app.shop, code: "unreadable" });
    return found.length > 0 ? found : null;
  });
  assert.equal(back?.requests, 1);
  const text = textOf((await app.owner.get("/instance/audit")).html);
  assert.ok(text.includes("Tried again what was set aside: 1 × 0A000"));
});

Deno.test("the list of what is set aside fits a desk and a phone", {
  ignore: CHROMIUM === null,
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using app = await withSetAside();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  await using browser = await openBrowser();
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const folder = Deno.env.get("SCREENSHOTS");
  for (const viewport of SIZES) {
    const context = await browser.newContext({ viewport, baseURL });
    const page = await context.newPage();
    await signIn(page);
    await page.goto("/instance");
    await page.locator("#set-aside").scrollIntoViewIfNeeded();
    const panel = page.locator("section[aria-labelledby=set-aside]");
    await panel.locator("summary").first().click();
    await panel.locator("summary", { hasText: "One by one" }).first().click();
    assert.deepEqual(await faultsOf(page), []);
    if (folder) {
      await page.screenshot({ path: `${folder}/set-aside-${viewport.width}.png`, fullPage: true });
    }
    await context.close();
  }
  await server.shutdown();
});
