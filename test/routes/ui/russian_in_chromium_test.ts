/** What only a browser can tell of pages in Russian: what scripts say, and whether all of it fits. */
import assert from "node:assert/strict";
import { setReader } from "@/lib/accounts/language.ts";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { HOUR_MS, pageError, pageLoad, watchedSite } from "../../support/watched_site.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

async function openShop() {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await watchedSite());
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const now = Date.now();
  await app.send(
    ...[1, 2, 3].map((hours) => pageError("a", { timestamp: new Date(now - hours * HOUR_MS) })),
    ...[1, 2, 3].map((hours) =>
      pageLoad("/cart", 900 * hours, { timestamp: new Date(now - hours * HOUR_MS) })
    ),
  );
  const moved = opened.move();
  return {
    app,
    async open(options: Parameters<typeof browser.newContext>[0] = {}) {
      const baseURL = `http://127.0.0.1:${server.addr.port}`;
      const context = await browser.newContext({ baseURL, locale: "ru-RU", ...options });
      const page = await context.newPage();
      await signIn(page);
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test({
  name: "English pages load no messages of another language",
  ...inBrowser,
  async fn() {
    await using shop = await openShop();
    const page = await shop.open({ locale: "en-GB" });
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await page.goto(shop.app.base);
    await page.waitForSelector("html[data-script=on]");
    assert.equal(asked.some((path) => path.startsWith("/messages.")), false);
  },
});

Deno.test({
  name: "scripts say what they say in Russian, and write times as the server did",
  ...inBrowser,
  async fn() {
    await using shop = await openShop();
    const { kv } = shop.app.services;
    const user = await findUserByEmail(kv, "olga@example.com");
    await setReader(kv, user?.id ?? "", { language: "ru", timeZone: "Asia/Tokyo" });
    const page = await shop.open();
    const complaints = complaintsOf(page);
    const path = shop.app.base.replace(/\/site$/, "/performance");
    await page.goto(path);
    await page.waitForSelector("html[data-script=on]");
    assert.equal(await page.getAttribute("html", "lang"), "ru");
    // A chart gets its label from the script that makes it readable by keys.
    await page.waitForSelector("[data-chart-box][role=application]");
    const label = await page.getAttribute("[data-chart-box]", "aria-label");
    assert.match(label ?? "", /значения читаются стрелками/);
    const times = "time[data-relative]";
    await page.goto(shop.app.base.replace(/\/site$/, "/issues"));
    await page.waitForSelector("html[data-script=on]");
    assert.match(await page.textContent(times) ?? "", /^\d+ (?:мин|ч) назад$/);
    assert.match(
      await page.getAttribute(times, "title") ?? "",
      /^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d GMT\+9\n\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d UTC$/,
    );
    assert.deepEqual(complaints, []);
  },
});

Deno.test({
  name: "pages in Russian fit a desk and a phone without serious findings",
  ...inBrowser,
  async fn() {
    await using shop = await openShop();
    const project = shop.app.base.replace(/\/site$/, "");
    for (const viewport of SIZES) {
      const page = await shop.open({ viewport });
      const folder = Deno.env.get("TEST_SCREENSHOTS");
      for (
        const path of [
          "/projects",
          "/account/language",
          "/site",
          "/issues",
          "/performance",
          "/setup",
          "/settings",
        ]
      ) {
        const whole = path === "/projects" || path.startsWith("/account") ? path : project + path;
        await page.goto(whole);
        await page.waitForSelector("html[data-script=on]");
        if (folder !== undefined) {
          const name = `${path.replaceAll("/", "_")}_${viewport.width}.png`;
          await page.screenshot({ path: `${folder}/${name}`, fullPage: false });
        }
        assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
      }
      await page.context().close();
    }
  },
});
