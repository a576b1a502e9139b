import assert from "node:assert/strict";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

/** The number of the first saved search on a page. */
const idOf = (html: string) => /name="search" value="(\d+)"/.exec(html)?.[1] ?? "";

Deno.test("a search is saved, opened, renamed, shared and deleted", async () => {
  await using app = await shop();
  await app.store(failure("a", { level: "fatal" }), failure("b"));
  const { visitor: member } = await app.member("member");
  const { visitor: viewer } = await app.member("viewer");
  const searches = `${app.path}/searches`;
  assert.match(textOf((await app.owner.get(searches)).html), /No search is saved yet/);

  const here = `${app.path}?query=level%3Afatal&sort=inbox`;
  const list = await app.owner.get(here);
  assert.match(list.html, /<input type="hidden" name="query" value="is:unresolved level:fatal"/);
  const saved = await app.owner.post(searches, {
    action: "save",
    name: "Fatal <ones>",
    query: "is:unresolved level:fatal",
    sort: "inbox",
    back: here,
  });
  assert.deepEqual([saved.status, saved.location], [303, here]);
  const { html } = await app.owner.get(app.path);
  assert.match(textOf(html), /“Fatal &lt;ones&gt;” is saved\.|“Fatal <ones>” is saved\./);
  const link = /href="([^"]*query=is%3Aunresolved[^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  assert.equal(link, `${app.path}?query=is%3Aunresolved+level%3Afatal&status=all&sort=inbox`);
  assert.match(textOf((await app.owner.get(link)).html), /Showing 1–1 of 1/);
  assert.doesNotMatch((await member.get(searches)).html, /Fatal/);

  const id = idOf((await app.owner.get(searches)).html);
  const change = (fields: Record<string, string>) => ({
    action: "change",
    search: id,
    name: "Fatal",
    query: "level:fatal",
    sort: "trends",
    ...fields,
  });
  await app.owner.post(searches, change({ isShared: "on" }));
  const seen = await member.get(searches);
  assert.match(textOf(seen.html), /Fatal shared level:fatal/);
  assert.equal(idOf(seen.html), "", "a member changes nothing of others");
  await member.post(searches, change({ name: "Taken" }));
  assert.match(textOf((await member.get(searches)).html), /no such search that you can change/);
  assert.equal((await viewer.post(searches, { action: "delete", search: id })).status, 403);

  const wrong = await app.owner.post(searches, change({ name: " " }));
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /Name the search/);
  const odd = await app.owner.post(searches, { action: "sing" });
  assert.equal(odd.status, 303);
  await app.owner.post(searches, { action: "delete", search: id });
  assert.match(textOf((await app.owner.get(searches)).html), /No search is saved yet/);
});

Deno.test("the list begins with what is pinned, and with all unresolved issues again when asked to", async () => {
  await using app = await shop();
  await app.store(failure("a", { level: "fatal" }), failure("b"));
  const searches = `${app.path}/searches`;
  const pin = { action: "pin", query: "is:unresolved level:fatal", sort: "trends" };
  await app.owner.post(searches, { ...pin, back: app.path });
  const first = await app.owner.get(`${app.path}?range=7d`);
  const pinned = `${app.path}?range=7d&query=is%3Aunresolved+level%3Afatal&status=all&sort=trends`;
  assert.deepEqual([first.status, first.location], [303, pinned]);
  const { html } = await app.owner.get(pinned);
  assert.match(textOf(html), /Showing 1–1 of 1/);
  assert.match(textOf(html), /Begin with all unresolved/);
  // The plain list is still there, under an address that says so.
  const plain = await app.owner.get(`${app.path}?query=`);
  assert.equal(plain.status, 200);
  assert.match(plain.html, /href="[^"]*issues\?status=unresolved"/);
  const { visitor } = await app.member("viewer");
  assert.equal((await visitor.get(app.path)).status, 200);

  await app.owner.post(searches, { action: "unpin" });
  assert.equal((await app.owner.get(app.path)).status, 200);
});

Deno.test("what was searched for of late is offered again, to nobody else", async () => {
  await using app = await shop();
  await app.store(failure("a"));
  const { visitor } = await app.member("viewer");
  await app.owner.get(`${app.path}?query=level%3Aerror`);
  await app.owner.get(`${app.path}?query=level%3Anonsense`);
  const { html } = await app.owner.get(app.path);
  const recent = /aria-label="Recent searches"(.*?)<\/ul>/s.exec(html)?.[1] ?? "";
  assert.equal(textOf(recent).trim().replace(/^.*> /, ""), "level:error");
  assert.doesNotMatch((await visitor.get(app.path)).html, /Recent searches/);
});
