/** What only a browser can tell of the pages of traces: contrast, overflow, script, in full and empty. */
import assert from "node:assert/strict";
import { type Delivery, envelopeDelivery, otlpDelivery, sendAll } from "@/demo/send.ts";
import { Random } from "@/demo/chance.ts";
import { history, telemetryOf } from "@/demo/traces.ts";
import { dsn, listKeys } from "@/lib/accounts/keys.ts";
import { foldStats } from "@/lib/store/stats/fold_stats.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { envelopeUrl } from "../../support/envelopes.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { shop } = await import("../../support/shop.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

const PAGES = [
  "performance",
  "performance?range=1h",
  "transactions",
  "transactions?sort=-p95&query=cart",
  "transactions/summary?name=GET+%2Fapi%2Fcart",
  "transactions/summary?name=GET+%2Fapi%2Fcart&min=1&max=100000&samples=newest",
  "endpoints",
  "endpoints/detail?endpoint=GET+%2Fapi%2Fcart",
  "queries",
  "queries?category=http",
  "web-vitals",
  "web-vitals/page?name=%2F",
  "traces",
  "traces?query=service%3Aorders+duration%3A%3E1ms+nonsense%3A",
  "settings/performance",
];
/** Traces of the demo: enough for charts and tables. */
const TRACES = 150;

async function openSite() {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await shop());
  const { kv } = app.services;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const key = (await listKeys(kv, app.projectId)).find(({ type }) => type === "server");
  assert.ok(key);
  await sendAll(telemetry(dsn(baseURL, key)));
  // Pages do not wait for so many counts.
  await foldStats(app.services.sql);
  const { id: emptyId } = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Empty",
    platform: "node",
  });
  const browser = opened.use(await openBrowser());
  const moved = opened.move();
  return {
    full: `/projects/${app.projectId}`,
    empty: `/projects/${emptyId}`,
    context: (options: Parameters<typeof browser.newContext>[0]) =>
      browser.newContext({ baseURL, ...options }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function telemetry(address: string): Delivery[] {
  const traces = history(new Random(7), new Date()).slice(-TRACES);
  const { envelopes, requests } = telemetryOf(traces);
  return [
    ...envelopes.map((envelope) => envelopeDelivery(envelopeUrl(address), envelope)),
    ...requests.map((request) => otlpDelivery(address, request)),
  ];
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `pages of traces fit ${colorScheme} windows of both sizes without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      for (const viewport of SIZES) {
        const context = await site.context({ viewport, colorScheme });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await signIn(page);
        for (const base of [site.full, site.empty]) {
          for (const path of PAGES) {
            const answer = await page.goto(`${base}/${path}`);
            assert.equal(answer?.status(), 200, path);
            assert.deepEqual(await faultsOf(page), [], `${base}/${path} at ${viewport.width}`);
          }
        }
        assert.deepEqual(complaints, []);
        await context.close();
      }
    },
  );
}

Deno.test("the keyboard walks the rows of a list and opens one", inBrowser, async () => {
  await using site = await openSite();
  const context = await site.context({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${site.full}/transactions?sort=name`);
  await page.locator("html[data-script=on]").waitFor();
  const links = page.locator("#content a.row-link");
  const second = await links.nth(1).getAttribute("href");
  for (const key of ["j", "j", "j", "k", "o"]) await page.keyboard.press(key);
  await page.waitForURL("**/transactions/summary?*");
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, second);
  await page.goto(`${site.full}/transactions`);
  await page.locator("html[data-script=on]").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("jo");
  assert.equal(await page.locator("input[name=query]").inputValue(), "jo");
});

Deno.test(
  "from a figure one gets to a trace, and by dragging to a shorter time",
  inBrowser,
  async () => {
    await using site = await openSite();
    const context = await site.context({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await signIn(page);
    await page.goto(`${site.full}/performance`);
    await page.click("#content a.row-link >> nth=0");
    await page.waitForURL("**/transactions/summary?*");
    await page.click('a.row-link[href*="/traces/"] >> nth=0');
    await page.waitForURL("**/traces/*");
    assert.match(await page.textContent("h1") ?? "", /\S/);
    await page.goto(`${site.full}/performance`);
    const plot = page.locator("#throughput [data-chart-box]");
    const box = await plot.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL("**/performance?start=*&end=*");
  },
);
