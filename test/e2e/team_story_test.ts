/**
 * A team of five gets in, each by another way and two of them in Russian, and sees what the table of rights says; the audit log
 * tells it all, and who forgot a password gets in by the mail server.
 */
import assert from "node:assert/strict";
import { TOTP } from "otpauth";
import type { Browser, Page } from "playwright-core";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { identityProvider } from "../support/identity_provider.ts";
import { mailServer, readable } from "../support/mail_server.ts";
import { PASSWORD } from "../support/people.ts";
import { LOCAL_PROVIDERS, setUp } from "../support/provider_settings.ts";
import { complaintsOf } from "../support/seen_in_chromium.ts";
import { freePort } from "../support/server.ts";
import { acme, textOf } from "../support/ui_app.ts";
import { waitFor } from "../support/wait_for.ts";

/** The app where browsers allow passkeys, with a provider of single sign-on and a mail server. */
async function office() {
  await using opened = new AsyncDisposableStack();
  const port = freePort();
  const url = `http://localhost:${port}`;
  const mail = opened.use(await mailServer({ hasNoTls: true }));
  const idp = opened.use(await identityProvider({ baseUrl: url }));
  const smtp = {
    host: "localhost",
    port: mail.port,
    security: "none" as const,
    login: null,
    from: "watchpost@example.com",
  };
  const app = opened.use(await acme({ baseUrl: url, smtp, ...LOCAL_PROVIDERS }));
  await setUp(app.services, idp);
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", onListen() {} },
    (request) => app.handle(request),
  );
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const all = opened.move();
  return { app, url, mail, idp, browser, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type Office = Awaited<ReturnType<typeof office>>;

/** A person with a browser of their own. */
async function sitDown(
  { browser, url }: { readonly browser: Browser; readonly url: string },
  locale = "en-US",
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    locale,
    viewport: { width: 1440, height: 900 },
  });
  return await context.newPage();
}

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto("/sign-in");
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.locator("form[action='/sign-in'] button").first().click();
  await page.waitForURL(({ pathname }) => pathname !== "/sign-in");
}

/** Olga invites somebody by a link that she copies. */
async function invite(olga: Page, email: string, role: string): Promise<string> {
  await olga.goto("/organizations/acme/settings");
  const form = olga.locator("form:has([name=action][value=invite])");
  await form.locator("[name=email]").fill(email);
  await form.locator("[name=role]").selectOption(role);
  await form.locator("[name=way]").selectOption("link");
  await form.locator("[name=action][value=invite]").click();
  return await olga.locator("#invite-link").innerText();
}

/** Makes an account by the link of an invitation. */
async function join(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  assert.ok(!page.url().includes("invite="), "the token is out of the address");
  await page.fill("[name=name]", name);
  await page.fill("[name=password]", PASSWORD);
  await page.locator("form[action='/join'] button").click();
  await page.waitForURL("**/projects");
}

/** Answers with the status of a page, as this person sees it. */
async function statusOf(page: Page, path: string): Promise<number> {
  return (await page.goto(path))?.status() ?? 0;
}

/** Ivan: an administrator who reads Russian, and has an authenticator app. */
async function ivanComesByCode(world: Office, olga: Page): Promise<Page> {
  const ivan = await sitDown(world, "ru-RU");
  const link = await invite(olga, "ivan@example.com", "admin");
  await join(ivan, link, "Иван");
  await ivan.goto("/account/security/authenticator");
  await ivan.locator("main details summary").click();
  const secret = await ivan.locator("#totp-secret").innerText();
  const totp = new TOTP({ secret });
  await ivan.fill("[name=code]", totp.generate());
  await ivan.getByRole("button", { name: "Использовать это приложение" }).click();
  await ivan.waitForSelector("#recovery-codes");

  await ivan.context().clearCookies();
  await signIn(ivan, "ivan@example.com");
  assert.equal(new URL(ivan.url()).pathname, "/sign-in/second-factor");
  // The code that set the app up is spent: the next one is half a minute younger.
  await ivan.fill("[name=code]", totp.generate({ timestamp: Date.now() + 30_000 }));
  await ivan.locator("form button").first().click();
  await ivan.waitForURL("**/projects");
  return ivan;
}

/** Pia: a manager with a passkey and no need of a password. */
async function piaComesByPasskey(world: Office, olga: Page): Promise<Page> {
  const pia = await sitDown(world);
  await join(pia, await invite(olga, "pia@example.com", "manager"), "Pia");
  const cdp = await pia.context().newCDPSession(pia);
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
  await pia.goto("/account/security");
  await pia.fill("[name=passkeyName]", "Pia's laptop");
  await pia.getByRole("button", { name: "Add a passkey" }).click();
  await pia.waitForURL("**/account/security/recovery-codes");
  await pia.context().clearCookies();
  await pia.goto("/sign-in");
  // The authenticator answers to what the field suggests.
  await pia.waitForURL("**/projects");
  return pia;
}

