import assert from "node:assert/strict";
import { findSiteHost, findUnwatchedHost, publicHostOf } from "@/lib/sites/site_host.ts";
import { DAY_MS, HOUR_MS, pageError, pageLoad, watchedSite } from "../../support/watched_site.ts";

Deno.test("publicHostOf() takes names of sites on the web alone", () => {
  const hosts: [url: string, host: string | null][] = [
    ["https://Shop.Example/cart?x=1#y", "shop.example"],
    ["http://shop.example:8443/", "shop.example"],
    ["https://me:secret@shop.example/", "shop.example"],
    ["https://магазин.рф/корзина", "xn--80aairftm.xn--p1ai"],
    ["https://localhost/", null],
    ["https://app.localhost/", null],
    ["http://192.168.1.7/", null],
    ["http://0x7f.1/", null],
    ["http://[::1]/", null],
    ["https://printer.local/", null],
    ["https://shop.test/", null],
    ["https://intranet/", null],
    ["https://shop.example./", null],
    [`https://${"a".repeat(60)}.${"b".repeat(60)}.${"c.".repeat(70)}example/`, null],
    ["file:///C:/shop.example/index.html", null],
    ["chrome-extension://shop.example/x.js", null],
    ["javascript:alert(1)//shop.example", null],
    ["//shop.example/", null],
    ["/cart", null],
    ["", null],
  ];
  for (const [url, host] of hosts) assert.equal(publicHostOf(url), host, url);
});

Deno.test("the site is the one that pages name most often, whether by loads or errors", async () => {
  await using app = await watchedSite();
  const { sql } = app.services;
  assert.equal(await findSiteHost(sql, app.projectId), null);
  const at = (url: string) => ({ tags: [["url", url]] as const });
  await app.send(
    pageLoad("/", 900, at("https://preview.shop.example/")),
    pageLoad("/", 900, at("http://localhost:3000/")),
    pageLoad("/", 900, at("http://localhost:3000/")),
    pageLoad("/", 900, at("http://localhost:3000/")),
    pageLoad("/", 900, at("https://www.shop.example/")),
    pageError("x", at("https://www.shop.example/cart")),
  );
  assert.equal(await findSiteHost(sql, app.projectId), "www.shop.example");
});

Deno.test("what servers, other projects and visitors of long ago name is not the site", async () => {
  await using app = await watchedSite();
  const { sql, writer } = app.services;
  const old = new Date(Date.now() - 15 * DAY_MS);
  await app.send(
    pageError("server", { platform: "node" }),
    pageLoad("/", 900, { platform: "php" }),
    pageLoad("/", 900, { timestamp: old }),
  );
  await writer.commit("4711", { records: [pageLoad("/", 900)], outcomes: [] });
  assert.equal(await findSiteHost(sql, app.projectId), null);
  const now = new Date(old.getTime() + HOUR_MS);
  assert.equal(await findSiteHost(sql, app.projectId, now), "shop.example");
});

Deno.test("a site that a monitor checks is unwatched no more", async () => {
  await using app = await watchedSite();
  const { sql } = app.services;
  await app.send(pageLoad("/", 900));
  await app.monitor({ url: "https://blog.shop.example/" });
  assert.equal(await findUnwatchedHost(sql, app.projectId), "shop.example");
  await app.monitor({ url: "https://shop.example/health" });
  assert.equal(await findUnwatchedHost(sql, app.projectId), null);
});
