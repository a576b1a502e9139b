import assert from "node:assert/strict";
import { person } from "../../support/people.ts";
import { createOrganization } from "../../support/organizations.ts";
import { sessionCountsRecord } from "../../support/records.ts";
import { storedDomain } from "../../support/stored_monitors.ts";
import { textOf } from "../../support/ui_app.ts";
import {
  certificate,
  DAY_MS,
  pageError,
  pageLoad,
  watchedSite,
} from "../../support/watched_site.ts";

Deno.test("a site of which nothing is known says what to do", async () => {
  await using app = await watchedSite();
  const { status, html } = await app.owner.get(app.base);
  assert.equal(status, 200);
  assert.match(html, /<title>Site · Shop/);
  const text = textOf(html);
  assert.match(text, /Nobody checks yet whether your site is up\./);
  assert.match(text, /No visitor's browser has told anything Paste one line/);
  assert.match(text, /Newest release No release was named in this time/);
  assert.match(html, new RegExp(`href="/projects/${app.projectId}/monitors/new"`));
  assert.match(html, new RegExp(`href="/projects/${app.projectId}/setup\\?platform=sites"`));
});

Deno.test("viewers are not offered what they may not do", async () => {
  await using app = await watchedSite();
  const { visitor } = await app.member("viewer");
  const { html } = await visitor.get(app.base);
  assert.doesNotMatch(html, /monitors\/new/);
  assert.match(textOf(html), /A member of the organization can add one/);
});

Deno.test("a site that does well says so first, with a line and a link for each thing", async () => {
  await using app = await watchedSite();
  const monitor = await app.monitor({
    certificate: certificate(62),
    lastHour: { up: 3_600, down: 0 },
  });
  await storedDomain(app.services, app.projectId, "shop.example", 200);
  const loads = Array.from({ length: 5 }, () => pageLoad("/cart", 1_200));
  await app.send(...loads, sessionCountsRecord({ release: "shop@1.4" }));
  const { html } = await app.owner.get(app.base);
  const text = textOf(html);
  assert.match(text, /Your site is up\. Checked \d+ s ago\. Up 100% of the last 24 hours\./);
  assert.match(text, /Good: It was never down in this time\./);
  assert.match(text, /Good: The certificate of shop\.example is valid for another 62 days\./);
  assert.match(text, /Good: The registration of shop\.example lasts another 200 days\./);
  assert.match(text, /Good: No JavaScript errors\./);
  assert.match(text, /Good: Pages feel good: LCP 1\.\d+ s, INP \d+\.?\d* ms, CLS 0\.02\./);
  assert.match(text, /The slowest page is \/cart: one load in four takes longer than 1\.\d+ s\./);
  assert.match(text, /The newest release is shop@1\.4, first seen/);
  assert.match(html, new RegExp(`href="/projects/${app.projectId}/monitors/${monitor}"`));
  assert.match(html, /href="\/projects\/\d+\/transactions\/summary\?name=%2Fcart"/);
  assert.match(html, /href="\/projects\/\d+\/issues\?query=platform%3Ajavascript&amp;sort=events"/);
});

Deno.test("a site in trouble says what is wrong, and how many things need a look", async () => {
  await using app = await watchedSite();
  await app.monitor({
    state: "down",
    lastError: "The answer was 500; expected is 200-299.",
    certificate: certificate(6),
    lastHour: { up: 3_000, down: 600 },
  });
  await storedDomain(app.services, app.projectId, "shop.example", 14);
  const slow = Array.from({ length: 5 }, () => pageLoad("/cart", 9_000));
  const errors = Array.from({ length: 8 }, () => pageError("x is not a function"));
  const earlier = new Date(Date.now() - 20 * DAY_MS);
  await app.send(...slow, ...errors, pageError("x is not a function", { timestamp: earlier }));
  const text = textOf((await app.owner.get(app.base)).html);
  assert.match(text, /Your site is down\. 6 things need a look\./);
  assert.match(text, /Shop: The answer was 500; expected is 200-299\. It began 20 min ago\./);
  assert.match(text, /Bad: Shop was down for 10 m 00 s in this time \(up 83\.333%\)\./);
  assert.match(text, /Bad: The certificate of shop\.example ends in 6 days\. Renew it\./);
  assert.match(text, /The registration of shop\.example ends in 14 days\. Renew it\./);
  assert.match(text, /8 JavaScript errors, 8 times as many as in the time before\./);
  assert.match(text, /pages show their content late: LCP \d\.?\d* s is poor\./);
  assert.match(text, /Error: x is not a function ?8 /);
});

Deno.test("errors of servers, and issues that somebody has dealt with, are none of the page's", async () => {
  await using app = await watchedSite();
  await app.send(pageError("seen"), pageError("done"));
  await app.store({ group: "server" });
  await app.services.sql`update issues set status = 'resolved' where title = 'Error: done'`;
  const text = textOf((await app.owner.get(app.base)).html);
  assert.match(text, /2 JavaScript errors, none in the time before/);
  const panel = text.slice(text.indexOf("Most frequent"));
  assert.match(panel, /Error: seen/);
  assert.doesNotMatch(panel, /Error: (?:done|server)/);
});

Deno.test("the page obeys environment, release and time", async () => {
  await using app = await watchedSite();
  await app.send(
    pageError("live"),
    pageError("staged", { environment: "staging", release: "shop@2" }),
    pageError("old", { timestamp: new Date(Date.now() - 3 * DAY_MS) }),
    pageLoad("/live", 900),
    pageLoad("/staged", 900, { environment: "staging", release: "shop@2" }),
  );
  const read = async (rest: string) => textOf((await app.owner.get(app.base + rest)).html);
  assert.match(await read(""), /3 JavaScript errors/);
  const staged = await read("?environment=staging");
  assert.match(staged, /1 JavaScript error,.*slowest page is \/staged/);
  assert.doesNotMatch(staged, /\/live/);
  assert.match(await read("?release=shop%402"), /1 JavaScript error,.*release is shop@2/);
  assert.match(await read("?range=24h"), /2 JavaScript errors/);
  assert.match(await read("?environment=nowhere"), /Nothing matches/);
});

Deno.test("a part that cannot be read says so, and the others are there", async () => {
  await using app = await watchedSite();
  await app.monitor({ lastHour: { up: 3_600, down: 0 } });
  await app.send(pageLoad("/cart", 1_000));
  await app.services.sql`alter table session_users rename to session_users_away`;
  const { status, html } = await app.owner.get(app.base);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(text, /Newest release Not read This could not be read\. Reload the page/);
  assert.match(text, /Your site is up\./);
  assert.match(text, /The slowest page is \/cart/);
});

Deno.test("without its monitors it says that it is not known whether the site is up", async () => {
  await using app = await watchedSite();
  await app.send(pageLoad("/cart", 1_000));
  await app.services.sql`alter table uptime_monitors rename to uptime_monitors_away`;
  const text = textOf((await app.owner.get(app.base)).html);
  assert.match(text, /It could not be read whether your site is up\./);
  assert.match(text, /The slowest page is \/cart/);
});

Deno.test("what browsers and people name is shown as text, whatever it holds", async () => {
  await using app = await watchedSite();
  const evil = `<img src=x onerror=alert(1)>${"very-long-".repeat(20)}`;
  await app.monitor({ name: evil.slice(0, 120), url: "https://shop.example/<b>?q=<i>" });
  await app.send(
    pageError(evil, { title: evil, culprit: evil, release: "<u>shop" }),
    pageLoad(`/${evil}`, 1_000, {
      tags: [["url", 'https://"><script>alert(1)</script>.example/']],
    }),
    pageLoad("/x", 1_000, { tags: [["url", "javascript:alert(1)//shop.example"]] }),
  );
  const { status, html } = await app.owner.get(app.base);
  assert.equal(status, 200);
  assert.doesNotMatch(html, /<(?:img src=x|b>|i>|u>)/);
  assert.doesNotMatch(html, /<script>alert/);
  assert.doesNotMatch(html, /href="javascript:/);
});

Deno.test("the site that visitors name is offered for a monitor until one checks it", async () => {
  await using app = await watchedSite();
  await app.send(pageLoad("/cart", 1_000));
  const offered = /monitors\/new\?url=https%3A%2F%2Fshop\.example%2F"/;
  assert.match((await app.owner.get(app.base)).html, offered);
  await app.monitor();
  assert.doesNotMatch((await app.owner.get(app.base)).html, offered);
});

Deno.test("the form of a new monitor is filled in from its address, which does nothing by itself", async () => {
  await using app = await watchedSite();
  const form = async (url: string) => {
    const query = new URLSearchParams({ url });
    const { status, html } = await app.owner.get(
      `/projects/${app.projectId}/monitors/new?${query}`,
    );
    assert.equal(status, 200, url);
    return html;
  };
  assert.match(await form("https://shop.example/"), /value="https:\/\/shop\.example\/"/);
  assert.match(await form("https://shop.example/"), /value="shop\.example"/);
  for (
    const odd of [`"><script>alert(1)</script>`, "\0", "javascript:alert(1)", "x".repeat(9_000)]
  ) {
    assert.doesNotMatch(await form(odd), /<script>alert/);
  }
  assert.deepEqual([...await app.services.sql`select 1 from uptime_monitors`], []);
});

Deno.test("members of other organizations and strangers see no site", async () => {
  await using app = await watchedSite();
  await app.send(pageLoad("/secret", 3_000));
  const { kv } = app.services;
  const stranger = await person(kv, "stranger");
  await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const visitor = app.visitor();
  assert.equal((await visitor.get(app.base)).status, 303);
  await visitor.signIn(stranger.email);
  const answer = await visitor.get(app.base);
  assert.equal(answer.status, 404);
  assert.doesNotMatch(answer.html, /secret/);
});

Deno.test("odd parameters never break the page", async () => {
  await using app = await watchedSite();
  await app.send(pageLoad("/cart", 1_000), pageError("x"));
  const odd = ["range=x", "start=2026-13-77", "start=2001-01-01", "end=2000-01-01", "service=%00"];
  for (const query of odd) {
    assert.equal((await app.owner.get(`${app.base}?${query}`)).status, 200, query);
  }
});