/** Sam: a member whom the company's directory knows. */
async function samComesByProvider(world: Office, olga: Page): Promise<Page> {
  const sam = await sitDown(world);
  world.idp.person = {
    sub: "sam-1",
    email: "sam@example.com",
    email_verified: true,
    name: "Sam",
  };
  await sam.goto(await invite(olga, "sam@example.com", "member"));
  await sam.getByRole("link", { name: "Sign in with Test ID" }).click();
  await sam.waitForURL(({ pathname }) => pathname === "/join" || pathname === "/projects");
  const joins = sam.locator("form[action='/join'] button");
  if (await joins.count() > 0) await joins.click();
  await sam.waitForURL("**/projects");
  return sam;
}

/** Vera: a viewer who reads Russian and forgets her password. */
async function veraForgets(world: Office, olga: Page): Promise<Page> {
  const vera = await sitDown(world, "ru-RU");
  await join(vera, await invite(olga, "vera@example.com", "viewer"), "Вера");
  await vera.context().clearCookies();
  await vera.goto("/forgot-password");
  await vera.fill("[name=email]", "vera@example.com");
  await vera.locator("form:has([name=email]) button").first().click();
  const letter = await waitFor(
    "the letter that resets the password",
    () =>
      world.mail.mails.find((mail) =>
        mail.to.includes("vera@example.com") && readable(mail).includes("/reset-password?")
      ),
  );
  const [link] = /http:\/\/localhost:\d+\/reset-password\?token=[\w-]+/.exec(readable(letter)) ??
    [];
  assert.ok(link !== undefined);
  await vera.goto(link);
  await vera.fill("[name=password]", "another four unrelated words");
  await vera.locator("form:has([name=password]) button").first().click();
  await vera.waitForURL(({ pathname }) => pathname === "/sign-in");
  await signIn(vera, "vera@example.com", "another four unrelated words");
  return vera;
}

/** What of an organization each role may open, as `docs/rights.md` says it. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  "/organizations/acme/settings": ["viewer", "member", "admin", "manager", "owner"],
  "/organizations/acme/settings/teams": ["viewer", "member", "admin", "manager", "owner"],
  "/organizations/acme/settings/tokens": ["member", "admin", "manager", "owner"],
  "/organizations/acme/settings/audit": ["manager", "owner"],
  "/organizations/acme/settings/end-users": ["manager", "owner"],
};

Deno.test({
  name:
    "a team of five gets in by link, code, passkey, provider and a new password, and each sees what their role may",
  ignore: CHROMIUM === null,
  async fn() {
    await using world = await office();
    const olga = await sitDown(world);
    const complaints = complaintsOf(olga);
    await signIn(olga, "olga@example.com");
    const team = {
      owner: olga,
      admin: await ivanComesByCode(world, olga),
      manager: await piaComesByPasskey(world, olga),
      member: await samComesByProvider(world, olga),
      viewer: await veraForgets(world, olga),
    };

    for (const [path, roles] of Object.entries(PAGES)) {
      for (const [role, page] of Object.entries(team)) {
        const status = await statusOf(page, path);
        assert.equal(status < 400, roles.includes(role), `${path} as ${role}: ${status}`);
      }
    }
    assert.equal(await statusOf(team.admin, "/organizations/acme/settings"), 200);
    assert.match(await team.admin.innerText("main"), /Участники/);
    assert.equal(await statusOf(team.viewer, "/organizations/acme/settings/audit"), 403);
    assert.match(await team.viewer.innerText("body"), /Недостаточно прав/);
    assert.equal(await statusOf(team.member, "/organizations/acme/settings"), 200);
    assert.match(await team.member.innerText("main"), /Members/);

    await olga.goto("/organizations/acme/settings/audit");
    const log = textOf(await olga.content());
    for (const event of ["member.invite", "member.accept-invite"]) {
      assert.match(log, new RegExp(event));
    }
    await olga.goto("/instance/audit");
    const all = textOf(await olga.content());
    for (const person of ["ivan", "pia", "sam", "vera"]) {
      assert.match(all, new RegExp(`${person}@example.com`));
    }
    for (const event of ["user.sign-in", "user.password-reset"]) {
      assert.match(all, new RegExp(event.replace(".", "\\.")));
    }
    assert.deepEqual(complaints.filter((text) => !/40[34]/.test(text)), []);
  },
});
