/** What only a browser can tell of flame graphs: pointer, keyboard, address, loading, contrast, no script. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { CHROMIUM, openBrowser } from "../../../support/chromium.ts";
import { complaintsOf, faultsOf, SIZES } from "../../../support/seen_in_chromium.ts";
import { waitFor } from "../../../support/wait_for.ts";
import { serve } from "./site.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const ROW_PX = 20;

interface Site extends AsyncDisposable {
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

let started: Promise<Site> | undefined;

/** The pages and a browser, once for all tests. */
function openSite(): Promise<Site> {
  return started ??= startSite();
}

Deno.test.afterAll(async () => await (await started)?.[Symbol.asyncDispose]());

async function startSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const { origin } = opened.use(await serve());
  const browser = opened.use(await openBrowser());
  const moved = opened.move();
  return {
    async open(path, options = {}) {
      const context = await browser.newContext({
        baseURL: origin,
        viewport: { width: 1440, height: 900 },
        reducedMotion: "reduce",
        ...options,
      });
      const page = await context.newPage();
      await page.goto(path);
      if (options.javaScriptEnabled !== false) {
        await page.locator(".flame-live, .flame-table-box").first().waitFor();
        await page.locator("#graph-static").waitFor({ state: "detached" });
      }
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** A place in the graph: so many rows down, at a share of the width. */
async function place(page: Page, row: number, share: number) {
  const box = await page.locator(".flame-canvas").boundingBox();
  assert.ok(box);
  return { x: box.x + share * box.width, y: box.y + (row + 0.5) * ROW_PX };
}

async function click(page: Page, row: number, share: number, button: "left" | "right" = "left") {
  const { x, y } = await place(page, row, share);
  await page.mouse.click(x, y, { button });
}

/** Moves the pointer to a place and waits for what the card is to say of it. */
async function cardSays(page: Page, row: number, share: number, wanted: RegExp): Promise<void> {
  const { x, y } = await place(page, row, share);
  await page.mouse.move(x, y);
  const card = page.locator(".flame-card");
  await eventually(async () => (await card.allInnerTexts()).join().replaceAll(/\s+/g, " "), wanted);
}

/** Waits for what is read out of the box that has the focus. */
async function reads(page: Page, wanted: RegExp): Promise<void> {
  await eventually(
    async () => await page.locator(".flame [aria-live]").textContent() ?? "",
    wanted,
  );
}

/** Waits for the address, which follows changes a moment later. */
async function addressHas(page: Page, wanted: RegExp): Promise<void> {
  await eventually(() => Promise.resolve(page.url()), wanted);
}

async function eventually(read: () => Promise<string>, wanted: RegExp): Promise<void> {
  let last = "";
  await waitFor(String(wanted), async () => {
    last = await read();
    return wanted.test(last) || null;
  }).catch(() => assert.match(last, wanted));
}

Deno.test(
  "a click zooms to a box, the card tells its shares, a link restores it",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    const complaints = complaintsOf(page);
    await cardSays(
      page,
      2,
      0.1,
      /^shop.checkout \/app\/shop.ts:20 shop Total 70 ms 70.0% of all Self 5 ms/,
    );
    await click(page, 2, 0.1);
    await addressHas(page, /[?&]path=[0-9a-f]{8},[0-9a-f]{8}$/);
    const wide = /^shop.prices .* Total 35 ms 50.0% of the view, 35.0% of all/;
    await cardSays(page, 3, 0.6, wide);

    const shared = await site.open(page.url());
    await cardSays(shared, 3, 0.6, wide);
    await shared.keyboard.press("Escape");
    await addressHas(shared, /\?graph=small$/);
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await cardSays(page, 3, 0.05, /^shop.prices|^lib.parse/);
    assert.deepEqual(complaints, []);
  },
);

Deno.test(
  "a search says what share it found, walks, and is part of the address",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    await page.keyboard.press("/");
    await page.keyboard.type("PARSE");
    const result = page.locator(".flame [role=search] [role=status]");
    // 30 ms of the outer one, in which the inner one is already.
    assert.equal(await result.innerText(), "30.0% in 2 boxes");
    await addressHas(page, /find=PARSE/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("n");
    await reads(page, /^lib.parse, .*; total 20 ms/);
    await page.keyboard.press("N");
    await reads(page, /^lib.parse, .*; total 30 ms/);
    await page.keyboard.press("/");
    await page.fill("[type=search]", "/^shop\\.(cart|prices)$/");
    assert.equal(await result.innerText(), "55.0% in 2 boxes");
    await page.fill("[type=search]", "/(/");
    assert.equal(await result.innerText(), "not a regular expression");
  },
);

Deno.test(
  "the keyboard goes from box to box, zooms, opens the menu and gives the focus back",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    await page.locator(".flame-live").focus();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("ArrowDown", "ArrowDown", "ArrowRight");
    await reads(page, /^shop.cart,/);
    await press("Enter");
    await reads(page, /100.0% of the view, 20.0% of all/);
    await press("0", "Shift+F10");
    const menu = page.getByRole("menu", { name: "shop.cart" });
    await menu.waitFor();
    assert.deepEqual(await menu.getByRole("menuitem").allInnerTexts(), [
      "Zoom to this box",
      "Callers and callees",
      "Only stacks with this function",
      "Hide this function",
      "Find this function",
      "Copy name",
      "Copy file and line",
      "Open source",
    ]);
    await press("End");
    assert.equal(
      await page.evaluate("document.activeElement.href"),
      "https://example.com/blob/main/app/shop.ts#L60",
    );
    await press("Escape");
    assert.equal(await menu.count(), 0);
    assert.ok(await page.evaluate(`document.activeElement.matches(".flame-live")`));
  },
);

