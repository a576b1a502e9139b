import assert from "node:assert/strict";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

async function mergedShop() {
  const app = await shop();
  await app.store(failure("big"), failure("big"), failure("small"));
  const { sql } = app.services;
  const rows = await sql<{ id: string; title: string }[]>`select id, title from issues`;
  const idOf = (title: string) => rows.find((row) => row.title === `Error: ${title}`)?.id ?? "";
  const [big, small] = [idOf("big"), idOf("small")];
  const merge = () =>
    app.owner.post(app.path, [["action", "merge"], ["issue", big], ["issue", small]]);
  return { ...app, big, small, merge };
}

Deno.test("merging issues in the list leaves the one with the most events", async () => {
  await using app = await mergedShop();
  const answer = await app.merge();
  assert.equal(answer.status, 303);
  const { html } = await app.owner.get(app.path);
  assert.match(textOf(html), /1 issue merged into SHOP-1/);
  assert.match(textOf(html), /Showing 1–1 of 1/);
});

Deno.test("links to a merged issue lead to the one it is part of", async () => {
  await using app = await mergedShop();
  await app.merge();
  const old = await app.owner.get(`${app.path}/${app.small}?range=7d`);
  assert.equal(old.status, 303);
  assert.equal(old.location, `${app.path}/${app.big}?range=7d`);
  const events = await app.owner.get(`${app.path}/${app.small}/events`);
  assert.equal(events.location, `${app.path}/${app.big}/events`);
  const event = await app.owner.get(`${app.path}/${app.small}/events/latest`);
  assert.equal(event.location, `${app.path}/${app.big}/events/latest`);
});

Deno.test("the page of an issue lists what was merged into it, and lets it out again", async () => {
  await using app = await mergedShop();
  await app.merge();
  const { html } = await app.owner.get(`${app.path}/${app.big}`);
  assert.match(textOf(html), new RegExp(`Merged issues.*Error: small #${app.small}`));
  const { visitor } = await app.member("viewer");
  assert.doesNotMatch((await visitor.get(`${app.path}/${app.big}`)).html, /value="unmerge"/);

  await app.owner.post(`${app.path}/${app.big}`, { action: "unmerge", merged: app.small });
  const page = await app.owner.get(`${app.path}/${app.small}`);
  assert.equal(page.status, 200);
  assert.match(textOf(page.html), /SHOP-2 is an issue of its own again/);
});

Deno.test("merging less than two issues says so and changes nothing", async () => {
  await using app = await mergedShop();
  await app.owner.post(app.path, { action: "merge", issue: app.big });
  const { html } = await app.owner.get(app.path);
  assert.match(textOf(html), /Choose at least two issues/);
  assert.match(textOf(html), /Showing 1–2 of 2/);
});
