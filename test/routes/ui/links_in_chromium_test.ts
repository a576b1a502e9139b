/** What only a browser can tell of links that are clicked while the service is away. */
import assert from "node:assert/strict";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { listeningApp } from "../../support/listening_app.ts";
import { complaintsOf, faultsOf, signIn } from "../../support/seen_in_chromium.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "a link that is clicked while the service is known to be away stays on the page, and is followed once it is back",
  inBrowser,
  async () => {
    await using app = await listeningApp();
    await using browser = await openBrowser();
    const context = await browser.newContext({ baseURL: app.url });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await signIn(page);
    await page.goto("/account", { waitUntil: "networkidle" });
    await page.fill("[name=name]", "Olga");
    const link = page.locator('main a[href="/account/language"]').first();
    const notice = page.getByRole("alert");

    await context.setOffline(true);
    await page.locator("form", { has: page.locator("[name=name]") }).locator("button").last()
      .click();
    await notice.getByText("not sent").waitFor();
    await link.click();
    await notice.getByText("You are still on this page").waitFor();
    assert.equal(await page.inputValue("[name=name]"), "Olga");
    assert.deepEqual(await faultsOf(page), []);
    // What opens elsewhere is none of our business.
    const opened = context.waitForEvent("page");
    await link.click({ modifiers: ["ControlOrMeta"] });
    await (await opened).close();
    assert.equal(new URL(page.url()).pathname, "/account");

    await context.setOffline(false);
    await notice.getByRole("button", { name: "Try again" }).click();
    await page.waitForURL("**/account/language");
    assert.equal(await notice.count(), 0);
    assert.deepEqual(complaints, []);
  },
);

Deno.test(
  "a click asks for nothing but its page while nothing has found the service away, and goes on by itself when it is back",
  inBrowser,
  async () => {
    await using app = await listeningApp();
    await using browser = await openBrowser();
    const context = await browser.newContext({ baseURL: app.url });
    const page = await context.newPage();
    await signIn(page);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "fetch") asked.push(new URL(request.url()).pathname);
    });
    await page.goto("/account", { waitUntil: "networkidle" });
    const link = page.locator('main a[href="/account/language"]').first();
    await link.click();
    await page.waitForURL("**/account/language");
    assert.deepEqual(asked, []);

    await page.goto("/account", { waitUntil: "networkidle" });
    await context.setOffline(true);
    await page.locator("form", { has: page.locator("[name=name]") }).locator("button").last()
      .click();
    await page.getByRole("alert").waitFor();
    await context.setOffline(false);
    await link.click();
    await page.waitForURL("**/account/language");
    assert.deepEqual(asked, ["/icon.svg", "/icon.svg"]);
  },
);
