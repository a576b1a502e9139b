import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { addUpdate, createPost } from "@/lib/monitors/status/posts.ts";
import { refreshSnapshot } from "@/lib/monitors/status/snapshot.ts";
import { changePage, renewToken, savePage } from "@/lib/monitors/status/status_page.ts";
import { INCIDENT, setState, SETTINGS, statusSite, uptimeMonitor } from "../support/status_site.ts";
import { textOf } from "../support/ui_app.ts";

const WRITING = { by: "olga@example.com", isTold: false };

Deno.test("the public page tells how monitors stand and stood, and nothing of what they check", async () => {
  await using site = await statusSite();
  await setState(site.services, site.monitor, "down");
  await refreshSnapshot(site.services, site.page);

  const response = await site.ask("/status/acme");
  const html = await response.text();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("cache-control"), "public, max-age=60");
  assert.equal(response.headers.get("set-cookie"), null);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self' data:;/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.doesNotMatch(html, /<script/);
  const text = textOf(html);
  assert.match(text, /All systems are down/);
  // 36 of 172,800 seconds: never rounded up.
  assert.match(text, /90 days 99\.979%/);
  assert.match(
    html,
    /aria-label="Checkout, last 90 days: [23] measured, 1 with trouble, listed below"/,
  );
  assert.match(text, /down for 36 s/);

  for (const path of ["", "/json", "/feed.xml", "/badge.svg"]) {
    const body = await (await site.ask(`/status/acme${path}`)).text();
    assert.doesNotMatch(body, /secret-target|key=|10\.1\.2\.3|internal-checkout|olga@/, path);
  }
});

