import { type Random, source, type Story } from "../story.ts";

const RELEASES = ["web@3.0.4", "web@3.1.0", "web@3.1.1"] as const;
const ENVIRONMENTS = ["production", "staging"] as const;
const SITE = "https://shop.example.com";
const BROWSERS = [
  {
    name: "Chrome",
    version: "141.0.0",
    os: "Windows",
    agent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  },
  {
    name: "Safari",
    version: "19.0",
    os: "iOS",
    agent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  },
  {
    name: "Firefox",
    version: "145.0",
    os: "Linux",
    agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  },
] as const;

function page(random: Random, path: string): Record<string, unknown> {
  const browser = random.pick(BROWSERS);
  return {
    platform: "javascript",
    sdk: { name: "sentry.javascript.browser", version: "11.12.0" },
    request: {
      url: `${SITE}${path}`,
      headers: { "User-Agent": browser.agent, Referer: `${SITE}/` },
    },
    contexts: {
      browser: { name: browser.name, version: browser.version },
      os: { name: browser.os },
      culture: { locale: random.pick(["en-GB", "de-DE", "pt-BR"]), timezone: "Europe/Berlin" },
      trace: { trace_id: random.hex(32), span_id: random.hex(16) },
    },
    transaction: path,
  };
}

function clicks(at: Date, path: string): unknown[] {
  const seconds = at.getTime() / 1000;
  return [
    { timestamp: seconds - 14, category: "navigation", data: { from: "/", to: path } },
    {
      timestamp: seconds - 6,
      category: "fetch",
      type: "http",
      data: { method: "GET", url: "/api/cart", status_code: 200 },
    },
    {
      timestamp: seconds - 2,
      category: "ui.click",
      message: "main > form.checkout > button[type=submit]",
    },
  ];
}

const totals: Story = {
  times: 1_420,
  since: 9.2,
  until: 0,
  releases: RELEASES,
  environments: ENVIRONMENTS,
  event: (random, at) => ({
    ...page(random, "/checkout"),
    tags: {
      locale: random.pick(["en", "de", "pt"]),
      experiment: random.pick(["one-page", "classic"]),
    },
    breadcrumbs: clicks(at, "/checkout"),
    exception: {
      values: [{
        type: "TypeError",
        value: "Cannot read properties of undefined (reading 'currency')",
        mechanism: { type: "auto.browser.global_handlers.onerror", handled: false },
        stacktrace: {
          frames: [
            {
              filename: "webpack:///node_modules/preact/dist/preact.mjs",
              abs_path: `${SITE}/assets/app.js`,
              function: "commitRoot",
              lineno: 1,
              colno: 9120,
              in_app: false,
            },
            {
              filename: "webpack:///src/checkout/Summary.tsx",
              abs_path: `${SITE}/assets/app.js`,
              function: "Summary",
              lineno: 41,
              colno: 18,
              in_app: true,
              ...source(
                ["export function Summary({ cart }: Props) {", "  const items = cart.items;"],
                "  const total = formatTotal(items, cart.price);",
                ["  return (", '    <section class="summary">'],
              ),
            },
            {
              filename: "webpack:///src/money/format.ts",
              abs_path: `${SITE}/assets/app.js`,
              function: "formatTotal",
              lineno: 12,
              colno: 29,
              in_app: true,
              ...source(
                [
                  "/** Sums the items and writes the total in the buyer's currency. */",
                  "export function formatTotal(items: Item[], price?: Price) {",
                ],
                "  const formatter = formatterFor(price.currency);",
                ["  return formatter.format(sum(items));", "}"],
              ),
            },
          ],
        },
      }],
    },
  }),
};

const chunk: Story = {
  times: 260,
  since: 4.5,
  until: 0,
  releases: RELEASES,
  environments: ENVIRONMENTS,
  event: (random, at) => {
    const file = `${SITE}/assets/chunk-${random.hex(8)}.js`;
    return {
      ...page(random, "/account/orders"),
      breadcrumbs: clicks(at, "/account/orders"),
      exception: {
        values: [{
          type: "ChunkLoadError",
          value: `Loading chunk ${random.integer(2, 40)} failed. (error: ${file})`,
          mechanism: { type: "auto.browser.global_handlers.onunhandledrejection", handled: false },
          stacktrace: {
            frames: [
              {
                filename: "webpack:///src/router.ts",
                abs_path: `${SITE}/assets/app.js`,
                function: "openRoute",
                lineno: 88,
                colno: 11,
                in_app: true,
                ...source(
                  ["  const load = routes.get(path);"],
                  "  const { default: Page } = await load();",
                  ["  mount(Page);"],
                ),
              },
              {
                filename: "webpack:///webpack/runtime/load script",
                abs_path: `${SITE}/assets/app.js`,
                function: "onScriptError",
                lineno: 40,
                colno: 8,
                in_app: false,
              },
            ],
          },
        }],
      },
    };
  },
};

const payment: Story = {
  times: 96,
  since: 13,
  until: 5,
  releases: RELEASES,
  environments: ENVIRONMENTS,
  event: (random, at) => ({
    ...page(random, "/checkout/pay"),
    level: "warning",
    message: `Payment form closed after ${random.integer(2, 90)} s without answer`,
    tags: { provider: random.pick(["adyen", "stripe"]) },
    breadcrumbs: clicks(at, "/checkout/pay"),
  }),
};

export const browserStories: readonly Story[] = [totals, chunk, payment];
