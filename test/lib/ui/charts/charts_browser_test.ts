/** What only a browser can tell of charts: crosshair, keyboard, dragging, and the page's policy. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";
import type { Locator, Page } from "playwright-core";
import { readConfig } from "@/lib/core/config.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import type { State } from "@/lib/server/define.ts";
import { securityHeaders } from "@/lib/server/security_headers.ts";
import { CHROMIUM, openBrowser } from "@/test/support/chromium.ts";

const ROOT = new URL("../../../../", import.meta.url).href;
const PAGES = new URL("./pages", import.meta.url).href;
/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

interface Site extends AsyncDisposable {
  readonly page: Page;
  /** What the console has said, a breach of the policy included. */
  readonly complaints: string[];
}

/** The page with all charts, under the policy of real pages. */
async function open(options: { javaScriptEnabled?: boolean } = {}): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  await buildStyles();
  const app = new App<State>().use((ctx) => {
    // All that the policy's middleware asks for.
    Object.assign(ctx.state, { services: { config: readConfig({}) } });
    return ctx.next();
  }, securityHeaders).use(staticFiles()).fsRoutes();
  const applyBuild = await new Builder({ root: ROOT, routeDir: PAGES }).build({
    snapshot: "memory",
  });
  applyBuild(app);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler());
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`http://127.0.0.1:${server.addr.port}/`, { waitUntil: "networkidle" });
  const stores = opened.move();
  return { page, complaints, [Symbol.asyncDispose]: () => stores.disposeAsync() };
}

/** Moves the mouse to shares of an element's width. */
async function pass(page: Page, place: Locator, ...shares: number[]): Promise<void> {
  await place.scrollIntoViewIfNeeded();
  const box = await place.boundingBox();
  assert.ok(box);
  for (const share of shares) await page.mouse.move(box.x + share * box.width, box.y + 40);
}

Deno.test(
  "charts follow the pointer together, zoom by a drag, and read by keyboard",
  inBrowser,
  async (t) => {
    await using site = await open();
    const { page, complaints } = site;
    const layer = page.locator("#latency .chart-layer");
    const legend = (id: string) => page.locator(`#${id} [data-chart-value]`).allTextContents();
    const summary = await legend("latency");

    await t.step(
      "the legend shows the values under the crosshair, in all charts of the key",
      async () => {
        await pass(page, layer, 0.6);
        assert.deepEqual(await legend("latency"), ["30 ms", "300 ms"]);
        assert.deepEqual(await legend("status"), ["3", "7"]);
        assert.equal(await page.locator("#status .chart-crosshair").isVisible(), true);
        assert.equal(
          await page.locator("#latency .chart-tag-time").textContent(),
          "2026-11-21 08:02 UTC",
        );
        assert.equal(
          await page.locator("#latency .chart-tag-marker").textContent(),
          "release web@2",
        );
        await page.mouse.move(0, 0);
        assert.deepEqual(await legend("latency"), summary);
        assert.equal(await page.locator("#status .chart-crosshair").isVisible(), false);
      },
    );

    await t.step("arrow keys move the crosshair and have its values read out", async () => {
      await page.locator("#latency [role=application]").focus();
      for (const key of ["Home", "ArrowRight"]) await page.keyboard.press(key);
      assert.equal(
        await page.locator("#latency [aria-live]").textContent(),
        "2026-11-21 08:01 UTC: p50 –, p95 200 ms",
      );
      assert.deepEqual(await legend("status"), ["2", "0"]);
      await page.keyboard.press("Escape");
      assert.deepEqual(await legend("latency"), summary);
    });

    await t.step(
      "a drag chooses whole buckets; Escape gives it up, a double click is none",
      async () => {
        await pass(page, layer, 0.3);
        await page.mouse.down();
        await pass(page, layer, 0.4, 0.7);
        assert.equal(await page.locator("#latency .chart-stretch").isVisible(), true);
        await page.keyboard.press("Escape");
        await page.mouse.up();
        await layer.dblclick();
        assert.equal(new URL(page.url()).search, "");
        await pass(page, layer, 0.3);
        await page.mouse.down();
        await pass(page, layer, 0.4, 0.7);
        await page.mouse.up();
        await page.waitForURL(/start=/);
        assert.deepEqual([...new URL(page.url()).searchParams], [
          ["environment", "prod"],
          ["start", "2026-11-21T08:01:00Z"],
          ["end", "2026-11-21T08:03:00Z"],
        ]);
      },
    );

    await t.step("a drag over a histogram chooses durations, a click one bar", async () => {
      const bars = page.locator("#histogram [data-chart-links]");
      await pass(page, bars, 0.3);
      await page.mouse.down();
      await pass(page, bars, 0.4, 0.6);
      await page.mouse.up();
      await page.waitForURL(/min=/);
      assert.equal(new URL(page.url()).search, "?name=a&min=10&max=1000");
      await pass(page, bars, 0.9);
      await page.mouse.down();
      await page.mouse.up();
      await page.waitForURL(/max=10000/);
      assert.equal(new URL(page.url()).search, "?name=a&min=1000&max=10000");
    });

    await t.step("nothing breaks the page's policy, and axe finds nothing", async () => {
      assert.deepEqual(complaints, []);
      for (const summary of await page.locator("summary").all()) await summary.click();
      const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
      await page.evaluate(await Deno.readTextFile(axe));
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const found: string[] = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))",
        );
        assert.deepEqual(found, [], colorScheme);
      }
    });
  },
);

Deno.test("without script the pictures stay, and bars are links", inBrowser, async () => {
  await using site = await open({ javaScriptEnabled: false });
  const { page } = site;
  assert.equal(await page.locator("#latency path[fill=none]").first().isVisible(), true);
  assert.equal(await page.locator(".chart-layer").count(), 0);
  const bars = page.locator("#histogram [data-chart-links]");
  await pass(page, bars, 0.9);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForURL(/max=10000/);
});

Deno.test("script changes no chart's place or size", inBrowser, async () => {
  const boxes = async (site: Site) => {
    const figures = await site.page.locator("figure").all();
    return await Promise.all(figures.map((figure) => figure.boundingBox()));
  };
  await using still = await open({ javaScriptEnabled: false });
  await using live = await open();
  await pass(live.page, live.page.locator("#latency .chart-layer"), 0.6);
  assert.deepEqual(await boxes(live), await boxes(still));
});
