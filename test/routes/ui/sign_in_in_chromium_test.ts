/** What only a browser can tell of single sign-on: the way there and back, and how its pages look. */
import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { createProvider, updateProvider } from "@/lib/accounts/providers/provider.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { type IdentityProvider, identityProvider } from "../../support/identity_provider.ts";
import { LOCAL_PROVIDERS, setUp, STRICT } from "../../support/provider_settings.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { freePort } from "../../support/server.ts";
import { type Acme, acme } from "../../support/ui_app.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

interface Site extends AsyncDisposable {
  readonly app: Acme;
  readonly idp: IdentityProvider;
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
}

/** App and provider at hosts of their own: to a browser they are two sites. */
async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const port = freePort();
  const baseUrl = `http://localhost:${port}`;
  const app = opened.use(await acme({ ...LOCAL_PROVIDERS, baseUrl }));
  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const idp = opened.use(await identityProvider({ baseUrl, asks: true }));
  const browser = opened.use(await openBrowser());
  const moved = opened.move();
  return {
    app,
    idp,
    context: (options) => browser.newContext({ baseURL: baseUrl, ...options }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

Deno.test(
  "somebody signs in by a provider, connects it, signs in anew and out, with and without script",
  inBrowser,
  async () => {
    await using site = await openSite();
    const { app, idp } = site;
    const { id } = await setUp(app.services, idp, { mayCreate: true });
    for (const javaScriptEnabled of [true, false]) {
      const context = await site.context({ javaScriptEnabled });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await page.goto("/projects");
      await page.click("text=Sign in with Test ID");
      await page.click("text=Sign in as Alice");
      await page.waitForURL("**/projects");
      await page.goto("/account/sign-ins");
      assert.match(await page.innerText("main"), /Test ID\s+alice@example\.com/);
      assert.match(await page.innerText("main"), /Your only way in/);
      await page.goto(`/sign-in?again=1&next=/account`);
      await page.click("text=Sign in with Test ID");
      await page.click("text=Sign in as Alice");
      await page.waitForURL("**/account");
      assert.deepEqual(complaints, []);
      await context.close();
    }

    const owner = await (await site.context()).newPage();
    const complaints = complaintsOf(owner);
    await signIn(owner);
    idp.person = { sub: "olga", email: "olga@example.com", name: "Olga" };
    await owner.goto("/account/sign-ins");
    await owner.click("text=Connect Test ID");
    await owner.click("text=Sign in as Alice");
    await owner.waitForURL("**/account/sign-ins");
    assert.match(await owner.innerText("body"), /Test ID is connected\./);
    await owner.goto(`/instance/sign-in/${id}`);
    await owner.click("text=Test sign-in");
    await owner.waitForURL("**/callback*");
    assert.match(await owner.innerText("main"), /Signs in to the account olga@example\.com/);
    assert.deepEqual(complaints, []);
  },
);

Deno.test(
  "signing out here leads to the sign-out there, where the provider has one",
  inBrowser,
  async () => {
    await using site = await openSite();
    await setUp(site.app.services, site.idp, { mayCreate: true, endsThere: true });
    const page = await (await site.context()).newPage();
    const complaints = complaintsOf(page);
    await page.goto("/sign-in");
    await page.click("text=Sign in with Test ID");
    await page.click("text=Sign in as Alice");
    await page.waitForURL("**/projects");
    await page.evaluate("document.querySelector('form[action=\"/sign-out\"]').requestSubmit()");
    await page.waitForURL(`${site.idp.issuer}/session/end*`);
    assert.deepEqual(complaints, []);
    await page.goto("/account");
    assert.match(page.url(), /\/sign-in\?next=/);
  },
);

Deno.test(
  "the pages of single sign-on are usable at a desk and on a phone, light and dark, in both languages",
  inBrowser,
  async () => {
    await using site = await openSite();
    const { app, idp } = site;
    const { services, organization } = app;
    const rules = [
      { group: "*", organizationId: organization.id, role: "viewer" as const, teamIds: [] },
      {
        group: "/a very long group/that somebody made/at a provider",
        organizationId: organization.id,
        role: "admin" as const,
        teamIds: [],
      },
    ];
    await setUp(services, idp, {
      name: "Test ID of a company with a rather long name",
      rules,
      mayCreate: true,
      domains: ["example.com"],
    });
    await createProvider(services, {
      id: "google",
      kind: "oidc",
      preset: "google",
      settings: { ...STRICT, name: "Google", issuer: "https://accounts.google.com", clientId: "x" },
      secret: "y",
    });
    const paths = [
      "/instance/sign-in",
      "/instance/sign-in/new?preset=entra",
      "/instance/sign-in/test",
      "/account/sign-ins",
    ];
    const shots = Deno.env.get("TEST_SHOTS");
    for (const viewport of SIZES) {
      for (const colorScheme of ["light", "dark"] as const) {
        const locale = colorScheme === "light" ? "en" : "ru";
        const context = await site.context({ viewport, colorScheme, locale });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await page.goto("/sign-in");
        assert.deepEqual(await faultsOf(page), [], "/sign-in");
        if (shots) {
          await page.screenshot({
            path: `${shots}/sign-in-${viewport.width}-${locale}.png`,
            fullPage: true,
          });
        }
        await signIn(page);
        for (const path of paths) {
          await page.goto(path);
          assert.deepEqual(await faultsOf(page), [], `${path} ${viewport.width} ${colorScheme}`);
          const name = path.replace(/\W+/g, "-");
          if (shots) {
            await page.screenshot({
              path: `${shots}/${name}-${viewport.width}-${locale}.png`,
              fullPage: true,
            });
          }
        }
        assert.deepEqual(complaints, []);
        await context.close();
      }
    }
    await updateProvider(services, "test", {
      ...STRICT,
      issuer: idp.issuer,
      clientId: "watchpost",
      name: "T",
    }, null);
    const page = await (await site.context({ viewport: SIZES[1] ?? null })).newPage();
    await page.goto("/sign-in/with/test");
    await page.click("text=Sign in as Alice");
    await page.waitForURL("**/connect");
    assert.deepEqual(await faultsOf(page), []);
    if (shots) await page.screenshot({ path: `${shots}/connect.png`, fullPage: true });
  },
);
