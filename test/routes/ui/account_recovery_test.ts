import assert from "node:assert/strict";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { resetAtConsole } from "@/lib/server/account/reset_at_console.ts";
import { mailServer, readable, smtpTo } from "../../support/mail_server.ts";
import { PASSWORD } from "../../support/people.ts";
import { acme, textOf, type UiApp } from "../../support/ui_app.ts";
import { sentMails } from "../../support/sent_mails.ts";
import { waitFor } from "../../support/wait_for.ts";

/** Nobody answers there: what is sent waits in the queue, to be looked at. */
const AWAY = { ...smtpTo({ port: 9 }), host: "127.0.0.1" };
const NEXT = "entirely different words now";

/** The path and query of the link in a mail. */
function linkIn(text: string, path: string): string {
  const link = new RegExp(`https?://[^\\s"]*?(${path}\\?token=[\\w-]+)`).exec(text)?.[1];
  assert.ok(link, text);
  return link;
}

/** The newest mail in the queue whose subject has these words. */
async function mailAbout(app: UiApp, words: RegExp) {
  return await waitFor(
    `a mail about ${words}`,
    async () => (await sentMails(app.services.sql)).findLast(({ subject }) => words.test(subject)),
  );
}

Deno.test("a link in a mail leads to a new password, once, and ends all sessions", async () => {
  await using app = await acme({ smtp: AWAY });
  const visitor = app.visitor();
  const asked = await visitor.post("/forgot-password", { email: " OLGA@example.com " });
  assert.equal(asked.status, 200);
  const { text } = await mailAbout(app, /Choose a new password/);
  const link = linkIn(text, "/reset-password");

  // The token leaves the address at once, and nothing happens by looking.
  const opened = await visitor.get(link);
  assert.equal(opened.location, "/reset-password");
  assert.equal(opened.headers.get("referrer-policy"), "no-referrer");
  assert.equal(opened.headers.get("cache-control"), "no-store");
  const page = await visitor.get("/reset-password");
  assert.match(textOf(page.html), /For olga@example\.com/);
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  assert.equal((await app.owner.get("/projects")).status, 200);

  assert.equal((await visitor.post("/reset-password", { password: "short" })).status, 422);
  const done = await visitor.post("/reset-password", { password: NEXT });
  assert.equal(done.location, "/sign-in");
  assert.equal((await app.owner.get("/projects")).status, 303);
  assert.equal((await visitor.get("/projects")).status, 303);
  assert.equal((await visitor.signIn("olga@example.com", PASSWORD)).status, 422);
  assert.equal((await visitor.signIn("olga@example.com", NEXT)).status, 303);
  assert.match((await mailAbout(app, /Your password was changed/)).text, /choose a new password/);
  assert.ok((await findUserByEmail(app.services.kv, "olga@example.com"))?.emailVerifiedAt);

  const thief = app.visitor();
  await thief.get(link);
  assert.equal((await thief.get("/reset-password")).status, 410);
  assert.equal((await thief.post("/reset-password", { password: NEXT })).status, 410);
});

Deno.test("who asks for a new password is told the same, whether there is such an account or not", async () => {
  await using app = await acme({ smtp: AWAY });
  const ask = async (email: string) => {
    const { status, html } = await app.visitor().post("/forgot-password", { email });
    return { status, text: textOf(html).replaceAll(email, "…") };
  };
  const known = await ask("olga@example.com");
  for (const email of ["nobody@example.com", "olga+x@example.com", "оlga@example.com", "\0x"]) {
    assert.deepEqual(await ask(email), known);
  }
  await mailAbout(app, /Choose a new password/);
  assert.equal((await sentMails(app.services.sql)).length, 1);
});

Deno.test("a newer link ends the older one, and a link for one thing is none for another", async () => {
  await using app = await acme({ smtp: AWAY });
  const visitor = app.visitor();
  await visitor.post("/forgot-password", { email: "olga@example.com" });
  const first = await mailAbout(app, /Choose a new password/);
  await visitor.post("/forgot-password", { email: "olga@example.com" });
  const second = await waitFor("a second mail", async () => {
    const mails = await sentMails(app.services.sql);
    return mails.length > 1 ? mails.find(({ id }) => id !== first.id) ?? null : null;
  });
  await visitor.get(linkIn(first.text, "/reset-password"));
  assert.equal((await visitor.get("/reset-password")).status, 410);
  const newer = linkIn(second.text, "/reset-password");
  await visitor.get(newer.replace("/reset-password", "/email/undo"));
  assert.equal((await visitor.get("/email/undo")).status, 410);
  await visitor.get(newer);
  assert.equal((await visitor.get("/reset-password")).status, 200);
});

Deno.test("asking too often is answered with 429, and one mailbox is not filled", async () => {
  await using app = await acme({ smtp: AWAY });
  const answers = [];
  for (let i = 0; i < 21; i++) {
    answers.push(await app.visitor().post("/forgot-password", { email: "olga@example.com" }));
  }
  assert.equal(answers.at(-1)?.status, 429);
  assert.ok(Number(answers.at(-1)?.headers.get("retry-after")) > 0);
  await mailAbout(app, /Choose a new password/);
  assert.ok((await sentMails(app.services.sql)).length <= 3);
});

