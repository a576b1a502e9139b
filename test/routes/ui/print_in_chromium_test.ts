/** What only a browser can tell of pages on paper. */
import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { signIn } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { acme } = await import("../../support/ui_app.ts");

Deno.test(
  "a page is printed in dark ink on the whole paper, without what is there to be pressed",
  { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false },
  async () => {
    await using app = await acme();
    const { id } = await createProject(app.services.kv, {
      organizationId: app.organization.id,
      name: "Shop",
      platform: "node",
    });
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => app.handle(request),
    );
    await using browser = await openBrowser();
    const baseURL = `http://127.0.0.1:${server.addr.port}`;
    const page = await (await browser.newContext({ baseURL })).newPage();
    await signIn(page);
    await page.context().addCookies([{ name: "theme", value: "dark", url: baseURL }]);
    await page.goto(`/projects/${id}/issues`);
    const ink = () => page.evaluate<string>("getComputedStyle(document.body).color");
    const onScreen = await ink();

    await page.emulateMedia({ media: "print" });

    assert.notEqual(await ink(), onScreen);
    assert.equal(await page.locator("nav.rail").isVisible(), false);
    assert.equal(await page.getByRole("button", { name: "Search" }).first().isVisible(), false);
    assert.equal((await page.locator("main").boundingBox())?.x, 0);
  },
);
