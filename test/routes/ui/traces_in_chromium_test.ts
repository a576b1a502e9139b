/** What only a browser can tell of the trace page: keyboard, zoom, address, contrast, overflow, speed. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Span } from "@/lib/records/mod.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { errorEvent } from "../../support/error_event.ts";
import { PASSWORD } from "../../support/people.ts";
import { logRecord, spanBatchRecord, spanRecord } from "../../support/records.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { shop } = await import("../../support/shop.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const SMALL = "a".repeat(32);
const LARGE = "b".repeat(32);
const LARGE_SPANS = 3_000;
const SIZES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];

const idOf = (number: number) => number.toString(16).padStart(16, "c");

interface Site extends AsyncDisposable {
  /** `/projects/<id>/traces/` */
  readonly path: string;
  /** A page of somebody who is signed in. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await shop());
  await store(app);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const moved = opened.move();
  return {
    path: `/projects/${app.projectId}/traces/`,
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

/** A small trace with a group, an error and a log, and a large one with names that nobody plans for. */
async function store({ services, projectId }: Awaited<ReturnType<typeof shop>>): Promise<void> {
  const now = Date.now() / 1_000;
  const at = (id: number, parent: number | null, from: number, to: number, fields: Partial<Span>) =>
    spanRecord({
      spanId: idOf(id),
      parentSpanId: parent === null ? null : idOf(parent),
      start: now - 10 + from,
      end: now - 10 + to,
      ...fields,
    });
  const small = [
    at(1, null, 0, 4, { description: "POST /orders", op: "http.server", category: "" }),
    at(2, 1, 0.2, 0.5, { description: "read the cart", op: "function", category: "" }),
    ...Array.from(
      { length: 8 },
      (_, index) =>
        at(10 + index, 1, 1 + index * 0.2, 1.1 + index * 0.2, {
          description: `SELECT * FROM products WHERE id = ${index}`,
        }),
    ),
    at(3, 1, 3, 3.9, { description: "charge", op: "function", status: "internal_error" }),
  ];
  const large = Array.from(
    { length: LARGE_SPANS },
    (_, index) =>
      at(1_000 + index, index === 0 ? null : 1_000 + Math.floor(index / 3), index / 1_000, 9, {
        description: index === 0
          ? `${"Sehr".repeat(80)} שלום 😱`
          : `work ${"x".repeat(index % 200)}`,
        op: ["db", "http.client", "function", "cache.get"][index % 4] ?? "",
        category: (["db", "http", "", "cache"] as const)[index % 4] ?? "",
      }),
  );
  const records = [
    spanBatchRecord({ traceId: SMALL, service: "checkout", spans: small }),
    spanBatchRecord({ traceId: LARGE, service: "stock", spans: large }),
    errorEvent({ traceId: SMALL, spanId: idOf(3), title: "Error: declined" }),
    logRecord({ traceId: SMALL, spanId: idOf(3), body: "Charging" }),
  ];
  await services.writer.commit(projectId, { records, outcomes: [] });
}

async function openTrace(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator(".trace-live").waitFor();
}

const activeText = (page: Page) =>
  page.evaluate<string>(
    `document.getElementById(document.querySelector(".trace-live")
      .getAttribute("aria-activedescendant")).querySelector("bdi").textContent`,
  );

Deno.test("the keyboard walks the tree, opens a span and shares it", inBrowser, async () => {
  await using site = await openSite();
  const page = await site.open();
  await openTrace(page, site.path + SMALL);
  await page.locator(".trace-live").focus();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("ArrowDown", "ArrowDown");
  assert.equal(await activeText(page), "8 × SELECT * FROM products WHERE id = *");
  const rows = page.locator(".trace-row[data-node]");
  assert.equal(await rows.count(), 4);
  await press("ArrowRight", "ArrowRight");
  assert.equal(await activeText(page), "SELECT * FROM products WHERE id = 0");
  assert.equal(await rows.count(), 12);
  await press("ArrowLeft", "ArrowLeft", "End", "Enter");
  const panel = page.locator(".trace-panel");
  await panel.getByText("db.system.name").waitFor();
  assert.match(page.url(), new RegExp(`\\?span=${idOf(3)}$`));
  assert.match(await panel.innerText(), /internal_error \(failed\)/);
  assert.match(await panel.innerText(), /Error: declined/);

  const shared = await site.open();
  await openTrace(shared, page.url());
  await shared.locator(".trace-panel").getByText("db.system.name").waitFor();
  assert.equal(await activeText(shared), "charge");

  await press("Escape");
  await panel.waitFor({ state: "detached" });
  assert.doesNotMatch(page.url(), /span=/);
  await page.getByText("read the cart").click();
  await panel.waitFor();
  await page.goBack();
  await panel.waitFor({ state: "detached" });
});

