import assert from "node:assert/strict";
import { type ApiIssue, issuesOf } from "../support/api_client.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { ADMIN_TOKEN, startServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";
import { bundle, servePage } from "./clients/customer_site.ts";

Deno.test({
  name:
    "what a page throws is on the Issues page within two seconds, sent by the stock browser SDK",
  ignore: CHROMIUM === null,
  // Playwright keeps handles of its own until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const script = await bundle("clients/browser/main.ts");
    await using server = await startServer();
    const project = await server.createProject("Web shop", "javascript");
    await using site = servePage(script);
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(`${site.url}/?dsn=${encodeURIComponent(project.browserDsn)}`);
    await page.click("button");

    const issue = await waitFor<ApiIssue>(
      "the page's error",
      async () => (await issuesOf(server.url, ADMIN_TOKEN, project))[0],
      2_000,
    );
    assert.equal(
      issue.title,
      "TypeError: Cannot read properties of undefined (reading 'reduce')",
    );
    assert.equal(issue.count, "1");
  },
});
