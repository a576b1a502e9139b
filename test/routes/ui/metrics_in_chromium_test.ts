/** What only a browser can tell of the pages of metrics: contrast, overflow, script, in full and empty. */
import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  metricBatch,
} from "../../support/metric_series.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { shop } = await import("../../support/shop.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

const MINUTE_MS = 60_000;
const POINTS = 60;
const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const ROUTES = ["/cart", "/products/:id", `/${"very-long-route".repeat(12)}`];
const DURATION = "http.server.request.duration";
const BY_ROUTE = `metrics/explore?range=1h&a.metric=${DURATION}&a.by=http.route`;

const PAGES = [
  "metrics",
  "metrics?query=nothing",
  "metrics/explore",
  BY_ROUTE,
  `${BY_ROUTE}&a.agg=rate&view=bars`,
  `${BY_ROUTE}&view=table&compare=1`,
  `${BY_ROUTE}&view=value`,
  `${BY_ROUTE}&view=heatmap`,
  `${BY_ROUTE}&b.metric=shop.orders&b.agg=rate&f1=b*60&f1.unit=%7Border%7D&hide=f1&view=area`,
  `${BY_ROUTE}&a.filter=http.route%3D&b.metric=shop.orders&b.agg=p95`,
];

const EMPTY_PAGES = ["metrics", "metrics/explore", `${BY_ROUTE}&view=heatmap`];
const [DESK = { width: 1440, height: 900 }, PHONE = { width: 390, height: 844 }] = SIZES;

/** An hour of a shop. */
function lastHour() {
  const times = Array.from({ length: POINTS }, (_, at) => Date.now() - (POINTS - at) * MINUTE_MS);
  const durations = ROUTES.map((route, slow) => {
    const counts = (at: number) => [10, 20 + at % 7, 5 * slow, slow];
    const points = times.map((time, at) =>
      [time, explicitBuckets([0.1, 0.5, 1], counts(at))] as const
    );
    return histogramSeries(DURATION, { "http.route": route, service: "api" }, points);
  });
  const exemplar = { timeMs: times[50] ?? 0, value: 0.3, traceId: TRACE, spanId: null };
  return [
    ...durations.map((series, at) => at === 0 ? { ...series, exemplars: [exemplar] } : series),
    counterSeries("shop.orders", { way: "card" }, times.map((time, at) => [time, at * 3])),
    gaugeSeries("مقياس.memory", { host: "🦊" }, times.map((time, at) => [time, 1e9 + at * 1e6])),
  ];
}

async function openSite() {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await shop());
  const { kv, writer } = app.services;
  const records = [metricBatch(lastHour())];
  await writer.commit(app.projectId, { records, outcomes: [] });
  const { id: emptyId } = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Empty",
    platform: "node",
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const moved = opened.move();
  return {
    full: `/projects/${app.projectId}`,
    empty: `/projects/${emptyId}`,
    context: (options: Parameters<typeof browser.newContext>[0]) =>
      browser.newContext({ baseURL, ...options }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Contrast hangs on the theme, room on the size. */
const WINDOWS = [
  { viewport: DESK, colorScheme: "light" },
  { viewport: PHONE, colorScheme: "dark" },
] as const;

for (const window of WINDOWS) {
  const { viewport, colorScheme } = window;
  Deno.test(
    `pages of metrics fit a ${colorScheme} window of ${viewport.width} px without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      const context = await site.context(window);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await signIn(page);
      const paths = [
        ...PAGES.map((path) => `${site.full}/${path}`),
        ...EMPTY_PAGES.map((path) => `${site.empty}/${path}`),
      ];
      for (const path of paths) {
        const answer = await page.goto(path);
        assert.equal(answer?.status(), 200, path);
        assert.deepEqual(await faultsOf(page), [], path);
      }
      assert.deepEqual(complaints, []);
    },
  );
}

Deno.test("a query is written by completions and the keyboard alone", inBrowser, async () => {
  await using site = await openSite();
  const context = await site.context({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${site.full}/metrics/explore?range=1h`);
  await page.locator("[name='a.metric'][role=combobox]").waitFor();
  const choose = async (field: string, typed: string, option: string) => {
    await page.locator(`[name='${field}']`).focus();
    await page.keyboard.type(typed);
    await page.locator(".query-completions", { hasText: option }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
  };
  await choose("a.metric", "request.dur", DURATION);
  await page.waitForFunction(
    () => document.querySelector<HTMLSelectElement>("[name='a.agg']")?.value === "p95",
  );
  await choose("a.by", "ro", "http.route");
  await choose("a.filter", "http.r", "http.route");
  await page.locator(".query-completions", { hasText: "/cart" }).waitFor();
  await choose("a.filter", '"/ca', "/cart");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/metrics/explore?range=1h&a.metric=*");
  const params = new URL(page.url()).searchParams;
  assert.deepEqual([params.get("a.agg"), params.get("a.by"), params.get("a.filter")], [
    "p95",
    "http.route",
    'http.route="/cart"',
  ]);
  assert.match(await page.textContent(".metric-legend") ?? "", /\/cart/);
});

Deno.test("a chart of metrics reads values, zooms and leads to traces", inBrowser, async () => {
  await using site = await openSite();
  const context = await site.context({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${site.full}/${BY_ROUTE}`);
  const plot = page.locator("#answer [data-chart-box][role=application]");
  await plot.waitFor();
  const cell = page.locator("[data-chart-value='0']");
  const last = await cell.textContent();
  await plot.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(
    (before) => document.querySelector("[data-chart-value='0']")?.textContent !== before,
    last,
  );
  await page.locator(".chart-dot").first().hover();
  const href = await page.locator(".chart-dot").first().getAttribute("href");
  assert.match(href ?? "", new RegExp(`/traces/${TRACE}`));
  const box = await plot.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL("**/metrics/explore?*start=*&end=*");
  assert.equal(new URL(page.url()).searchParams.get("a.by"), "http.route", "the query stays");
});
