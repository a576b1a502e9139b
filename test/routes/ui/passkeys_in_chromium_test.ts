/** Passkeys with Chromium's own virtual authenticator: added, alone, as a second step, and not where they cannot be. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { PASSWORD } from "../../support/people.ts";
import { complaintsOf, faultsOf, SIZES } from "../../support/seen_in_chromium.ts";
import { freePort } from "../../support/server.ts";
import { acme } from "../../support/ui_app.ts";

const ignore = CHROMIUM === null;

/** The app where browsers allow passkeys. */
async function siteAtName() {
  await using opened = new AsyncDisposableStack();
  const port = freePort();
  const url = `http://localhost:${port}`;
  const app = opened.use(await acme({ baseUrl: url }));
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", onListen() {} },
    (request) => app.handle(request),
  );
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const page = await browser.newPage({ baseURL: url, viewport: SIZES[0] ?? null });
  const all = opened.move();
  return { app, page, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A device with a fingerprint reader, whose owner is always there. */
async function authenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function signInByPassword(page: Page): Promise<void> {
  await page.goto("/sign-in");
  await page.fill("[name=email]", "olga@example.com");
  await page.fill("[name=password]", PASSWORD);
  await page.click("form button:has-text('Sign in')");
}

Deno.test({
  name: "a passkey is added, signs in alone, and is the second step after a password",
  ignore,
  async fn() {
    await using site = await siteAtName();
    const { page } = site;
    const complaints = complaintsOf(page);
    await signInByPassword(page);
    await page.waitForURL("**/projects");
    await authenticator(page);

    await page.goto("/account/security");
    assert.deepEqual(await faultsOf(page), []);
    await page.fill("[name=passkeyName]", "Test laptop");
    await page.click("button:has-text('Add a passkey')");
    await page.waitForURL("**/account/security/recovery-codes");
    await page.click("button:has-text('Make recovery codes')");
    await page.waitForSelector("#recovery-codes");
    assert.deepEqual(await faultsOf(page), []);
    await page.goto("/account/security");
    assert.equal(await page.locator("input[name=name][value='Test laptop']").count(), 1);

    // Alone, without a name.
    await page.context().clearCookies();
    await page.goto("/sign-in?next=/account/sessions");
    // The authenticator answers to what the field suggests.
    await page.waitForURL(({ pathname }) => pathname === "/account/sessions");
    assert.match(await page.innerText("main"), /by passkey/);

    // The password alone does not let in any more.
    await page.context().clearCookies();
    await page.route("**/sign-in/passkey", (route) => route.abort());
    await signInByPassword(page);
    await page.waitForURL("**/sign-in/second-factor");
    assert.deepEqual(await faultsOf(page), []);
    await page.click("button:has-text('Use a passkey')");
    await page.waitForURL("**/projects");
    assert.deepEqual(complaints, []);
  },
});

Deno.test({
  name: "who presses the button while a suggested passkey is judged signs in once",
  ignore,
  async fn() {
    await using site = await siteAtName();
    const { page } = site;
    await signInByPassword(page);
    await page.waitForURL("**/projects");
    await authenticator(page);
    await page.goto("/account/security");
    await page.fill("[name=passkeyName]", "Test laptop");
    await page.click("button:has-text('Add a passkey')");
    await page.waitForURL("**/account/security/recovery-codes");
    await page.context().clearCookies();

    const judging = Promise.withResolvers<void>();
    const pressed = Promise.withResolvers<void>();
    let uses = 0;
    await page.route("**/sign-in/passkey", async (route) => {
      if (route.request().postData()?.includes("action=use") && ++uses === 1) {
        judging.resolve();
        await pressed.promise;
      }
      await route.continue();
    });
    await page.goto("/sign-in");
    await judging.promise;
    await page.click("button:has-text('Sign in with a passkey')");
    pressed.resolve();
    await page.waitForURL("**/projects");
    assert.equal(uses, 1);
  },
});

Deno.test({
  name: "at an IP address the page says why there are no passkeys",
  ignore,
  async fn() {
    await using app = await acme({ baseUrl: "http://192.0.2.7:8000" });
    const { html } = await app.owner.get("/account/security");
    assert.match(html, /Browsers allow passkeys only for a name and with https/);
    assert.doesNotMatch((await app.visitor().get("/sign-in")).html, /Passkeys/);
    const answer = await app.visitor().post("/sign-in/passkey", { action: "options" });
    assert.equal(answer.status, 400);
  },
});

Deno.test("made-up answers of passkeys get nobody in, and no challenge holds twice or for something else", async () => {
  await using app = await acme({ baseUrl: "http://localhost:8000" });
  const eve = app.visitor();
  const options = await eve.post("/sign-in/passkey", { action: "options" });
  assert.equal(options.status, 200);
  const cookie = eve.cookies.get("watchpost_challenge");
  assert.ok(cookie);
  const made = JSON.stringify({
    id: "AAAA",
    rawId: "AAAA",
    type: "public-key",
    response: { clientDataJSON: "", authenticatorData: "", signature: "" },
    clientExtensionResults: {},
  });
  for (
    const response of [made, "", "null", "[]", "{", '{"id":1}', `{"id":"${"x".repeat(5000)}"}`]
  ) {
    const answer = await eve.post("/sign-in/passkey", { action: "use", response });
    assert.equal(answer.status, 422, response);
    assert.match(answer.headers.get("content-type") ?? "", /json/);
  }
  assert.equal((await eve.get("/projects")).status, 303);
});
