/** What only a browser can tell of dashboards: contrast, overflow, dragging, and life without script. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { createDashboard, findDashboard, saveDashboard } from "@/lib/dashboards/dashboards.ts";
import { contentOf, metricsPanel, place, query, textPanel } from "../../lib/dashboards/panels.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { explicitBuckets, histogramSeries, metricBatch } from "../../support/metric_series.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { shop } = await import("../../support/shop.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const MINUTE_MS = 60_000;

const PANELS = [
  textPanel(
    "p1",
    place(0, 0, 12, 2),
    "# On call\n\n- [Runbook](https://example.org)\n\n```\nls\n```",
  ),
  metricsPanel({
    id: "p2",
    title: "Requests",
    place: place(0, 2, 6, 7),
    queries: [query({ aggregation: "rate", filter: [] })],
    formulas: [],
    hidden: [],
  }),
  metricsPanel({
    id: "p3",
    title: "Slow routes",
    place: place(6, 2, 6, 7),
    queries: [query()],
    formulas: [],
    hidden: [],
    view: "table",
  }),
];

async function openSite() {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await shop());
  const { sql, writer } = app.services;
  const { projectId } = app;
  const now = Date.now();
  const series = ["/cart", `/${"very-long-route/".repeat(12)}`].map((route) =>
    histogramSeries("http.server.request.duration", { "http.route": route }, [
      [now - 3 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [10, 80, 9, 1])],
      [now - 2 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [20, 90, 9, 1])],
    ])
  );
  await writer.commit(projectId, { records: [metricBatch(series)], outcomes: [] });
  const { dashboardId } = await createDashboard(sql, projectId, {
    name: "Overview",
    content: { ...contentOf(PANELS), variables: [{ label: "http.route", value: "" }] },
  }, null);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const moved = opened.move();
  return {
    sql,
    projectId,
    dashboardId,
    path: `/projects/${projectId}/dashboards`,
    places: async () =>
      (await findDashboard(sql, projectId, dashboardId))?.content.panels.map(
        ({ id, place: { x, y, w, h } }) => `${id} ${x},${y} ${w}x${h}`,
      ),
    async open(options: BrowserContextOptions): Promise<Page> {
      const baseURL = `http://127.0.0.1:${server.addr.port}`;
      const page = await (await browser.newContext({ baseURL, ...options })).newPage();
      await signIn(page);
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test({
  name: "pages of dashboards are accessible, fit and run without complaint, on both sizes",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const one = `${site.path}/${site.dashboardId}`;
    const pages = [
      site.path,
      `${one}?range=1h`,
      `${one}?range=1h&edit=1`,
      `${one}/settings`,
      `${one}/panels/p2?range=1h`,
      `${one}/panels/new?kind=text`,
      `${one}/panels/new?kind=transactions`,
      `${site.path}/new`,
      `${site.path}/add?a.metric=http.server.request.duration`,
      `${site.path}/ready/http-server?range=1h`,
    ];
    for (const [index, viewport] of SIZES.entries()) {
      const page = await site.open({ viewport, colorScheme: index === 0 ? "light" : "dark" });
      const complaints = complaintsOf(page);
      for (const path of pages) {
        const response = await page.goto(path);
        assert.equal(response?.status(), 200, path);
        await page.waitForSelector("html[data-script=on]");
        assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
      }
      assert.deepEqual(complaints, []);
    }
  },
});

Deno.test({
  name: "panels are dragged by their heads and sized by their corners, and that is kept",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await site.open({ viewport: { width: 1440, height: 1200 } });
    await page.goto(`${site.path}/${site.dashboardId}?range=1h&edit=1`);
    await page.waitForSelector("html[data-script=on]");
    const drag = async (selector: string, dx: number, dy: number) => {
      const box = await page.locator(selector).boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + 8, box.y + 8);
      await page.mouse.down();
      await page.mouse.move(box.x + 8 + dx, box.y + 8 + dy, { steps: 5 });
      await page.mouse.up();
    };
    await drag("#title-p3", -620, 0);
    await page.getByText(/^Saved\./).waitFor();
    assert.deepEqual(await site.places(), ["p1 0,0 12x2", "p3 0,2 6x7", "p2 0,9 6x7"]);

    const saved = page.waitForResponse(/layout/);
    await drag("[data-dash-corner=p3]", 620, 0);
    await saved;
    assert.deepEqual(await site.places(), ["p1 0,0 12x2", "p3 0,2 12x7", "p2 0,9 6x7"]);

    // The forms know the version that dragging has made.
    await page.click("[aria-label='Move up: Requests']");
    await page.waitForURL(/#panel-p2/);
    assert.deepEqual(await site.places(), ["p1 0,0 12x2", "p2 0,2 6x7", "p3 0,9 12x7"]);
  },
});

Deno.test({
  name: "a drag that meets somebody else's change says so, and can be saved all the same",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const { sql, projectId, dashboardId } = site;
    const page = await site.open({ viewport: { width: 1440, height: 1200 } });
    await page.goto(`${site.path}/${dashboardId}?range=1h&edit=1`);
    await page.waitForSelector("html[data-script=on]");
    const theirs = { name: "Theirs", content: contentOf(PANELS) };
    await saveDashboard(sql, projectId, dashboardId, 1, theirs, null);
    const box = await page.locator("#title-p3").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 8, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x - 612, box.y + 8, { steps: 5 });
    await page.mouse.up();
    await page.getByText("Your layout is not saved").waitFor();
    assert.equal((await findDashboard(sql, projectId, dashboardId))?.version, 2);
    await page.getByText("Save mine").click();
    await page.getByText(/^Saved\./).waitFor();
    assert.deepEqual(await site.places(), ["p1 0,0 12x2", "p3 0,2 6x7", "p2 0,9 6x7"]);
    assert.equal((await findDashboard(sql, projectId, dashboardId))?.name, "Theirs");
  },
});

Deno.test({
  name: "without script a dashboard is whole, and panels are moved by buttons",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await site.open({ javaScriptEnabled: false });
    await page.goto(`${site.path}/${site.dashboardId}?range=1h`);
    assert.ok(await page.getByText("On call").isVisible());
    assert.ok(await page.locator("#panel-p2 svg path").first().isVisible());
    await page.selectOption("[name='var.http.route']", "/cart");
    await page.click("form:has([name='var.http.route']) button:has-text('Apply')");
    assert.match(page.url(), /var\.http\.route=%2Fcart/);
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.click("[aria-label='Move left: Slow routes']");
    assert.deepEqual(await site.places(), ["p1 0,0 12x2", "p3 0,2 6x7", "p2 6,2 6x7"]);
    assert.match(page.url(), /var\.http\.route=%2Fcart/);
  },
});

/** The dashboard, which is loaded anew every 30 s of a clock that the test moves. */
async function refreshedOf(site: Awaited<ReturnType<typeof openSite>>): Promise<Page> {
  const page = await site.open({ viewport: { width: 1440, height: 600 } });
  await page.clock.install();
  await page.goto(`${site.path}/${site.dashboardId}?range=1h&refresh=30`);
  await page.waitForSelector("html[data-script=on]");
  return page;
}

