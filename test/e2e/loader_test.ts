/** The one line that pages are given, in Chromium: from the page to what is stored. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deleteKey, reissueKey, updateKey } from "../../lib/accounts/keys.ts";
import { readStats } from "../../lib/store/stats/read_stats.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { lineOf, type LoaderWorld, loaderWorld } from "../support/loader_world.ts";
import { waitFor } from "../support/wait_for.ts";

const ARRIVES_WITHIN_MS = 15_000;

interface Visit {
  readonly world: LoaderWorld;
  readonly page: Page;
  /** What the page has in its console. */
  readonly told: readonly string[];
}

type WorldOptions = Parameters<typeof loaderWorld>[0];

function inChromium(
  name: string,
  visit: (visit: Visit) => Promise<void>,
  options: WorldOptions = {},
): void {
  Deno.test({
    name,
    ignore: CHROMIUM === null,
    // Playwright keeps handles of its own until the process ends.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using world = await loaderWorld(options);
      await using browser = await openBrowser();
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      const told: string[] = [];
      page.on("console", (message) => told.push(message.text()));
      await visit({ world, page, told });
    },
  });
}

/** Titles of the project's events, in the order in which they happened. */
async function errorsOf({ services: { sql }, projectId }: LoaderWorld): Promise<string[]> {
  const rows = await sql<{ title: string }[]>`
    select title from events where project_id = ${projectId} order by "timestamp"
  `;
  return rows.map(({ title }) => title);
}

function errorsArrive(world: LoaderWorld, titles: readonly string[]): Promise<unknown> {
  return waitFor(`${titles}`, async () => {
    const found = await errorsOf(world);
    return titles.every((title) => found.includes(title)) || null;
  }, ARRIVES_WITHIN_MS);
}

async function pageloadOf({ services: { sql }, projectId }: LoaderWorld) {
  return await waitFor("the page load", async () => {
    const [row] = await sql<{ environment: string; release: string }[]>`
      select environment, release from transactions
      where project_id = ${projectId} and op = 'pageload'
    `;
    return row;
  }, ARRIVES_WITHIN_MS);
}

/** Holds the SDK's bundle back until it is let go. */
async function holdBundle(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/js/bundle-*", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

inChromium(
  "what a page throws before the SDK has come, and after, arrives with the page load",
  async ({ world, page }) => {
    const letGo = await holdBundle(page);
    await page.goto(
      world.page(`
        ${lineOf(world, 'data-environment="staging" data-release="shop@7"')}
        <script>const gone = null; gone.price;</script>
        <script>
          Promise.reject(new RangeError("no stock"));
          Promise.reject("plain");
          Sentry.setTag("shop", "berlin");
          Sentry.captureMessage("called early");
        </script>`),
      { waitUntil: "domcontentloaded" },
    );
    await page.waitForFunction("typeof Sentry.onLoad === 'function'");
    const before = Date.now();
    letGo();
    await page.waitForFunction("Sentry.SDK_VERSION !== undefined");
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error("later");
      });
    });
    const early = [
      "TypeError: Cannot read properties of null (reading 'price')",
      "RangeError: no stock",
      "UnhandledRejection: Non-Error promise rejection captured with value: plain",
    ];
    await errorsArrive(world, [...early, "called early", "Error: later"]);
    assert.deepEqual(await pageloadOf(world), { environment: "staging", release: "shop@7" });
    const { services: { sql }, projectId } = world;
    const rows = await sql<{ title: string; at: Date; tags: Record<string, string> }[]>`
      select title, "timestamp" as at, tags from events_with_tags where project_id = ${projectId}
    `;
    assert.equal(rows.length, 5);
    for (const { title, at, tags } of rows) {
      if (early.includes(title)) assert.ok(at.getTime() <= before, `${title} at its own time`);
      if (early.includes(title)) assert.equal(tags.handled, "no", title);
      if (title === "called early") assert.equal(tags.shop, "berlin");
    }
  },
);

