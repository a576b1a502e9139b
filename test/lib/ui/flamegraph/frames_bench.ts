/**
 * Frame times of a graph of 200,000 nodes while it is scrolled, zoomed and searched in Chromium, printed in
 * milliseconds: `deno run -A test/lib/ui/flamegraph/frames_bench.ts`.
 */
import type { Page } from "playwright-core";
import { openBrowser } from "@/test/support/chromium.ts";
import { serve } from "./site.ts";

/** Collects the time between frames, and what the script takes of each, until it is asked for them. */
const COLLECT = `(() => {
  const frames = globalThis.frames_ = { gaps: [], work: [] };
  const real = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (callback) => real((now) => {
    const since = performance.now();
    callback(now);
    frames.work.push(performance.now() - since);
  });
  let last = 0;
  const tick = (now) => {
    if (last > 0) frames.gaps.push(now - last);
    last = now;
    real(tick);
  };
  real(tick);
})()`;

interface Frames {
  readonly gaps: readonly number[];
  readonly work: readonly number[];
}

function summary(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `median ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} (${values.length})`;
}

async function measure(page: Page, name: string, act: () => Promise<void>): Promise<void> {
  await page.evaluate("frames_.gaps.length = frames_.work.length = 0");
  await act();
  const { gaps, work } = await page.evaluate<Frames>("frames_");
  console.log(`${name}: between frames ${summary(gaps)}; drawing ${summary(work)}`);
}

if (import.meta.main) {
  await using site = await serve();
  await using browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const since = performance.now();
  await page.goto(`${site.origin}/?graph=large`);
  await page.locator(".flame-live").waitFor();
  console.log(`ready after ${Math.round(performance.now() - since)} ms`);
  await page.evaluate(COLLECT);
  await page.mouse.move(700, 400);
  await measure(page, "scrolling", async () => {
    for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, turn < 30 ? 40 : -40);
  });
  await measure(page, "zooming", async () => {
    await page.keyboard.down("Control");
    for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, turn < 30 ? -60 : 60);
    await page.keyboard.up("Control");
  });
  await measure(page, "dragging", async () => {
    await page.mouse.down();
    for (let turn = 0; turn < 60; turn++) await page.mouse.move(700 + turn * 5, 400 + turn);
    await page.mouse.up();
  });
  await measure(page, "going over boxes", async () => {
    for (let turn = 0; turn < 60; turn++) await page.mouse.move(200 + turn * 15, 300 + turn * 3);
  });
  await measure(page, "zooming by clicks", async () => {
    for (const [x, y] of [[200, 300], [700, 400], [700, 160], [700, 140]]) {
      await page.mouse.click(x ?? 0, y ?? 0);
      await page.waitForTimeout(200);
    }
  });
  await measure(page, "searching", async () => {
    await page.locator("[type=search]").pressSequentially("json", { delay: 50 });
    await page.waitForTimeout(300);
  });
  Deno.exit(0);
}
