/** Whether flame graphs fit their windows and can be read in both themes. */
import assert from "node:assert/strict";
import { faultsOf, SIZES } from "@/test/support/seen_in_chromium.ts";
import { inBrowser, openSite } from "./in_chromium.ts";

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