inChromium("the page's Web Vitals are measured, though the SDK comes late", async (visit) => {
  const { world, page } = visit;
  const letGo = await holdBundle(page);
  await page.goto(
    world.page(`<title>Shop</title>${lineOf(world)}</head><body><h1>Chairs</h1>`),
    { waitUntil: "domcontentloaded" },
  );
  await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length");
  letGo();
  await pageloadOf(world);
  await page.goto("about:blank");
  const { services: { sql }, projectId } = world;
  await waitFor("the vitals", async () => {
    const now = Date.now();
    const scope = {
      projectId,
      kind: "visit" as const,
      environments: [],
      releases: [],
      services: [],
    };
    const time = { start: new Date(now - 3_600_000), end: new Date(now + 60_000) };
    const found = await readStats(sql, { ...scope, ...time }, ["op"]);
    const vitals = found.map(({ op }) => op);
    return ["fcp", "lcp", "ttfb"].every((vital) => vitals.includes(vital)) || null;
  }, ARRIVES_WITHIN_MS);
});

inChromium(
  "with async, what the page's own onerror has kept before the loader arrives as well",
  async ({ world, page }) => {
    await page.goto(world.page(`
      <script>(onerror = function () { onerror.q.push(arguments) }).q = []</script>
      <script>throw new Error("very first");</script>
      ${lineOf(world)}`));
    await errorsArrive(world, ["Error: very first"]);
    await page.evaluate("setTimeout(() => { throw new Error('later') })");
    await errorsArrive(world, ["Error: later"]);
    assert.deepEqual(await errorsOf(world), ["Error: very first", "Error: later"]);
    assert.equal(await page.evaluate("onerror.q"), undefined);
  },
);

inChromium(
  "the page's own handlers are called once for each error, the SDK's loaded or not",
  async ({ world, page }) => {
    const letGo = await holdBundle(page);
    await page.goto(
      world.page(`
        ${lineOf(world, "")}
        <script>
          window.seen = [];
          onerror = (message) => { seen.push(message) };
        </script>
        <script>throw new Error("one");</script>`),
      { waitUntil: "domcontentloaded" },
    );
    letGo();
    await page.waitForFunction("Sentry.SDK_VERSION !== undefined");
    await page.evaluate("setTimeout(() => { throw new Error('two') })");
    await errorsArrive(world, ["Error: one", "Error: two"]);
    assert.deepEqual(await page.evaluate("seen"), ["Uncaught Error: one", "Uncaught Error: two"]);
  },
);

inChromium(
  "callbacks are given the SDK before it starts, and may start it with options of their own",
  async ({ world, page }) => {
    await page.goto(world.page(`
      <script>
        window.calls = [];
        function onWatchpostReady(sdk) {
          calls.push("ready " + sdk.isInitialized());
          sdk.init({ environment: "own", beforeSend(event) { event.tags = { by: "page" }; return event } });
        }
      </script>
      ${lineOf(world, 'data-environment="line"')}
      <script>
        const held = Sentry;
        Sentry.onLoad(() => { calls.push("loaded"); held.captureMessage("through the stand-in") });
      </script>`));
    await errorsArrive(world, ["through the stand-in"]);
    assert.deepEqual(await page.evaluate("calls"), ["ready false", "loaded"]);
    const { services: { sql }, projectId } = world;
    const [event] = await sql<{ environment: string; tags: Record<string, string> }[]>`
      select environment, tags from events_with_tags where project_id = ${projectId}
    `;
    assert.equal(event?.environment, "own");
    assert.equal(event?.tags.by, "page");
    assert.equal((await pageloadOf(world)).environment, "own");
  },
);

