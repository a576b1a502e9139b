/** The pages of flame graphs in a browser: opening them, pointing at boxes, waiting for what is said of them. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { CHROMIUM, openBrowser } from "@/test/support/chromium.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { serve } from "./site.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
export const inBrowser = {
  ignore: CHROMIUM === null,
  sanitizeOps: false,
  sanitizeResources: false,
};
/** Height of a row of boxes. */
export const ROW_PX = 20;

interface Site extends AsyncDisposable {
  /** A page of its own, once its script has taken over. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

let started: Promise<Site> | undefined;

/** The pages and a browser, once for all tests of a file. */
export function openSite(): Promise<Site> {
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
export async function place(page: Page, row: number, share: number) {
  const box = await page.locator(".flame-canvas").boundingBox();
  assert.ok(box);
  return { x: box.x + share * box.width, y: box.y + (row + 0.5) * ROW_PX };
}

/** Clicks at a place in the graph. */
export async function click(
  page: Page,
  row: number,
  share: number,
  button: "left" | "right" = "left",
) {
  const { x, y } = await place(page, row, share);
  await page.mouse.click(x, y, { button });
}

/** Moves the pointer to a place and waits for what the card is to say of it. */
export async function cardSays(
  page: Page,
  row: number,
  share: number,
  wanted: RegExp,
): Promise<void> {
  const { x, y } = await place(page, row, share);
  await page.mouse.move(x, y);
  const card = page.locator(".flame-card");
  await eventually(async () => (await card.allInnerTexts()).join().replaceAll(/\s+/g, " "), wanted);
}

/** Waits for what is read out of the box that has the focus. */
export async function reads(page: Page, wanted: RegExp): Promise<void> {
  await eventually(
    async () => await page.locator(".flame [aria-live]").textContent() ?? "",
    wanted,
  );
}

/** Waits for the address, which follows changes a moment later. */
export async function addressHas(page: Page, wanted: RegExp): Promise<void> {
  await eventually(() => Promise.resolve(page.url()), wanted);
}

/** Waits until what `read` gives matches; throws what it gave last when that takes too long. */
export async function eventually(read: () => Promise<string>, wanted: RegExp): Promise<void> {
  let last = "";
  await waitFor(String(wanted), async () => {
    last = await read();
    return wanted.test(last) || null;
  }).catch(() => assert.match(last, wanted));
}