Deno.test("the menu hides functions, copies, searches and leads on", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const choose = async (name: string) => {
    await click(page, 2, 0.1, "right");
    await page.getByRole("menuitem", { name }).click();
  };
  await choose("Copy name");
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "shop.checkout");
  await choose("Copy file and line");
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "/app/shop.ts:20");
  await choose("Find this function");
  assert.equal(await page.inputValue("[type=search]"), "shop.checkout");
  await page.fill("[type=search]", "");
  await choose("Hide this function");
  await cardSays(page, 2, 0.1, /^shop.prices .* Total 35 ms/);
  await addressHas(page, /hide=[0-9a-f]{8}/);
  await page.getByRole("button", { name: "Show 1 hidden function" }).click();
  await cardSays(page, 2, 0.1, /^shop.checkout/);
  await page.getByLabel("Fold recursion").check();
  await cardSays(page, 3, 0.4, /^lib.parse .* Total 30 ms .* Self 25 ms/);
  await choose("Only stacks with this function");
  await page.waitForURL(/focus=/);
  assert.equal(new URL(page.url()).searchParams.get("focus"), "^shop\\.checkout$");
});

Deno.test("wheel and drag move the view; a double click resets it", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small");
  const { x, y } = await place(page, 2, 0.75);
  await page.mouse.move(x, y);
  await page.keyboard.down("Control");
  for (let turn = 0; turn < 2; turn++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await cardSays(page, 2, 0.95, /^shop.cart/);
  await cardSays(page, 2, 0.05, /^shop.c/);
  const from = await place(page, 2, 0.2);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 900, from.y, { steps: 5 });
  await page.mouse.up();
  await cardSays(page, 2, 0.5, /^shop.checkout/);
  assert.doesNotMatch(page.url(), /path=/);
  await page.mouse.dblclick(from.x, from.y);
  await cardSays(page, 2, 0.75, /^shop.cart/);
});

