/** What only a browser can tell: that islands come to life and work together. */

import assert from "node:assert/strict";
import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";
import { type Browser, chromium, type Page } from "playwright-core";

const CHROMIUM = Deno.env.get("TEST_CHROMIUM") ?? "/usr/bin/chromium";

const hasChromium = await Deno.stat(CHROMIUM).then(() => true, () => false);
// deno-lint-ignore no-console -- says why tests are missing from the report
if (!hasChromium) {
  console.warn(`Skipped: no Chromium at ${CHROMIUM}; set TEST_CHROMIUM to its path`);
}

/** Serves the fixture app and opens one of its pages, with what the page has complained about. */
async function open(path: string): Promise<AsyncDisposable & { page: Page; complaints: string[] }> {
  const app = new App().use(staticFiles()).fsRoutes();
  const root = new URL("../fixtures/fresh", import.meta.url).href;
  const applyBuild = await new Builder({ root }).build({ snapshot: "memory" });
  applyBuild(app);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler());
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });

  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`http://127.0.0.1:${server.addr.port}${path}`, { waitUntil: "networkidle" });

  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.shutdown();
    },
  };
}

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: !hasChromium, sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "a signal that two islands share stays one signal in the browser",
  inBrowser,
  async () => {
    await using site = await open("/counters");
    const buttons = site.page.locator("button");

    await buttons.nth(0).click();
    await buttons.nth(1).click();

    assert.deepEqual(await buttons.allTextContents(), ["5", "5"]);
    assert.deepEqual(site.complaints, []);
  },
);

Deno.test("props arrive in the browser as what they were on the server", inBrowser, async () => {
  await using site = await open("/props");
  const inspector = site.page.locator(".inspector:not(:empty)");

  assert.deepEqual((await inspector.textContent())?.split("\n"), [
    'text: "</script><!-- \u2028 "quoted" \\ é"',
    "date: Date 1970-01-01T00:00:00.000Z",
    "url: URL https://example.com/a?b=c",
    'regexp: RegExp /a"b\\/c/gi',
    "bytes: Uint8Array 0 127 255",
    'set: Set 1,"two"',
    'map: Map "key"=>1n,2=>Map ',
    "big: 12345678901234567890n",
    "missing: undefined",
    "nothing: null",
    "notANumber: NaN",
    "infinity: -Infinity",
    "negativeZero: -0",
    "nested: [[1] of 1,[[true,undefined] of 2] of 1] of 2",
    // What has a class of its own comes as a plain object.
    "numbers: [object Object]",
    "query: [object Object]",
    "error: [object Object]",
  ]);
});

Deno.test("an island that another island renders works as a part of it", inBrowser, async () => {
  await using site = await open("/panels");
  const own = site.page.locator("#open > button:not(.toggle)");

  await own.click();
  await own.click();

  assert.equal(await own.textContent(), "2");
});

Deno.test(
  "the children of an island stay as the server rendered them, but for what can be off",
  inBrowser,
  async () => {
    await using site = await open("/panels");
    const content = site.page.locator("#open > .content");

    assert.equal(await content.locator(".static").getAttribute("data-note"), "kept");
    assert.equal(await content.locator("input").isChecked(), true);
    assert.equal(await content.locator("input").isDisabled(), true);
    // An attribute that can be on or off is on by being there.
    assert.equal(await content.locator(".static").getAttribute("draggable"), "true");
    assert.equal(await site.page.locator("#open footer").innerHTML(), "<em>first footer</em>");
    assert.deepEqual(site.complaints, []);
  },
);

Deno.test("an island inside the children of an island works", inBrowser, async () => {
  await using site = await open("/panels");
  const inner = site.page.locator("#open > .content button");

  await inner.click();

  assert.equal(await inner.textContent(), "11");
});

Deno.test(
  "children that an island shows only later appear then",
  inBrowser,
  async () => {
    await using site = await open("/panels");
    const closed = site.page.locator("#closed");
    assert.equal(await closed.locator(".static").count(), 0);

    await closed.locator("> .toggle").click();

    assert.equal(await closed.locator("> .content > .static").textContent(), "Rendered later");
    assert.equal(await closed.locator("> footer").innerHTML(), "<em>second footer</em>");

    await closed.locator("> .content > button").click();
    assert.equal(await site.page.locator("#open > .content button").textContent(), "11");
    assert.deepEqual(site.complaints, []);
  },
);

Deno.test("hidden children come back when an island shows them again", inBrowser, async () => {
  await using site = await open("/panels");
  const panel = site.page.locator("#open");

  await panel.locator("> .toggle").click();
  assert.equal(await panel.locator("> .content").count(), 0);
  await panel.locator("> .toggle").click();

  assert.equal(await panel.locator(".static").textContent(), "Rendered by the server");
});