Deno.test("on a phone the panel of a span leaves its row in sight", inBrowser, async () => {
  await using site = await openSite();
  const page = await site.open({ viewport: { width: 390, height: 844 } });
  await openTrace(page, site.path + SMALL);
  for (const text of ["charge", "read the cart"]) {
    await page.locator(".trace-row").getByText(text).click();
    const panel = page.locator(".trace-panel");
    await panel.getByText("db.system.name").waitFor();
    const [row, below] = [
      await page.locator(".trace-opened").boundingBox(),
      await panel.boundingBox(),
    ];
    assert.ok(row && below && row.y >= 0 && row.y + row.height <= below.y, text);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  }
});

Deno.test("a search counts, walks and narrows; the minimap zooms", inBrowser, async () => {
  await using site = await openSite();
  const page = await site.open();
  await openTrace(page, site.path + SMALL);
  await page.keyboard.press("/");
  await page.keyboard.type("select");
  const status = page.locator(".trace-toolbar [role=status]");
  assert.equal(await status.innerText(), "1 of 8");
  await page.keyboard.press("Enter");
  assert.equal(await status.innerText(), "2 of 8");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("N");
  await page.keyboard.press("N");
  assert.equal(await status.innerText(), "8 of 8");
  await page.getByLabel("Only these").check();
  assert.equal(await page.locator(".trace-row[data-node]").count(), 10);

  const labels = () => page.locator(".trace-axis text").allInnerTexts();
  const whole = await labels();
  const box = await page.locator(".trace-brush").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.25, box.y + 9);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 9, { steps: 4 });
  await page.mouse.up();
  assert.notDeepEqual(await labels(), whole);
  await page.locator(".trace-brush").dblclick();
  assert.deepEqual(await labels(), whole);
});

Deno.test("a large trace is fetched, and only what is in sight is drawn", inBrowser, async () => {
  await using site = await openSite();
  const page = await site.open();
  await page.route("**/data", (route) => route.abort());
  await page.goto(site.path + LARGE);
  await page.getByText("The whole trace could not be loaded").waitFor();
  assert.equal(await page.locator(".trace-row[data-node]").count(), 300);
  await page.unroute("**/data");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".trace-live").waitFor();
  assert.equal(await page.locator("#trace-static").count(), 0);
  const drawn = await page.locator(".trace-row[data-node]").count();
  assert.ok(drawn < 100, `${drawn} rows`);
  await page.locator(".trace-live").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(`document.querySelector(".trace-live").scrollTop > 10000`);
  assert.ok((await activeText(page)).startsWith("work"));
});

Deno.test("without script the rows lead to panels", inBrowser, async () => {
  await using site = await openSite();
  const page = await site.open({ javaScriptEnabled: false });
  await page.goto(site.path + SMALL);
  await page.getByRole("link", { name: /read the cart/ }).click();
  assert.match(await page.locator(".trace-panel").innerText(), /300 ms/);
  await page.getByRole("link", { name: "Close the span" }).click();
  assert.equal(await page.locator(".trace-panel").count(), 0);
  await page.getByRole("link", { name: "Unfold similar spans" }).click();
  assert.equal(await page.locator(".trace-row[data-node]").count(), 12);
});

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `trace pages fit ${colorScheme} windows of both sizes without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      for (const viewport of SIZES) {
        const page = await site.open({ viewport, colorScheme });
        const complaints: string[] = [];
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") complaints.push(message.text());
        });
        for (const path of [SMALL, `${SMALL}?span=${idOf(3)}`, LARGE]) {
          await openTrace(page, site.path + path);
          assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
        }
        assert.deepEqual(complaints, []);
        await page.context().close();
      }
    },
  );
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Serious findings of axe, whatever sticks out of the window, and whatever moved while it was loaded. */
async function faultsOf(page: Page): Promise<string[]> {
  const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  const shift = await page.evaluate<number>(`new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value; })
      .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 50);
  })`);
  await page.evaluate(`${axe.source};0`);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  return [
    ...violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`),
    ...(overflow > 0 ? [`sticks out by ${overflow} px`] : []),
    ...(shift > 0.05 ? [`moved by ${shift}`] : []),
  ];
}
