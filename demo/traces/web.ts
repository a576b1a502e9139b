/** The shop's pages in the browser, with Sentry's SDK: page loads, navigations, resources and Web Vitals. */
import type { Random } from "../random.ts";
import type { Scene } from "./scene.ts";
import { callOf } from "./sentry_work.ts";
import type { Work } from "./work.ts";

const SITE = "https://shop.example.com";

/** How heavy a page is: medians in milliseconds, but for `shift`, a layout shift score. */
interface Weight {
  readonly first: number;
  readonly largest: number;
  readonly interaction: number;
  readonly shift: number;
}

const WEIGHTS: Readonly<Record<string, Weight>> = {
  "/": { first: 1_150, largest: 1_900, interaction: 90, shift: 0.04 },
  "/search": { first: 1_050, largest: 3_100, interaction: 240, shift: 0.02 },
  "/products/:id": { first: 1_300, largest: 2_500, interaction: 130, shift: 0.17 },
};

const FILES = [
  { name: "/assets/app.3f9c1b27.js", op: "resource.script", ms: 190, bytes: 214_000 },
  { name: "/assets/app.77d20ae1.css", op: "resource.css", ms: 80, bytes: 38_000 },
  { name: "/assets/inter.4a1be093.woff2", op: "resource.link", ms: 110, bytes: 51_000 },
  { name: "/images/hero.webp", op: "resource.img", ms: 340, bytes: 420_000 },
];

/** A page that is opened. @param served what it asks the shop's API for, one after the other */
export function pageLoad(scene: Scene, page: string, served: readonly Work[]): Work {
  const { random } = scene;
  const speed = random.around(1, 0.3);
  return {
    name: page,
    op: "pageload",
    ms: random.around(420) * speed,
    parts: [
      {
        name: SITE + page,
        op: "browser.request",
        ms: random.around(160) * speed,
      },
      resources(random, speed),
      ...served.map((work) => callOf(work, random.around(38) * speed)),
      { name: "main-thread", op: "ui.long-task", ms: random.around(95) * speed },
    ],
    data: { "sentry.op": "pageload", "url.full": SITE + page },
    entry: { service: "web", server: "", vitals: vitalsOf(random, page, speed) },
  };
}

/** A page that the one before it makes way for, without loading. */
export function navigation(scene: Scene, page: string, served: readonly Work[]): Work {
  const { random } = scene;
  return {
    name: page,
    op: "navigation",
    ms: random.around(90),
    parts: [
      ...served.map((work) => callOf(work, random.around(36))),
      { name: page.split("/")[1] ?? "page", op: "ui.react.mount", ms: random.around(28) },
    ],
    data: { "sentry.op": "navigation", "url.full": SITE + page },
    entry: { service: "web", server: "" },
  };
}

function resources(random: Random, speed: number): Work {
  return {
    name: "load",
    op: "browser.load",
    ms: 60 * speed,
    isParallel: true,
    parts: FILES.map(({ name, op, ms, bytes }) => ({
      name: SITE + name,
      op,
      ms: random.around(ms) * speed,
      data: { "http.response_content_length": bytes, "server.address": "shop.example.com" },
    })),
  };
}

/** A slow connection or an old phone slows everything alike. */
function vitalsOf(random: Random, page: string, speed: number): Record<string, number> {
  const weight = WEIGHTS[page];
  if (weight === undefined) return {};
  const ttfb = random.around(390, 0.4) * speed;
  return {
    ttfb,
    fcp: ttfb + random.around(weight.first - 390, 0.25) * speed,
    lcp: ttfb + random.around(weight.largest - 390, 0.3) * speed,
    cls: random.around(weight.shift, 0.7),
    // Nobody clicks on every page.
    ...(random.chance(0.7) && { inp: random.around(weight.interaction, 0.6) * speed }),
  };
}
