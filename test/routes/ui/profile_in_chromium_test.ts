/** What only a browser can tell of the page of a profile, and of profiles on traces and transactions. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Transaction } from "@/lib/records/mod.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { decodeFixture, profileIn } from "../../lib/formats/sentry/profile_fixtures.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { keptProfiles } = await import("../../support/kept_profiles.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
/** Where pictures go for whoever wants to look; nowhere unless told. */
const PICTURES = Deno.env.get("PROFILE_PICTURES");

interface Site extends AsyncDisposable {
  /** The page of a profile of a Node SDK. */
  readonly profile: string;
  /** The trace of its transaction, without a span opened. */
  readonly trace: string;
  readonly spanId: string;
  /** The page of all transactions of that name. */
  readonly transaction: string;
  open(options?: BrowserContextOptions): Promise<Page>;
}

async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const site = opened.use(await keptProfiles());
  const batch = decodeFixture("node-10.22.0-v1");
  await site.keep(...batch.records);
  const sent = batch.records.find(({ kind }) => kind === "transaction") as Transaction;
  const { profileId } = profileIn(batch);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, site.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const project = `/projects/${site.projectId}`;
  const moved = opened.move();
  return {
    profile: `${project}/profiling/${profileId}`,
    trace: `${project}/traces/${sent.traceId}`,
    spanId: sent.spanId,
    transaction: `${project}/transactions/summary?name=${encodeURIComponent(sent.name)}`,
    async open(options) {
      const context = await browser.newContext({ baseURL, ...options });
      const page = await context.newPage();
      await signIn(page);
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  }
}

Deno.test({
  name: "profiles fit desk and phone, light and dark, without serious findings of axe",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const pages = {
      profile: site.profile,
      sandwich: `${site.profile}?function=checkout`,
      stretch: `${site.profile}?from=1795282000000&until=1795282000005`,
      trace: `${site.trace}?span=${site.spanId}`,
      transaction: site.transaction,
    };
    for (const viewport of SIZES) {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await site.open({ viewport, colorScheme });
        const complaints = complaintsOf(page);
        for (const [name, path] of Object.entries(pages)) {
          await page.goto(path);
          if (name !== "stretch") await page.locator(".flame").first().waitFor();
          await page.waitForLoadState("networkidle");
          await picture(page, `${name}-${viewport.width}-${colorScheme}`);
          assert.deepEqual(await faultsOf(page), [], `${name} ${viewport.width} ${colorScheme}`);
        }
        assert.deepEqual(complaints, []);
        await page.context().close();
      }
    }
  },
});

Deno.test({
  name: "a profile of an SDK shows its threads in order of time",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await site.open({ viewport: SIZES[0] ?? null });
    const chart = page.waitForResponse((response) => response.url().includes("/chart?"));
    await page.goto(`${site.profile}?lane=0`);
    const answer = await (await chart).json();
    assert.ok(Array.isArray(answer.starts) && answer.starts.length > 10);
    await page.locator(".flame canvas").waitFor();
    await picture(page, "chart");
  },
});

Deno.test({
  name: "the panel of a span loads its profile when it is opened, by keyboard too",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await site.open({ viewport: SIZES[0] ?? null });
    await page.goto(site.trace);
    await page.locator('[role=treegrid][aria-rowcount] [role=row][data-node="0"]').waitFor();
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".trace-panel .flame-icicle").waitFor();
    const box = page.locator(".trace-panel .flame-icicle a").nth(2);
    const href = await box.getAttribute("href");
    assert.match(href ?? "", /\/profiling\/[0-9a-f]{32}\?from=.*&until=.*&path=/);
    await box.click();
    await page.waitForURL("**/profiling/**");
    await page.getByRole("button", { name: "Reset zoom" }).waitFor();
  },
});

Deno.test({
  name: "the code of a transaction leads to its functions on the profiling page",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await site.open({ viewport: SIZES[0] ?? null, javaScriptEnabled: false });
    await page.goto(site.transaction);
    await page.getByRole("heading", { name: "Where the time goes in code" }).waitFor();
    await page.locator("#code-graph .flame-icicle").waitFor();
    await page.getByRole("link", { name: "Table" }).click();
    await page.waitForURL("**code_tab=table**");
    assert.match(await page.locator("#code-graph").innerText(), /price_?of/i);
    const links = page.locator("#code-graph a[href*='/profiling?'][href*='function=']");
    assert.ok(await links.count() > 0);
  },
});
