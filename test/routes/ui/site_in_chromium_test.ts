/** What only a browser can tell of a site's page: contrast, overflow, and the offer of a monitor. */
import assert from "node:assert/strict";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import {
  certificate,
  DAY_MS,
  pageError,
  pageLoad,
  watchedSite,
} from "../../support/watched_site.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

async function openSite() {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await watchedSite());
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const moved = opened.move();
  return {
    app,
    async open(options: Parameters<typeof browser.newContext>[0] = {}) {
      const baseURL = `http://127.0.0.1:${server.addr.port}`;
      const page = await (await browser.newContext({ baseURL, ...options })).newPage();
      await signIn(page);
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test({
  name: "a site's page fits both sizes and themes without serious findings, empty and in trouble",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const { app } = site;
    const look = async () => {
      for (const viewport of SIZES) {
        for (const colorScheme of ["light", "dark"] as const) {
          const page = await site.open({ viewport, colorScheme });
          const complaints = complaintsOf(page);
          await page.goto(app.base);
          await page.waitForSelector("html[data-script=on]");
          assert.deepEqual(await faultsOf(page), [], `${colorScheme} at ${viewport.width}`);
          assert.deepEqual(complaints, []);
          await page.context().close();
        }
      }
    };
    await look();
    const long = "very-long-name-".repeat(12);
    await app.monitor({ certificate: certificate(62), lastHour: { up: 3_600, down: 0 } });
    await app.monitor({
      name: long.slice(0, 119),
      url: `https://cart.shop.example/${long}`,
      state: "down",
      lastError: `The answer was ${long}.`,
      certificate: certificate(6),
      lastHour: { up: 2_400, down: 1_200 },
    });
    await app.send(
      pageLoad(`/${long}`, 9_000),
      pageError(long, { culprit: long, release: long }),
      pageError("שגיאה 🛒", { timestamp: new Date(Date.now() - DAY_MS) }),
    );
    await look();
    await app.services.sql`alter table session_users rename to session_users_away`;
    await look();
  },
});

Deno.test({
  name: "Setup offers a monitor as soon as a page has told its address, and the form is filled in",
  ...inBrowser,
  async fn() {
    await using site = await openSite();
    const page = await site.open();
    await page.goto(`/projects/${site.app.projectId}/setup`);
    await page.getByText("Waiting for the first data").waitFor();
    await site.app.send(pageLoad("/cart", 900));
    await page.getByText("Your pages are at shop.example.").waitFor({ timeout: 5_000 });
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("link", { name: "Add monitor" }).click();
    assert.equal(await page.locator("[name=url]").inputValue(), "https://shop.example/");
    assert.equal(await page.locator("[name=name]").inputValue(), "shop.example");
  },
});