inChromium(
  "the two lines of the Setup page are all that a Content-Security-Policy must allow",
  async ({ world, page, told }) => {
    const scripts = `${world.baseUrl}/js/`;
    await page.goto(world.page(lineOf(world), {
      "content-security-policy":
        `default-src 'none'; script-src ${scripts}; connect-src ${scripts}`,
    }));
    await page.waitForFunction("window.Sentry && Sentry.SDK_VERSION !== undefined");
    await page.evaluate("setTimeout(() => { throw new Error('under a policy') })");
    await errorsArrive(world, ["Error: under a policy"]);
    await pageloadOf(world);
    assert.deepEqual(told.filter((text) => text.includes("Content Security Policy")), []);
  },
);

inChromium(
  "a policy of nonces alone is enough: the bundle gets that of the line",
  async ({ world, page }) => {
    await page.goto(world.page(lineOf(world, 'nonce="abc"'), {
      "content-security-policy": `script-src 'nonce-abc'; connect-src ${world.baseUrl}/js/in`,
    }));
    await pageloadOf(world);
  },
);

inChromium(
  "on https and under a path prefix the bundle is loaded from there, and everything sent there",
  async ({ world, page }) => {
    await page.goto(world.page(lineOf(world, "")));
    await page.waitForFunction("Sentry.SDK_VERSION !== undefined");
    await page.evaluate("setTimeout(() => { throw new Error('prefixed') })");
    await errorsArrive(world, ["Error: prefixed"]);
    assert.ok(world.asked.includes("POST /watch/js/in"));
    assert.ok(world.asked.every((each) => / \/watch\/js\//.test(each)), world.asked.join());
  },
  { prefix: "/watch", hasTls: true },
);

inChromium(
  "no cookie, no storage and no other host is touched, and storage that throws is no hindrance",
  async ({ world, page }) => {
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.addInitScript(() => {
      const touched: string[] = Reflect.get(self, "touched") ?? [];
      Reflect.set(self, "touched", touched);
      for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
        Object.defineProperty(self, name, {
          get() {
            touched.push(name);
            throw new DOMException("not here", "SecurityError");
          },
        });
      }
      Object.defineProperty(document, "cookie", {
        get: () => touched.push("cookie") && "",
        set: () => void touched.push("cookie"),
      });
    });
    const address = world.page(lineOf(world));
    await page.goto(address);
    await page.waitForFunction("window.Sentry && Sentry.SDK_VERSION !== undefined");
    await page.evaluate("setTimeout(() => { throw new Error('strict') })");
    await errorsArrive(world, ["Error: strict"]);
    await pageloadOf(world);
    assert.deepEqual(await page.evaluate("touched"), []);
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual([...hosts], [new URL(address).host, new URL(world.baseUrl).host]);
  },
);

Deno.test({
  name: "a page that comes back from the back-forward cache goes on sending, as a new navigation",
  ignore: CHROMIUM === null,
  // Playwright keeps handles of its own until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using world = await loaderWorld();
    await using browser = await openBrowser({ hasBackForwardCache: true });
    const page = await browser.newPage();
    await page.goto(world.page(`
      ${lineOf(world)}
      <script>addEventListener("pageshow", (event) => { window.isBack = event.persisted })</script>`));
    await pageloadOf(world);
    await page.goto(world.page("<title>Elsewhere</title>"));
    await page.goBack({ waitUntil: "commit" });
    await page.waitForFunction("window.isBack === true");
    await page.evaluate("setTimeout(() => { throw new Error('back again') })");
    await errorsArrive(world, ["Error: back again"]);
    const { services: { sql }, projectId } = world;
    await waitFor("the navigation", async () => {
      const [row] = await sql`
        select 1 from transactions where project_id = ${projectId} and op = 'navigation'
      `;
      return row;
    }, ARRIVES_WITHIN_MS);
  },
});

