/** What only a browser can tell of the pages about managing issues: contrast, overflow, and life without script. */
import assert from "node:assert/strict";
import { shareIssue } from "@/lib/errors/manage/shares.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { failure, shop } = await import("../../support/shop.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const LONG = `checkout of ${"a-very-long-name-without-a-blank".repeat(5)} failed`;

async function openSite() {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await shop());
  await app.store(failure(LONG), failure(`${LONG} again`), failure("noise"));
  const { sql } = app.services;
  const rows = await sql<{ id: string; title: string }[]>`select id, title from issues`;
  const idOf = (title: string) => rows.find((row) => row.title === `Error: ${title}`)?.id ?? "";
  const [one, two, noise] = [idOf(LONG), idOf(`${LONG} again`), idOf("noise")];
  await app.owner.post(app.path, [["action", "merge"], ["issue", one], ["issue", two]]);
  await app.owner.post(`${app.path}/${noise}/delete`, { action: "discard" });
  await app.store(failure(`${LONG} once more`));
  const share = await shareIssue(sql, {
    projectId: app.projectId,
    issueId: one,
    by: "olga@example.com",
    withSource: true,
  }) ?? await shareIssue(sql, { projectId: app.projectId, issueId: two, by: "olga@example.com" });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const moved = opened.move();
  const [stays = ""] = (await sql<{ id: string }[]>`
    select id from issues where merged_into is null and id = any (${[one, two]}::bigint[])
  `).map(({ id }) => id);
  return {
    app,
    browser,
    baseURL: `http://127.0.0.1:${server.addr.port}`,
    pages: [
      ...["similar", "groups", "share", "delete"].map((page) => `${app.path}/${stays}/${page}`),
      `/projects/${app.projectId}/settings/filters`,
      `/share/issue/${share?.id}`,
    ],
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test({
  ...inBrowser,
  name:
    "the pages about managing issues have no serious faults at a desk and on a phone, light and dark",
  async fn() {
    await using site = await openSite();
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await site.browser.newContext({ baseURL: site.baseURL, colorScheme });
      const page = await context.newPage();
      await signIn(page);
      const complaints = complaintsOf(page);
      for (const viewport of SIZES) {
        await page.setViewportSize(viewport);
        for (const path of site.pages) {
          await page.goto(path);
          assert.deepEqual(
            await faultsOf(page),
            [],
            `${path} at ${viewport.width}, ${colorScheme}`,
          );
        }
      }
      assert.deepEqual(complaints, []);
    }
  },
});

Deno.test({
  ...inBrowser,
  name: "an issue is split and put together again without script",
  async fn() {
    await using site = await openSite();
    const context = await site.browser.newContext({
      baseURL: site.baseURL,
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    await signIn(page);
    await page.goto(site.pages[1] ?? "");
    assert.equal(await page.locator("input[name=hash]").count(), 2);
    await page.locator("input[name=hash]").last().check();
    await page.click("text=Split the chosen groups off");
    await page.waitForSelector("main [role=status] button");
    assert.equal(await page.locator("input[name=hash]").count(), 0);
    await page.click("main button:has-text('Undo')");
    await page.waitForSelector("text=Taken back");
    assert.equal(await page.locator("input[name=hash]").count(), 2);
  },
});
