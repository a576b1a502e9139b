import assert from "node:assert/strict";
import { recorded } from "./decode.ts";

function tags(sent: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(recorded(sent).tags);
}

Deno.test("searchTags() holds the client's tags and those derived from other fields", () => {
  const event = {
    platform: "node",
    level: "fatal",
    environment: "prod",
    release: "shop@1",
    dist: "7",
    transaction: "/pay",
    server_name: "web-1",
    site: "eu",
    logger: "shop",
    tags: { section: "checkout" },
    user: { id: 7 },
    request: {
      url: "http://h/pay?x=1",
      headers: {
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      },
    },
    contexts: {
      runtime: { name: "node", version: "v24" },
      os: { name: "Debian", version: 13 },
      device: { model: "X1" },
    },
    exception: { type: "E", mechanism: { type: "onerror", handled: false } },
  };
  assert.deepEqual(tags(event), {
    section: "checkout",
    level: "fatal",
    environment: "prod",
    release: "shop@1",
    dist: "7",
    transaction: "/pay",
    server_name: "web-1",
    site: "eu",
    logger: "shop",
    user: "id:7",
    url: "http://h/pay",
    handled: "no",
    mechanism: "onerror",
    browser: "Firefox 140.0",
    "browser.name": "Firefox",
    os: "Debian 13",
    "os.name": "Debian",
    client_os: "Linux",
    "client_os.name": "Linux",
    runtime: "node v24",
    "runtime.name": "node",
    device: "X1",
  });
});

Deno.test("searchTags() leaves the client's own value where it tagged by a derived name", () => {
  assert.equal(
    tags({ tags: { url: "mine", level: "mine" }, request: { url: "http://h/" } }).url,
    "mine",
  );
  assert.equal(tags({ tags: { level: "mine" }, level: "info" }).level, "info");
});

Deno.test("searchTags() calls an event unhandled when any of its exceptions is", () => {
  const handled = (...flags: unknown[]) =>
    tags({ exception: flags.map((flag) => ({ type: "E", mechanism: { handled: flag } })) }).handled;
  assert.equal(handled(true, true), "yes");
  assert.equal(handled(false, true), "no");
  assert.equal(handled(null), undefined);
  assert.equal(tags({ message: "x" }).handled, undefined);
});

Deno.test("searchTags() never holds more than 100 tags", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, "v"]));
  const { length } =
    recorded({ tags: many, release: "r", environment: "e", server_name: "s", user: { id: 1 } })
      .tags;
  assert.equal(length, 78 + 5);
});