Deno.test("without a mail server the page says who can help", async () => {
  await using app = await acme();
  const { html } = await app.visitor().get("/forgot-password");
  assert.match(textOf(html), /sends no email\. Its administrator can give you a link/);
});

Deno.test("a new email holds once its link was opened; the former one can take it back for a week", async () => {
  await using app = await acme({ smtp: AWAY });
  const { owner } = app;
  const email = "Olga.Neu+watch@Example.org";
  await owner.post("/account", { action: "email", email });
  const change = await mailAbout(app, /Confirm your new email/);
  assert.deepEqual(change.to, ["olga.neu+watch@example.org"]);
  const notice = await mailAbout(app, /Your email is being changed/);
  assert.deepEqual(notice.to, ["olga@example.com"]);
  assert.equal((await app.visitor().signIn("olga@example.com")).status, 303);

  await owner.get(linkIn(change.text, "/email/change"));
  assert.match(textOf((await owner.get("/email/change")).html), /olga\.neu\+watch@example\.org/);
  assert.equal((await owner.post("/email/change")).status, 303);
  assert.equal((await app.visitor().signIn("olga@example.com")).status, 422);
  assert.equal((await app.visitor().signIn("olga.neu+watch@example.org")).status, 303);
  assert.equal((await app.visitor().signIn("olga.neu@example.org")).status, 422);

  const rightful = app.visitor();
  await rightful.get(linkIn(notice.text, "/email/undo"));
  assert.equal((await rightful.post("/email/undo")).location, "/forgot-password");
  assert.equal((await owner.get("/projects")).status, 303);
  assert.equal((await app.visitor().signIn("olga@example.com")).status, 303);
});

Deno.test("an email that somebody else has is not told, and not taken", async () => {
  await using app = await acme({ smtp: AWAY });
  const { user } = await app.member("member");
  const taken = await app.owner.post("/account", { action: "email", email: user.email });
  const free = await app.owner.post("/account", { action: "email", email: "free@example.com" });
  assert.equal(taken.status, free.status);
  await mailAbout(app, /Confirm your new email/);
  const mails = await sentMails(app.services.sql);
  assert.ok(mails.every(({ to }) => !to.includes(user.email)));
});

Deno.test("the mail server of the settings gets such a mail", async () => {
  await using mail = await mailServer();
  await using app = await acme({ smtp: smtpTo(mail) });
  await app.visitor().post("/forgot-password", { email: "olga@example.com" });
  const received = await waitFor("the mail", () => mail.mails[0]);
  assert.deepEqual(received.to, ["olga@example.com"]);
  assert.match(readable(received), /reset-password\?token=[\w-]{43}/);
});

Deno.test("at the console a password is set, also where a second factor is lost", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const done = await resetAtConsole(kv, {
    email: "olga@example.com",
    password: NEXT,
    dropsFactors: true,
  });
  assert.match(done, /olga@example\.com is set/);
  assert.equal((await app.owner.get("/projects")).status, 303);
  assert.equal((await app.visitor().signIn("olga@example.com", NEXT)).location, "/projects");
  await assert.rejects(
    resetAtConsole(kv, { email: "nobody@example.com", password: NEXT, dropsFactors: false }),
    /no account/,
  );
});

Deno.test("a sign-in from a browser that the account does not know is mailed, in the person's language; one from a known browser is not", async () => {
  await using app = await acme({ smtp: AWAY });
  const { sql } = app.services;
  await app.owner.post("/account/language", { language: "ru", timeZone: "Europe/Moscow" });
  await app.owner.signIn("olga@example.com");
  assert.deepEqual(await sentMails(sql), []);
  await app.visitor().signIn("olga@example.com");
  const { text, to } = await mailAbout(app, /Вход с нового устройства/);
  assert.deepEqual(to, ["olga@example.com"]);
  assert.match(text, /Время: \d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d/);
  assert.match(text, /\/account\/sessions/);
});

Deno.test("an email is confirmed by the button behind the link that is sent to it", async () => {
  await using app = await acme({ smtp: AWAY });
  const { owner, services: { kv } } = app;
  assert.match(textOf((await owner.get("/account")).html), /Not confirmed/);
  await owner.post("/account", { action: "verify" });
  const { text } = await mailAbout(app, /Confirm your email/);
  const scanner = app.visitor();
  await scanner.get(linkIn(text, "/email/verify"));
  await scanner.get("/email/verify");
  assert.equal((await findUserByEmail(kv, "olga@example.com"))?.emailVerifiedAt, undefined);
  await owner.get(linkIn(text, "/email/verify"));
  assert.equal((await owner.post("/email/verify")).location, "/account");
  assert.ok((await findUserByEmail(kv, "olga@example.com"))?.emailVerifiedAt);
  assert.equal((await scanner.post("/email/verify")).status, 410);
  assert.equal((await owner.get("/email/nonsense")).status, 404);
});