Deno.test({
  name: "a refreshed dashboard is loaded anew in its time, and not while a menu is open",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await refreshedOf(site);
    await page.evaluate("document.body.dataset.old = 'yes'");
    const isOld = () => page.evaluate("document.body.dataset.old === 'yes'");
    await page.click("summary[aria-label='Share']");
    await page.clock.runFor(40_000);
    assert.ok(await isOld());
    await page.click("summary[aria-label='Share']");
    const loaded = page.waitForEvent("load");
    await page.clock.runFor(2_000);
    await loaded;
    assert.ok(!await isOld());
  },
});

Deno.test({
  name:
    "a refreshed dashboard stays while the service is away, says so, and is loaded anew when it is back",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await refreshedOf(site);
    await page.context().setOffline(true);
    await page.clock.runFor(32_000);
    await page.getByText("Watchpost does not answer").waitFor();
    assert.equal(await page.getByRole("heading", { name: "Requests" }).count(), 1);
    // What is known of the service holds for links of the page as well.
    await page.getByRole("link", { name: "Issues" }).first().click();
    await page.getByText("You are still on this page").waitFor();
    await page.context().setOffline(false);
    const loaded = page.waitForEvent("load");
    await page.clock.runFor(6_000);
    await loaded;
    assert.equal(await page.getByText("Watchpost does not answer").count(), 0);
  },
});
