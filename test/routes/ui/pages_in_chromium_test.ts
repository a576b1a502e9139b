/** What only a browser can tell of the frame's pages: contrast, overflow, script, and life without it. */
import assert from "node:assert/strict";
import type { BrowserContext } from "playwright-core";
import { createProject } from "@/lib/accounts/projects.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { errorEvent } from "../../support/error_event.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { type Acme, acme } from "../../support/ui_app.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

const PAGES = [
  "/projects",
  "/projects?q=nothing",
  "/projects/new",
  "/projects/1/setup",
  "/projects/1/setup?platform=go",
  "/projects/1/setup?platform=sites",
  "/projects/1/settings",
  "/projects/1/settings/keys",
  "/projects/1/settings/privacy",
  "/projects/1/settings/filters",
  "/projects/1/settings/grouping",
  "/projects/1/settings/source-maps",
  "/projects/1/settings/trackers",
  "/projects/1/settings/code",
  "/projects/1/settings/ownership?try=src/cart.ts",
  "/projects/1/logs",
  "/projects/1/feedback",
  "/projects/1/releases",
  "/projects/1/releases/compare",
  "/account",
  "/account/notifications",
  "/organizations/acme/settings",
  "/organizations/acme/settings/teams",
  "/organizations/acme/settings/tokens",
  "/organizations/acme/settings/general",
  "/organizations/acme/settings/usage",
  "/organizations/acme/settings/data",
  "/instance",
  "/projects/99/setup",
];
const PUBLIC_PAGES = ["/sign-in", "/sign-up"];

interface Site extends AsyncDisposable {
  readonly app: Acme;
  readonly url: string;
  context(options?: Parameters<Awaited<ReturnType<typeof openBrowser>>["newContext"]>[0]): Promise<
    BrowserContext
  >;
}

