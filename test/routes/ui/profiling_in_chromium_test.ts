/** What only a browser can tell of the pages of profiles: the graph that comes later, keyboard, contrast, no script. */
import assert from "node:assert/strict";
import type { ObjectStore } from "@/lib/store/objects/store.ts";
import type { BrowserContextOptions, Page } from "playwright-core";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { CPU_SAMPLES, type TestSample } from "../../support/pprof.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

if (CHROMIUM !== null) await buildStyles();
// Loaded after the styles are made: it takes what is in static/ into its build.
const { minutesAgo, profiledShop } = await import("../../support/profiled_shop.ts");

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

const WIDE: readonly TestSample[] = [
  ...CPU_SAMPLES,
  { stack: ["main.main", `main.${"long".repeat(60)}`], values: [2n, 20_000_000n] },
];

interface Site extends AsyncDisposable {
  /** `/projects/<id>/profiling` */
  readonly path: string;
  readonly objects: ObjectStore;
  /** A page of somebody who is signed in. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

async function openSite({ isEmpty = false } = {}): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await profiledShop());
  if (!isEmpty) {
    for (let at = 0; at < 4; at++) {
      await app.upload(`service=api&release=${at < 2 ? 1 : 2}&environment=production`, WIDE, {
        timeNanos: minutesAgo(80 - 20 * at),
      });
    }
  }
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const moved = opened.move();
  return {
    path: app.profiling,
    objects: app.services.objects,
    async open(options) {
      const context = await browser.newContext({ baseURL, ...options });
      const page = await context.newPage();
      await signIn(page);
      return page;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test(
  "the graph of Profiling is taken over by its script and leads to a function",
  inBrowser,
  async () => {
    await using site = await openSite();
    const page = await site.open();
    const complaints = complaintsOf(page);
    await page.goto(`${site.path}?range=24h`);
    await page.locator("canvas").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("hash");
    await page.getByText(/50(\.0)?%/).first().waitFor();
    await page.waitForURL(/find=hash/);
    await page.goto(`${site.path}?range=24h&tab=table`);
    await page.getByRole("link", { name: "main.work", exact: true }).first().click();
    await page.waitForURL(/function=main\.work/);
    await page.locator("canvas").nth(1).waitFor();
    assert.equal(await page.locator("canvas").count(), 2);
    await page.getByRole("link", { name: "Show the whole graph" }).click();
    await page.waitForURL((url) => !url.search.includes("function="));
    assert.deepEqual(complaints, []);
  },
);

/** Profiles take longer to read than a page waits for them. */
function slowDown({ objects }: Site): void {
  const { get } = objects;
  const slow = async (...key: Parameters<typeof get>) => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    return await get.apply(objects, key);
  };
  Object.assign(objects, { get: slow });
}

Deno.test("a graph that never comes leaves no words of waiting", inBrowser, async () => {
  await using site = await openSite();
  slowDown(site);
  const page = await site.open();
  await page.route("**/profiling/flamegraph?*", (route) => route.fulfill({ status: 500 }));
  await page.goto(`${site.path}?range=24h`);
  await page.getByText("The flame graph could not be loaded").waitFor();
  assert.equal(await page.getByText("is being put together").isVisible(), false);
  assert.equal(await page.getByText("What is shown above").count(), 0);
  await page.unroute("**/profiling/flamegraph?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("canvas").first().waitFor();
});

Deno.test(
  "the list of functions comes after its page, and is asked for again when it does not",
  inBrowser,
  async () => {
    await using site = await openSite();
    slowDown(site);
    const page = await site.open();
    const later = (url: URL) => url.searchParams.get("wait") === "1";
    await page.route(later, (route) => route.fulfill({ status: 500 }));
    await page.goto(`${site.path}?range=24h&view=top&sort=name`);
    await page.getByText("The functions could not be loaded").waitFor();
    assert.equal(await page.getByText("are being put together").isVisible(), false);
    await page.unroute(later);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "main.hash" }).waitFor();
    assert.equal(await page.getByText("The functions could not be loaded").count(), 0);
    await page.getByRole("searchbox", { name: "Search functions" }).fill("hash");
    await page.keyboard.press("Enter");
    await page.waitForURL(/query=hash/);
    await page.getByText("Showing 1–1 of 1 function").waitFor();
    assert.equal(new URL(page.url()).searchParams.has("wait"), false);
  },
);

Deno.test("Profiling works without script", inBrowser, async () => {
  await using site = await openSite();
  const page = await site.open({ javaScriptEnabled: false });
  await page.goto(`${site.path}?range=24h`);
  await page.locator(".flame-icicle").waitFor();
  await page.locator(".flame-icicle a").nth(1).click();
  await page.waitForURL(/path=/);
  await page.getByText("Filter, group or invert stacks").click();
  await page.fill("[name=focus]", "main\\.hash");
  await page.getByRole("button", { name: "Apply", exact: true }).last().press("Enter");
  await page.waitForURL(/focus=main/);
  assert.equal(await page.getByText("Sum of 4 profiles.").count(), 1);
  await page.goto(`${site.path}?range=24h&view=top`);
  await page.getByRole("link", { name: "main.hash" }).waitFor();
});

Deno.test(
  "pages of profiles have no serious finding at any size in any light",
  inBrowser,
  async () => {
    await using site = await openSite();
    await using none = await openSite({ isEmpty: true });
    const pages = [
      [site, "?range=24h"],
      [site, "?range=24h&view=top&function=x"],
      [site, "?range=24h&focus=(&label=x&trace=y&profiler=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
      [site, "?range=24h&function=main.work"],
      [site, "?range=24h&view=changes"],
      [site, "?range=24h&view=list"],
      [site, "/compare?range=1h"],
      [site, "/compare?range=24h&base=previous-release&view=both"],
      [none, ""],
    ] as const;
    for (const viewport of SIZES) {
      for (const colorScheme of ["light", "dark"] as const) {
        const [page, other] = [
          await site.open({ viewport, colorScheme }),
          await none.open({ viewport, colorScheme }),
        ];
        const complaints = complaintsOf(page);
        for (const [place, query] of pages) {
          const shown = place === site ? page : other;
          await shown.goto(place.path + query, { waitUntil: "networkidle" });
          assert.deepEqual(await faultsOf(shown), [], `${viewport.width} ${colorScheme} ${query}`);
        }
        assert.deepEqual(complaints, []);
        await page.context().close();
        await other.context().close();
      }
    }
  },
);