Deno.test(
  "zooming loads what was left out; a failure says so and can be tried again",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=cut");
    await cardSays(page, 1, 0.05, /Zooming in brings [\d,]+ smaller box/);
    await page.route("**/data?**", (route) => route.abort());
    await click(page, 1, 0.05);
    const alert = page.getByText("A part of the graph could not be loaded");
    await alert.waitFor();
    await page.unroute("**/data?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor({ state: "detached" });
    await cardSays(page, 1, 0.06, /^((?!Zooming in).)+$/);

    const deep = await site.open("/?graph=cut");
    const asked: string[] = [];
    deep.on("request", (request) => asked.push(request.url()));
    await click(deep, 9, 0.05);
    await eventually(
      () => Promise.resolve(decodeURIComponent(asked.join())),
      /path=([0-9a-f]{8},){8}[0-9a-f]{8}/,
    );
  },
);

Deno.test("a large graph that does not come with the page is fetched", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=bigdiff", { javaScriptEnabled: false });
  assert.ok(await page.locator(".flame-icicle a").count() > 100);
  const live = await site.open("/?graph=bigdiff");
  await cardSays(live, 1, 0.01, /Total, before .* Total, after .* Total, change \+/);
});

Deno.test("the order of time is chosen by thread", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small");
  await page.getByLabel("Order").selectOption("time");
  await page.getByLabel("Thread").waitFor();
  await page.locator(".flame-live[aria-busy=false]").waitFor();
  // The axis is as high as a row.
  await cardSays(page, 2, 0.8, /^main .* Begins at 60 ms Total 40 ms/);
  await page.getByLabel("Thread").selectOption("worker");
  await cardSays(page, 2, 0.8, /^worker/);
  await click(page, 3, 0.35);
  await addressHas(page, /path=[0-9a-f]{8},[0-9a-f]{8}\.1(&|$)/);
  const shared = await site.open(page.url());
  await cardSays(shared, 3, 0.9, /Begins at 30 ms/);
});

Deno.test(
  "the table has the same figures, sorts, and narrows with the search",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    await page.getByRole("link", { name: "Table" }).click();
    const cells = page.locator(".flame-table tbody tr");
    assert.deepEqual((await cells.first().innerText()).split(/\s*\t\s*/), [
      "lib.read",
      "30 ms",
      "30.0%",
      "30 ms",
      "30.0%",
      "/app/shop.ts:40",
    ]);
    await page.getByRole("button", { name: "Total" }).click();
    assert.match(await cells.first().innerText(), /^main/);
    await page.fill("[type=search]", "cart");
    assert.equal(await cells.count(), 1);
    assert.equal(
      await page.locator(".flame-table a").first().getAttribute("href"),
      "/?function=shop.cart",
    );

    const large = await site.open("/?graph=bigdiff&tab=table");
    const rows = Number(await large.locator(".flame-table").getAttribute("aria-rowcount"));
    assert.ok(rows > 1_000);
    assert.ok(await large.locator(".flame-table tbody tr").count() < 120);
    await large.evaluate(`document.querySelector(".flame-table-box").scrollTop = 1e6`);
    await large.locator(`[aria-rowindex="${rows}"]`).waitFor();
  },
);

Deno.test(
  "without script boxes are links that zoom, and the table is a page",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small&service=shop", { javaScriptEnabled: false });
    const boxes = page.locator(".flame-icicle a");
    assert.equal(await boxes.count(), 10);
    await page.getByRole("link", { name: /^shop.checkout,/ }).click();
    assert.match(page.url(), /service=shop&path=/);
    assert.equal(await boxes.count(), 8);
    await page.getByRole("link", {
      name: /^shop.prices, .*; total 35 ms, 50.0% of the view, 35.0% of all/,
    }).waitFor();
    await page.getByRole("link", { name: "Reset zoom" }).click();
    assert.equal(await boxes.count(), 10);
    await page.getByRole("link", { name: "Table" }).click();
    assert.equal(await page.locator(".flame-table tbody tr").count(), 6);
    await page.getByText("Export").click();
    assert.equal(await page.getByRole("link", { name: "pprof" }).isVisible(), true);
    await page.goto("/?graph=cut");
    const first = page.getByRole("link", { name: /without \d+ smaller boxes below it/ }).nth(1);
    const name = (await first.textContent() ?? "").replace(/,.*/s, "");
    await first.click();
    const zoomed = page.getByRole("link", {
      name: new RegExp(`^${RegExp.escape(name)}.*100.0% of the view`),
    });
    assert.doesNotMatch(await zoomed.textContent() ?? "", /smaller box/);
    await page.goto("/?graph=empty");
    await page.getByRole("heading", { name: "No samples" }).waitFor();
  },
);

