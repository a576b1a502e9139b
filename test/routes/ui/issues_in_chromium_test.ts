/** What only a browser can tell of the issue pages: contrast, overflow, keyboard, and life without script. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { errorsIn } from "../../support/decode_events.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { PASSWORD } from "../../support/people.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { failure, shop } = await import("../../support/shop.ts");
type Shop = Awaited<ReturnType<typeof shop>>;

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const SIZES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];
const HOUR_MS = 3_600_000;

interface Site extends AsyncDisposable {
  readonly app: Shop;
  /** A page of somebody who is signed in. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await shop());
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const moved = opened.move();
  return {
    app,
    async open(options) {
      const context = await browser.newContext({ baseURL, ...options });
      const page = await context.newPage();
      await page.goto("/sign-in");
      await page.fill("[name=email]", "olga@example.com");
      await page.fill("[name=password]", PASSWORD);
      await page.click("main button");
      await page.waitForURL("**/projects");
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Serious findings of axe, and whatever sticks out of the window. */
async function faultsOf(page: Page): Promise<string[]> {
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  await page.evaluate(`${axe.source};0`);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  return Number(overflow) > 0 ? [...serious, `sticks out by ${overflow} px`] : serious;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** An event with everything in it, in names and texts of a length and kind that nobody plans for. */
function monster() {
  const long = "Very".repeat(50);
  const frames = Array.from({ length: 80 }, (_, index) => ({
    function: index % 7 === 0 ? "" : `${long}${index}`,
    filename: `/srv/app/${"folder/".repeat(20)}file${index}.ts`,
    lineno: index + 10,
    in_app: index % 3 === 0,
    pre_context: ["// שלום"],
    context_line: `const 名前 = "${"long ".repeat(60)}😱";`,
    post_context: ["}"],
    vars: { cart: { items: [...Array(50).keys()] }, note: "\u001b[31mred\u202e" },
  }));
  const payload = {
    platform: "node",
    logentry: { formatted: `الطلب فشل 😱 ${"lorem ipsum ".repeat(900)}` },
    exception: {
      values: [
        { type: "Cause", value: "x".repeat(5_000), stacktrace: { frames: frames.slice(0, 9) } },
        {
          type: `${long}Error`,
          value: "مرحبا",
          mechanism: { type: "onerror", handled: false, data: { a: 1 } },
          stacktrace: { frames },
        },
      ],
    },
    threads: { values: [{ id: 1, name: long, crashed: true, stacktrace: { frames } }, { id: 2 }] },
    breadcrumbs: {
      values: Array.from({ length: 100 }, (_, index) => ({
        timestamp: Date.now() / 1000 - index,
        category: ["console", "fetch", "ui.click", "navigation", "query"][index % 5],
        level: ["info", "warning", "error"][index % 3],
        message: long,
        data: {
          url: `https://api.example.com/${long}`,
          method: "GET",
          status_code: 502,
          [long]: long,
        },
      })),
    },
    request: {
      url: `https://shop.example.com/${long}`,
      method: "POST",
      query_string: [["q", long]],
      headers: [["X-Long", long.repeat(3)]],
      data: { items: [...Array(99).keys()] },
    },
    user: { id: "7", email: `${long}@example.com` },
    contexts: { browser: { name: "Firefox", version: "145" }, trace: { trace_id: "a".repeat(32) } },
    extra: { [long]: long },
    modules: { [long]: "1" },
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
  };
  return failure("monster", {
    title: `${long}Error: مرحبا`,
    metadata: { type: `${long}Error`, value: "مرحبا" },
    culprit: `/products/${"segment/".repeat(25)}`,
    transaction: long,
    release: `frontend-${long}@1.2.3`,
    traceId: "a".repeat(32),
    tags: [["browser", long], ["הדפדפן", "ערך"]],
    payload: JSON.stringify(payload),
  });
}

async function sdkEvent(name: string) {
  const bytes = await Deno.readFile(new URL(`../../fixtures/sentry/${name}`, import.meta.url));
  const now = new Date();
  return { ...errorsIn(bytes, { receivedAt: now })[0], timestamp: now };
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `the issue pages fit ${colorScheme} windows of both sizes without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      const { app } = site;
      const empty = await site.open({ colorScheme });
      await empty.goto(app.path);
      assert.deepEqual(await faultsOf(empty), [], "without events");
      await app.store(
        await sdkEvent("python-2.68.0/error.envelope"),
        await sdkEvent("browser-11.12.0/message.envelope"),
        monster(),
      );
      const pages = [
        app.path,
        `${app.path}?query=nothing&environment=x`,
        `${app.path}?status=all&sort=users&query=${encodeURIComponent('"open')}`,
        ...["1", "2", "3"].map((id) => `${app.path}/${id}`),
        `${app.path}/3/events`,
        `${app.path}/3/events?environment=none`,
      ];
      for (const viewport of SIZES) {
        const page = await site.open({ viewport, colorScheme });
        const complaints: string[] = [];
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") complaints.push(message.text());
        });
        for (const path of pages) {
          await page.goto(path);
          assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
        }
        assert.deepEqual(complaints, []);
        await page.context().close();
      }
    },
  );
}

Deno.test("nothing moves on the page of an issue when its script begins", inBrowser, async () => {
  await using site = await openSite();
  await site.app.store(failure("boom"));
  const page = await site.open({ viewport: SIZES[1] ?? null });
  await page.goto(`${site.app.path}/1`);
  const button = page.getByRole("button", { name: "Assign", exact: true });
  await page.waitForSelector("[data-script=on]");
  assert.equal(await button.isVisible(), false);
  const moved = await page.evaluate(`new Promise((done) => {
    const watcher = new PerformanceObserver((list) => done(list.getEntries().map(({ value }) => value)));
    watcher.observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => done([])));
  })`);
  assert.deepEqual(moved, []);

  const without = await site.open({ javaScriptEnabled: false });
  await without.goto(`${site.app.path}/1`);
  assert.equal(
    await without.getByRole("button", { name: "Assign", exact: true }).isVisible(),
    true,
    "without script the button sends the form",
  );
});

Deno.test("the keyboard walks the list, chooses rows and opens an issue", inBrowser, async () => {
  await using site = await openSite();
  const { app } = site;
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
  await app.store(
    failure("a"),
    failure("b", { timestamp: ago(1) }),
    failure("c", { timestamp: ago(2) }),
  );
  const page = await site.open();
  await page.goto(app.path);
  await page.getByText("Choose all").waitFor();
  const focused = () => page.evaluate<string>("document.activeElement.title");

  await page.keyboard.press("j");
  assert.equal(await focused(), "Error: a");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await focused(), "Error: c");
  await page.keyboard.press("x");
  await page.getByText("2 chosen").waitFor();
  await page.keyboard.press("k");
  assert.equal(await focused(), "Error: b");

  await page.keyboard.press("/");
  await page.keyboard.type("jkx");
  assert.equal(await page.inputValue("[name=query]"), "jkx");

  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("status").getByText("2 issues resolved.").waitFor();
  assert.equal(await page.locator("a.row-link").count(), 1);
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  await page.getByRole("heading", { name: "Error", level: 1 }).waitFor();
});

Deno.test(
  "the box above the list chooses all rows and tells when some are left",
  inBrowser,
  async () => {
    await using site = await openSite();
    const { app } = site;
    await app.store(failure("a"), failure("b"));
    const page = await site.open();
    await page.goto(app.path);
    const all = page.getByLabel("Choose all issues of this page");
    await all.check();
    assert.equal(await page.locator("[name=issue]:checked").count(), 2);
    await page.locator("[name=issue]").first().uncheck();
    await page.getByText("1 chosen").waitFor();
    assert.equal(await all.and(page.locator(":indeterminate")).count(), 1);
  },
);

Deno.test("the search completes real keys and values", inBrowser, async () => {
  await using site = await openSite();
  const { app } = site;
  await app.store(
    failure("a", { tags: [["browser", "Firefox 145"]] }),
    failure("b", { tags: [["browser", "Chrome 141"]] }),
  );
  const page = await site.open();
  await page.goto(app.path);
  await page.getByText("Choose all").waitFor();
  const field = page.locator("#issue-search");
  await field.pressSequentially("bro");
  await page.getByRole("option", { name: "browser:" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Firefox 145" }).waitFor();
  await field.pressSequentially("Fire");
  await page.getByRole("option", { name: "Chrome 141" }).waitFor({ state: "detached" });
  await page.getByRole("option", { name: "Firefox 145" }).click();
  assert.equal(await field.inputValue(), 'browser:"Firefox 145" ');
  await page.keyboard.press("Enter");
  await page.waitForURL(/query=browser/);
  assert.deepEqual(await page.locator("a.row-link").allInnerTexts(), ["Errora"]);
});

Deno.test(
  "without script one narrows, searches, sorts, opens and resolves",
  inBrowser,
  async () => {
    await using site = await openSite();
    const { app } = site;
    await app.store(
      failure("here", { environment: "staging" }),
      failure("there", { environment: "production" }),
    );
    const page = await site.open({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    await page.goto(app.path);
    await page.locator("summary", { hasText: "All environments" }).click();
    await page.getByLabel("staging").check();
    await page.getByRole("button", { name: "Apply" }).first().click();
    assert.match(page.url(), /\?environment=staging$/);
    await page.fill("[name=query]", "here");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.locator("summary", { hasText: "Last seen" }).click();
    await page.getByRole("link", { name: "Events", exact: true }).click();
    assert.match(page.url(), /\?environment=staging&query=here&sort=events$/);

    await page.locator("[name=issue]").check();
    await page.locator("summary", { hasText: "Archive" }).click();
    await page.locator('button[value="archive-forever"]').click();
    await page.getByText("1 issue archived.").waitFor();
    await page.getByRole("link", { name: /^Archived/ }).click();
    await page.locator("a.row-link").click();
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByText("1 issue resolved.").waitFor();
    assert.match(page.url(), /environment=staging/);
  },
);

Deno.test(
  "the menu of saved searches, and their page, fit desk and phone in both themes",
  inBrowser,
  async () => {
    await using site = await openSite();
    await site.app.store(failure("a", { level: "fatal" }), failure("b"));
    for (const viewport of SIZES) {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await site.open({ viewport, colorScheme, javaScriptEnabled: true });
        const at = `${viewport.width} ${colorScheme}`;
        await page.goto(`${site.app.path}?query=level%3Afatal`);
        await page.locator('summary[aria-label="Saved searches"]').click();
        await page.fill("[name=name]", "Fatal things that need somebody to look at them soon");
        assert.deepEqual(await faultsOf(page), [], `menu at ${at}`);
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByText("is saved.").waitFor();
        await page.goto(`${site.app.path}/searches`);
        assert.deepEqual(await faultsOf(page), [], `page at ${at}`);
        await page.context().close();
      }
    }
  },
);
