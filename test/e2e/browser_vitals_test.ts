/** Web Vitals that stock browser SDKs measure in Chromium, from the page to the counts that the pages read. */
import assert from "node:assert/strict";
import { readStats } from "../../lib/store/stats/read_stats.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { bundle, servePage } from "./clients/customer_site.ts";
import { notStored } from "./clients/stored.ts";

const ARRIVES_WITHIN_MS = 15_000;
/** As long as the page takes to answer. */
const SLOW_MS = 120;
const ALONE = ["--no-config", "--no-lock", "--node-modules-dir=none"];

const LOADED = "/users/{id}";
const NEXT = "/orders/{id}";

const SDKS = [
  { name: "Sentry 11", page: "clients/vitals_browser/main.ts", options: [], inpPage: LOADED },
  // It tells of a click when the browser is left, and names the page that is open then.
  { name: "Sentry 10", page: "clients/vitals_browser10/main.mjs", options: ALONE, inpPage: NEXT },
];

for (const { name, page, options, inpPage } of SDKS) {
  Deno.test({
    name: `vitals that ${name} measures in Chromium are stored under the page that it names`,
    ignore: CHROMIUM === null,
    // Playwright keeps handles of its own until the process ends.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using app = await listeningApp();
      await using site = servePage(await bundle(page, options));
      await visit(app, site.url);
      await waitFor(
        "both transactions",
        async () => (await transactionsOf(app)).length === 2 || null,
        ARRIVES_WITHIN_MS,
      );
      assert.deepEqual(await transactionsOf(app), [
        ["pageload", LOADED],
        ["navigation", NEXT],
      ]);
      const vitals = await waitFor("five vitals", async () => {
        const found = await vitalsOf(app);
        return found.length === 5 ? found : null;
      }, ARRIVES_WITHIN_MS);
      assert.deepEqual(
        vitals.map(({ name, op, count }) => [name, op, count]),
        [
          [LOADED, "cls", 1],
          [LOADED, "fcp", 1],
          [inpPage, "inp", 1],
          [LOADED, "lcp", 1],
          [LOADED, "ttfb", 1],
        ],
      );
      arePlausible(new Map(vitals.map(({ op, sum }) => [op, sum])));
      for (const { browser, device, release, environment } of vitals) {
        assert.match(browser, /^Headless ?Chrome$/);
        assert.deepEqual([device, release, environment], [
          "desktop",
          "shop@1.4.2",
          "production",
        ]);
      }
      assert.deepEqual(await notStored(app), []);
    },
  });
}

/** Loads a page, clicks on it, goes on to another one without loading it, and leaves. */
async function visit(app: ListeningApp, site: string): Promise<void> {
  await using browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`${site}/users/7?dsn=${encodeURIComponent(app.browserDsn)}`);
  // The page load is over by then: what is measured later comes on its own.
  await waitFor(
    "the page load",
    async () => (await transactionsOf(app)).length === 1 || null,
    ARRIVES_WITHIN_MS,
  );
  await page.click("button");
  // Interactions are measured once the browser is idle.
  await page.waitForTimeout(500);
  await page.evaluate(() => history.pushState({}, "", "/orders/42"));
  await waitFor(
    "the navigation",
    async () => (await transactionsOf(app)).length === 2 || null,
    ARRIVES_WITHIN_MS,
  );
  await page.goto("about:blank");
  // What a page sends while it ends outlives it, but not the browser.
  await waitFor(
    "five vitals",
    async () => (await vitalsOf(app)).length === 5 || null,
    ARRIVES_WITHIN_MS,
  );
}

async function transactionsOf({ services: { sql }, projectId }: ListeningApp) {
  const rows = await sql<{ op: string; name: string }[]>`
    select op, name from transactions
    where project_id = ${projectId} and op in ('pageload', 'navigation') order by started_at
  `;
  return rows.map(({ op, name }) => [op, name]);
}

async function vitalsOf({ services: { sql }, projectId }: ListeningApp) {
  const now = Date.now();
  const rows = await readStats(sql, {
    projectId,
    kind: "visit",
    environments: [],
    releases: [],
    services: [],
    start: new Date(now - 3_600_000),
    end: new Date(now + 60_000),
  }, ["name", "op", "browser", "device", "release", "environment"]);
  return rows.sort((a, b) => a.op < b.op ? -1 : 1);
}

/** One value each: milliseconds, but for the score of layout shifts. */
function arePlausible(values: ReadonlyMap<string, number>): void {
  const [cls = 0, fcp = 0, inp = 0, lcp = 0, ttfb = 0] = [...values.values()];
  assert.ok(cls > 0.01 && cls < 1, `CLS ${cls}`);
  assert.ok(inp >= SLOW_MS && inp < 5_000, `INP ${inp} ms`);
  assert.ok(0 < ttfb && ttfb <= fcp && fcp <= lcp && lcp < 10_000, `${ttfb}, ${fcp}, ${lcp} ms`);
}