async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await acme());
  const organizationId = app.organization.id;
  for (const name of ["Shop", "مشروع 💳", `Long${" name".repeat(12)}`, "Unbroken".repeat(7)]) {
    await createProject(app.services.kv, { organizationId, name, platform: "node" });
  }
  await app.member("viewer");
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const url = `http://127.0.0.1:${server.addr.port}`;
  const moved = opened.move();
  return {
    app,
    url,
    context: (options) => browser.newContext({ baseURL: url, ...options }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `every page fits ${colorScheme} windows of both sizes without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      for (const viewport of SIZES) {
        const context = await site.context({ viewport, colorScheme });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        for (const path of PUBLIC_PAGES) {
          await page.goto(path);
          assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
        }
        await signIn(page);
        for (const path of PAGES) {
          await page.goto(path);
          assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
        }
        assert.deepEqual(complaints, []);
        await context.close();
      }
    },
  );
}

Deno.test("the current one of many tabs is to be seen on a phone", inBrowser, async () => {
  await using site = await openSite();
  const context = await site.context({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await signIn(page);
  await page.goto("/projects/1/settings/source-maps");
  const tab = page.locator("nav.overflow-x-auto [aria-current=page]");
  await page.waitForFunction(`(() => {
    const { left, right } = document.querySelector("nav.overflow-x-auto [aria-current=page]")
      .getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  })()`);
  assert.equal(await tab.innerText(), "Source maps");
  await context.close();
});

Deno.test(
  "the Setup page turns green by itself when the first data arrive",
  inBrowser,
  async () => {
    await using site = await openSite();
    const page = await (await site.context()).newPage();
    await signIn(page);
    await page.goto("/projects/1/setup");
    await page.getByText("Waiting for the first data").waitFor();

    const batch = { records: [errorEvent()], outcomes: [], eventId: null };
    await site.app.services.writer.commit("1", batch);

    const link = page.getByRole("link", { name: "Open it" });
    await link.waitFor();
    assert.match(await link.getAttribute("href") ?? "", /^\/projects\/1\/issues\/\d+$/);
  },
);

Deno.test("the chosen tab of Setup is to be seen at both widths", inBrowser, async () => {
  await using site = await openSite();
  const page = await (await site.context()).newPage();
  await signIn(page);
  for (const viewport of SIZES) {
    await page.setViewportSize(viewport);
    await page.goto("/projects/1/setup?platform=sites");
    await page.waitForFunction(`(() => {
      const { left, right } = document.querySelector("nav[aria-label=Language] [aria-current=page]")
        .getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`);
  }
});

Deno.test("script makes copy buttons, menus and the project search work", inBrowser, async () => {
  await using site = await openSite();
  const context = await site.context({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await signIn(page);
  await page.goto("/projects/1/setup");

  await page.getByRole("button", { name: "Copy Server DSN" }).click();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.match(String(copied), /^http:\/\/[0-9a-f]{32}@localhost:8000\/1$/);

  // Code of several lines comes as it was written, each line break once.
  const code = page.locator("pre code").filter({ hasText: "\\\n" }).first();
  await page.goto("/projects/1/setup?platform=opentelemetry");
  const written = (await code.textContent() ?? "").trimEnd();
  assert.match(written, /\\\n {2}/);
  await page.locator(".group\\/code").filter({ has: code }).getByRole("button", { name: /^Copy/ })
    .first().click();
  await page.locator("button[data-copied]").first().waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), written);

  const switcher = page.locator("nav summary").first();
  await switcher.click();
  await page.getByRole("searchbox").fill("long");
  assert.equal(await page.locator("#project-switcher-list li:visible").count(), 1);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("details[data-menu][open]").count(), 0);
  await switcher.click();
  await page.getByRole("heading", { name: "Setup" }).click();
  assert.equal(await page.locator("details[data-menu][open]").count(), 0);
});

Deno.test(
  "what was done is said once, and the switcher starts with the last project",
  inBrowser,
  async () => {
    await using site = await openSite();
    const page = await (await site.context()).newPage();
    await signIn(page);
    await page.goto("/projects/3/settings");
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByRole("status").getByText("Saved.").waitFor();
    // The script takes the cookie away once the page is up.
    await page.waitForFunction("!document.cookie.includes('flash=')");
    await page.reload();
    assert.equal(await page.getByText("Saved.").count(), 0);

    await page.goto("/projects");
    await page.locator("nav summary").first().click();
    // The script brings it there once the page is up.
    await page.locator("#project-switcher-list li").first().getByText(/Long name/).waitFor();
  },
);

Deno.test(
  "times are brought up to date, with the viewer's own zone on hover",
  inBrowser,
  async () => {
    await using site = await openSite();
    const page = await (await site.context({ timezoneId: "Asia/Tokyo" })).newPage();
    await page.clock.install();
    await signIn(page);
    await page.goto("/projects/1/settings/keys");
    const time = page.locator("time[data-relative]").first();
    await page.clock.fastForward("05:00");
    await page.waitForFunction(
      "document.querySelector('time[data-relative]').textContent === '5 min ago'",
    );
    assert.match(await time.getAttribute("title") ?? "", /GMT\+9\n.* UTC$/);
  },
);

Deno.test(
  "without script a phone opens the drawer, switches theme and signs out",
  inBrowser,
  async () => {
    await using site = await openSite();
    const context = await site.context({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    const page = await context.newPage();
    await signIn(page);
    await page.goto("/projects/1/setup?platform=python");
    await page.getByRole("link", { name: "Look again" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Copy Server DSN" }).isVisible(), false);

    const menu = page.getByRole("navigation", { name: "Main" });
    assert.equal(await menu.isVisible(), false);
    await page.getByRole("button", { name: "Open the menu" }).click();
    await menu.locator("summary").last().click();
    await menu.getByRole("button", { name: "Dark" }).click();
    assert.match(page.url(), /\/projects\/1\/setup\?platform=python$/);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");

    await page.getByRole("button", { name: "Open the menu" }).click();
    await menu.locator("summary").last().click();
    await menu.getByRole("button", { name: "Sign out" }).click();
    assert.match(page.url(), /\/sign-in$/);
  },
);
