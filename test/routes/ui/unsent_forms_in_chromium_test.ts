/** What only a browser can tell of forms that are sent while the service is away. */
import assert from "node:assert/strict";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { listeningApp } from "../../support/listening_app.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "a form that is sent while the service is away stays with what was written, and is sent once it is back",
  inBrowser,
  async () => {
    await using app = await listeningApp();
    await using browser = await openBrowser();
    for (const viewport of SIZES) {
      const context = await browser.newContext({ baseURL: app.url, viewport });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await signIn(page);
      await page.goto("/account", { waitUntil: "networkidle" });
      const name = `Olga of ${viewport.width}`;
      await page.fill("[name=name]", name);
      const save = page.locator("form", { has: page.locator("[name=name]") })
        .locator("button").last();

      await context.setOffline(true);
      await save.click();
      const notice = page.getByRole("alert");
      assert.match(await notice.innerText(), /Watchpost does not answer.*not sent/s);
      assert.equal(await page.inputValue("[name=name]"), name);
      assert.deepEqual(await faultsOf(page), []);
      await notice.getByRole("button", { name: "Close" }).click();
      assert.equal(await notice.count(), 0);
      await save.click();

      await context.setOffline(false);
      await notice.getByRole("button", { name: "Try again" }).click();
      await page.getByText("Your name is changed.").waitFor();
      assert.equal(await page.inputValue("[name=name]"), name);
      assert.deepEqual(complaints, []);
      await context.close();
    }
  },
);

Deno.test("a form is sent once, however often its button is clicked", inBrowser, async () => {
  await using app = await listeningApp();
  await using browser = await openBrowser();
  const page = await (await browser.newContext({ baseURL: app.url })).newPage();
  await signIn(page);
  await page.goto("/organizations/acme/settings/teams", { waitUntil: "networkidle" });
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.url());
  });
  await page.fill("[name=name]", "Backend");
  await page.locator("form", { has: page.locator("[name=name]") }).locator("button").last()
    .dblclick();
  await page.getByText("Backend is created.").waitFor();
  assert.equal(sent.length, 1);
});