inChromium(
  "data-replay is refused in the console, and so is a rate that is none",
  async ({ world, page, told }) => {
    await page.goto(world.page(lineOf(world, 'async data-replay data-traces-sample-rate="some"')));
    await pageloadOf(world);
    assert.deepEqual(told.filter((text) => text.startsWith("Watchpost")), [
      'Watchpost: data-traces-sample-rate="some" is not a number from 0 to 1: all traces are sent.',
      "Watchpost: data-replay is not supported: Watchpost stores no session replays.",
    ]);
    assert.equal(
      await page.evaluate("Sentry.getClient().getIntegrationByName('Replay')"),
      undefined,
    );
  },
);

inChromium(
  "with a sample rate of 0 errors come and page loads do not",
  async ({ world, page }) => {
    await page.goto(world.page(lineOf(world, 'async data-traces-sample-rate="0"')));
    await page.waitForFunction("window.Sentry && Sentry.SDK_VERSION !== undefined");
    await page.evaluate("setTimeout(() => { throw new Error('only me') })");
    await errorsArrive(world, ["Error: only me"]);
    assert.equal(await page.evaluate("Sentry.getClient().getOptions().tracesSampleRate"), 0);
    const { services: { sql }, projectId } = world;
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from transactions where project_id = ${projectId}
    `;
    assert.equal(row?.count, 0);
  },
);

inChromium("the line twice on a page counts each error once", async ({ world, page, told }) => {
  await page.goto(world.page(`${lineOf(world, "")}${lineOf(world, "")}`));
  await page.waitForFunction("Sentry.SDK_VERSION !== undefined");
  await page.evaluate("setTimeout(() => { throw new Error('once') })");
  await errorsArrive(world, ["Error: once"]);
  await pageloadOf(world);
  assert.deepEqual(await errorsOf(world), ["Error: once"]);
  assert.equal(told.filter((text) => text.includes("twice")).length, 1);
});

inChromium("a page with an SDK of its own is left alone", async ({ world, page, told }) => {
  await page.goto(world.page(`<script>window.Sentry = { init() {} }</script>${lineOf(world)}`));
  await waitFor("the notice", () => told.some((text) => text.includes("of its own")) || null);
  assert.ok(!world.asked.some((each) => each.includes("bundle")));
});

inChromium("a bundle that is blocked is told once, and breaks nothing", async (visit) => {
  const { world, page, told } = visit;
  await page.route("**/js/bundle-*", (route) => route.abort());
  await page.goto(world.page(`${lineOf(world, "")}<script>Sentry.captureMessage("lost")</script>`));
  await waitFor("the notice", () => told.some((text) => text.includes("did not load")) || null);
  assert.equal(await page.evaluate("Sentry.captureMessage('still no error')"), undefined);
  assert.equal(told.filter((text) => text.startsWith("Watchpost")).length, 1);
});

inChromium(
  "a revoked, reissued or disabled key is told in the console of the next page, and nothing is sent",
  async ({ world, page, told }) => {
    const { kv } = world.services;
    const address = world.page(lineOf(world));
    const next = async (why: string) => {
      await page.goto(address);
      await waitFor(why, () => told.some((text) => text.includes(why)) || null);
      assert.equal(await page.evaluate("typeof Sentry"), "undefined");
    };
    await updateKey(kv, world.key.publicKey, { isActive: false });
    await next("this key is disabled");
    await updateKey(kv, world.key.publicKey, { isActive: true });
    const reissued = await reissueKey(kv, world.key.publicKey);
    assert.ok(reissued);
    // The notice is kept for a minute: another address asks anew.
    await page.goto(world.page(lineOf(world).replace(".js", ".min.js")));
    await waitFor("reissued", () => told.some((text) => text.includes("was reissued")) || null);
    await page.goto(world.page(lineOf({ ...world, key: reissued })));
    await pageloadOf(world);
    await deleteKey(kv, reissued.publicKey);
    await page.goto(world.page(lineOf({ ...world, key: reissued }).replace(".js", ".min.js")));
    await waitFor("revoked", () => told.some((text) => text.includes("was revoked")) || null);
  },
);