Deno.test("the policy lets exactly the style through that the page has", async () => {
  await using site = await statusSite({ headColour: "#abcdef" });
  const response = await site.ask("/status/acme");
  const style = /<style>(.*?)<\/style>/s.exec(await response.text())?.[1] ?? "";
  assert.match(style, /--head:#abcdef;--on-head:#000000/);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  const hash = new Uint8Array(digest).toBase64();
  assert.match(
    response.headers.get("content-security-policy") ?? "",
    new RegExp(`'sha256-${hash.replaceAll("+", "\\+")}'`),
  );
});

Deno.test("the page is served with its last state while Postgres is away, and can be written on", async () => {
  await using site = await statusSite();
  const { kv, sql } = site.services;
  await sql.end({ timeout: 1 });

  const before = textOf(await (await site.ask("/status/acme")).text());
  assert.match(before, /All systems work As of \d{4}-/);
  await createPost(kv, site.organization.id, { ...INCIDENT, title: "Database down" }, WRITING);
  const after = textOf(await (await site.ask("/status/acme")).text());
  assert.match(after, /Some systems are down/);
  assert.match(after, /Database down/);
  assert.match(after, /99\.979%/);
  assert.equal((await site.ask("/status/acme/badge.svg")).status, 200);
  // Programs read the same in all languages.
  for (const language of ["en", "ru"]) {
    const headers = { "accept-language": language };
    const json = await (await site.ask("/status/acme/json", { headers })).json();
    assert.equal(json.groups[0].monitors[0].uptime["90d"], "99.979 %", language);
  }
});

Deno.test("incidents and maintenance are told in their order, in the feed and as JSON", async () => {
  await using site = await statusSite();
  const { kv } = site.services;
  const { id } = site.organization;
  const post = await createPost(kv, id, INCIDENT, WRITING);
  await createPost(kv, id, {
    ...INCIDENT,
    kind: "maintenance",
    title: "New machines",
    impact: "none",
    state: "planned",
    times: { startsAt: new Date(Date.now() + DAY_MS), endsAt: new Date(Date.now() + 2 * DAY_MS) },
  }, WRITING);

  const open = textOf(await (await site.ask("/status/acme")).text());
  assert.match(
    open,
    /Some systems are down.*Now Checkout fails Investigating.*Planned maintenance New machines Planned/,
  );
  await addUpdate(kv, id, post.postId, { state: "resolved", text: "Fixed." }, WRITING);
  const over = textOf(await (await site.ask("/status/acme")).text());
  assert.match(
    over,
    /All systems work.*last 90 days Checkout fails Resolved.*Fixed\..*We look into it\./,
  );

  const json = await (await site.ask("/status/acme/json")).json();
  assert.deepEqual(json.open, []);
  assert.equal(json.past[0].updates.length, 2);
  assert.equal(json.upcoming[0].title, "New machines");
  const feed = await site.ask("/status/acme/feed.xml");
  assert.equal(feed.headers.get("content-type"), "application/rss+xml; charset=utf-8");
  const items = [...(await feed.text()).matchAll(/<item><title>(.*?)<\/title>/g)].map(([, title]) =>
    title
  );
  assert.deepEqual(items, [
    "Resolved: Checkout fails",
    "Planned: New machines",
    "Investigating: Checkout fails",
  ]);
});

Deno.test("what people write is text everywhere: page, JSON, feed and badge", async () => {
  const hostile = `<script>alert(1)</script>"'&<img src=x onerror=alert(2)>]]>\u0001\ud800`;
  await using site = await statusSite({ title: hostile, about: hostile });
  const { kv } = site.services;
  await changePage(kv, site.organization.id, () => ({
    entries: [{ ...site.entry, name: hostile, group: hostile }],
  }), "");
  await createPost(
    kv,
    site.organization.id,
    { ...INCIDENT, title: hostile, text: hostile },
    WRITING,
  );

  const html = await (await site.ask("/status/acme")).text();
  assert.doesNotMatch(html, /<script|<img src=x/);
  for (const path of ["feed.xml", "badge.svg", `badges/${site.entry.badge}.svg`]) {
    const response = await site.ask(`/status/acme/${path}`);
    const body = await response.text();
    assert.equal(response.status, 200, path);
    assert.doesNotMatch(body, /<script|<img/, path);
    assert.equal(body.includes("\u0001"), false, path);
    // Every `<` begins an element of ours, every `&` an entity: well-formed.
    assert.doesNotMatch(body, /&(?!(?:amp|lt|gt|quot|#\d+);)/, path);
  }
  const json = await site.ask("/status/acme/json");
  assert.equal(json.headers.get("x-content-type-options"), "nosniff");
  assert.match(json.headers.get("content-type") ?? "", /^application\/json/);
});

Deno.test("badges are 20 px high, for every site, and only for tokens of the page", async () => {
  await using site = await statusSite();
  const response = await site.ask(`/status/acme/badges/${site.entry.badge}.svg`);
  const svg = await response.text();
  assert.equal(response.headers.get("content-type"), "image/svg+xml");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("cache-control"), "public, max-age=60");
  assert.equal(
    response.headers.get("content-security-policy"),
    "default-src 'none'; style-src 'unsafe-inline'",
  );
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="20"/);
  assert.match(svg, /<title>Checkout: up<\/title>/);

  const shields = await site.ask(`/status/acme/badges/${site.entry.badge}.json`);
  assert.deepEqual(await shields.json(), {
    schemaVersion: 1,
    label: "Checkout",
    message: "up",
    color: "success",
  });
  assert.equal((await site.ask(`/status/acme/badges/${"0".repeat(32)}.svg`)).status, 404);
  assert.equal((await site.ask(`/status/acme/badges/${site.monitor.monitorId}.svg`)).status, 404);
});

Deno.test("a private page is there for members and holders of its token alone; to others it does not exist", async () => {
  await using site = await statusSite({ isPublic: false });
  const { kv } = site.services;
  const stranger = site.visitor();
  const other = await site.member("viewer");
  const unknown = await (await site.ask("/status/nothing")).text();
  const sameWords = (html: string) => textOf(html).replace(/[0-9a-f-]{36}/g, "");
  const token = await renewToken(kv, site.organization.id, "");
  assert.ok(token);

  for (
    const path of [
      "",
      "/json",
      "/feed.xml",
      "/badge.svg",
      "/confirm",
      "/unsubscribe",
      "/nothing",
      `/badges/${"0".repeat(32)}.svg`,
    ]
  ) {
    for (const query of ["", "?token=", "?token=wrong", "?subscription=AAAA"]) {
      const response = await site.ask(`/status/acme${path}${query}`);
      assert.equal(response.status, 404, path + query);
      assert.equal(sameWords(await response.text()), sameWords(unknown), path + query);
    }
  }
  assert.equal((await site.ask("/status/acme/json", { method: "POST" })).status, 404);
  assert.equal((await stranger.get("/status/acme")).status, 404);
  const seen = await other.visitor.get("/status/acme");
  assert.equal(seen.status, 200);
  assert.equal(seen.headers.get("cache-control"), "private, no-store");

  const held = await site.ask(`/status/acme?token=${token}`);
  assert.equal(held.status, 200);
  assert.equal(held.headers.get("cache-control"), "private, no-store");
  assert.match(await held.text(), new RegExp(`/status/acme/json\\?token=${token}`));
  assert.equal(
    (await site.ask(`/status/acme/json?token=${token}`)).headers.get("access-control-allow-origin"),
    null,
  );
  // Who has the address of a badge sees this one state.
  assert.equal((await site.ask(`/status/acme/badges/${site.entry.badge}.svg`)).status, 200);

  await renewToken(kv, site.organization.id, "");
  assert.equal((await site.ask(`/status/acme?token=${token}`)).status, 404);
});

Deno.test("a page answers at its own host name, and the rest of the service goes on there", async () => {
  await using site = await statusSite({ host: "status.example.com" });
  const at = (path: string) => site.handle(new Request(`http://status.example.com${path}`));
  const html = await (await at("/")).text();
  assert.match(textOf(html), /^All systems work · Acme/);
  assert.match(html, /href="\/feed\.xml"/);
  assert.match(await (await at("/feed.xml")).text(), /<link>http:\/\/status\.example\.com<\/link>/);
  assert.equal((await at("/healthz")).status, 200);
  const foreign = await site.handle(new Request("http://other.example.com/json"));
  assert.equal(foreign.status, 404);

  const { kv } = site.services;
  await savePage(kv, site.organization.id, { ...SETTINGS, host: null }, "");
  assert.equal((await at("/json")).status, 404);
});

Deno.test("a form to subscribe is there only where mail can be sent", async () => {
  await using site = await statusSite();
  assert.doesNotMatch(await (await site.ask("/status/acme")).text(), /<form/);
  const body = new URLSearchParams({ email: "ann@example.com" });
  assert.equal((await site.ask("/status/acme/subscribe", { method: "POST", body })).status, 404);
});

Deno.test("planned maintenance is told of below the banner, to the minute, with its day once", async () => {
  await using site = await statusSite();
  const day = Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS;
  const text = (html: string) => textOf(html).replace(/\s+/g, " ");
  const plain = text(await (await site.ask("/status/acme")).text());
  assert.doesNotMatch(plain, /Next maintenance/);
  const post = await createPost(site.services.kv, site.organization.id, {
    ...INCIDENT,
    kind: "maintenance",
    title: "New <b> machines",
    impact: "none",
    state: "planned",
    times: { startsAt: new Date(day + 8 * HOUR_MS), endsAt: new Date(day + 9.5 * HOUR_MS) },
  }, WRITING);
  const html = await (await site.ask("/status/acme")).text();
  const date = new Date(day).toISOString().slice(0, 10);
  assert.ok(html.includes(`<a href="#${post.postId}">New &lt;b> machines</a>`), html);
  assert.ok(html.includes(`id="${post.postId}"`));
  assert.ok(text(html).includes(`machines, ${date} 08:00 UTC`), text(html));
  assert.ok(text(html).includes(`From ${date} 08:00 UTC to 09:30 UTC`), text(html));
});

Deno.test("a page whose monitors are all paused says that nothing is measured now, and keeps what was", async () => {
  await using site = await statusSite();
  await site.services.sql`
    update uptime_monitors set is_paused = true where project_id = ${site.project.id}
  `;
  await refreshSnapshot(site.services, site.page);
  const text = textOf(await (await site.ask("/status/acme")).text());
  assert.match(text, /Nothing is measured at the moment/);
  assert.match(text, /Checkout\s*Not measured.*90 days 99\.979%/s);
  assert.match(text, /No incidents were reported\./);
});

Deno.test("beside a monitor that is paused or worked on, one that is down is not all of them", async () => {
  await using site = await statusSite();
  const { services, project, organization } = site;
  const other = await uptimeMonitor(services, project.id, "other");
  const entries = [site.entry, { ...site.entry, monitorId: other.monitorId, name: "Other" }];
  const page = await changePage(services.kv, organization.id, () => ({ entries }), "");
  assert.ok(page);
  const banner = async () => {
    await refreshSnapshot(services, page);
    const html = await (await site.ask("/status/acme")).text();
    return /class="banner (\w+)"/.exec(html)?.[1];
  };
  await setState(services, site.monitor, "down");
  assert.equal(await banner(), "partial");
  await services.sql`
    update uptime_monitors set is_paused = true
    where project_id = ${project.id} and monitor_id = ${other.monitorId}
  `;
  assert.equal(await banner(), "partial");
  await services.sql`update uptime_monitors set is_paused = false where project_id = ${project.id}`;
  await setState(services, other, "down");
  assert.equal(await banner(), "down");
});