Deno.test("on a phone a tap shows a bar at the bottom, whose button zooms", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { x, y } = await place(page, 2, 0.1);
  await page.touchscreen.tap(x, y);
  const bar = page.getByRole("region", { name: "Chosen box" });
  assert.match(await bar.innerText(), /^shop.checkout/);
  const edge = await bar.boundingBox();
  assert.ok(edge && edge.width === 390 && Math.round(edge.y + edge.height) === 844);
  assert.deepEqual(await faultsOf(page), []);
  await bar.getByRole("button", { name: "More" }).tap();
  await page.getByRole("menuitem", { name: "Zoom to this box" }).tap();
  await addressHas(page, /path=/);
});

Deno.test("the picture is saved as PNG", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=cut");
  await page.getByText("Export").click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Picture (PNG)" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "CPU-time-of-cut.png");
  const bytes = await Deno.readFile(await saved.path());
  assert.deepEqual([...bytes.subarray(1, 4)], [..."PNG"].map((letter) => letter.charCodeAt(0)));
  assert.ok(new DataView(bytes.buffer).getUint32(20) > 45 * ROW_PX);
});

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `graphs fit ${colorScheme} windows of both sizes, and axe finds nothing`,
    inBrowser,
    async () => {
      const site = await openSite();
      for (const viewport of SIZES) {
        for (const query of ["cut", "cut&tab=table", "diff", "small&lane=1&find=shop"]) {
          const page = await site.open(`/?graph=${query}`, { viewport, colorScheme });
          assert.deepEqual(await faultsOf(page), [], `${query} at ${viewport.width}`);
          if (!query.startsWith("cut")) {
            // Without script there is no axe: what the server drew is looked at with the island kept away.
            await page.route("**/*.js", (route) => route.abort());
            await page.reload();
            assert.ok(await page.locator("#graph-static").isVisible());
            assert.deepEqual(await faultsOf(page), [], `${query} at ${viewport.width}, as served`);
          }
          await page.context().close();
        }
      }
    },
  );

  Deno.test(
    `text on every ${colorScheme} colour has a contrast of 4.5 at least`,
    inBrowser,
    async () => {
      const site = await openSite();
      const page = await site.open("/?graph=small", { colorScheme });
      const contrasts = await page.evaluate<Record<string, number>>(CONTRASTS);
      assert.ok(Object.keys(contrasts).length > 40);
      const low = Object.entries(contrasts).filter(([, contrast]) => contrast < 4.5);
      assert.deepEqual(low, []);
    },
  );
}

/** Contrast of the graph's text with each of its fills, and with those that step back. */
const CONTRASTS = `(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const rgb = (name) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("class", name);
    svg.append(rect);
    document.querySelector(".flame").append(svg);
    context.fillStyle = getComputedStyle(rect).fill;
    context.fillRect(0, 0, 1, 1);
    svg.remove();
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const text = light(rgb("flame-fill-text"));
  const surface = rgb("flame-fill-surface");
  const contrast = (fill) => {
    const other = light(fill);
    return (Math.max(text, other) + 0.05) / (Math.min(text, other) + 0.05);
  };
  const names = ["flame-plain", "flame-system", "flame-accent", "flame-pale", "flame-same", "flame-fill-match"];
  for (let hue = 0; hue < 24; hue++) names.push("flame-own flame-h" + hue, "flame-library flame-h" + hue);
  for (let step = 1; step <= 5; step++) names.push("flame-more" + step, "flame-less" + step);
  return Object.fromEntries(names.flatMap((name) => {
    const fill = rgb(name);
    const faded = fill.map((v, index) => v * 0.35 + surface[index] * 0.65);
    return [[name, contrast(fill)], [name + " faded", contrast(faded)]];
  }));
})()`;
