import assert from "node:assert/strict";
import type { SmtpConfig } from "@/lib/core/config.ts";
import { type Mail, MailFailure, sendMail } from "@/lib/alerts/channels/email.ts";
import { mailServer } from "@/test/support/mail_server.ts";

const MAIL: Mail = {
  to: ["ann@example.com", "bob@example.com"],
  subject: "[Critical] größer als 1 s",
  text: "It was above 1 s.\n",
  html: "<p>It was above 1 s.</p>",
  messageId: "<1@watchpost.example.com>",
  references: "<incident@watchpost.example.com>",
};

async function failureOf(sent: Promise<unknown>): Promise<MailFailure> {
  try {
    await sent;
  } catch (error) {
    if (error instanceof MailFailure) return error;
    throw error;
  }
  throw new Error("The mail was taken");
}

function configOf(port: number, changes: Partial<SmtpConfig> = {}): SmtpConfig {
  const from = "Watchpost <alerts@example.com>";
  return { host: "localhost", port, security: "none", login: null, from, ...changes };
}

Deno.test("sendMail() hands a mail to the server, with its ids and both forms of the text", async () => {
  await using server = await mailServer();
  const taken = await sendMail(configOf(server.port), MAIL);
  assert.deepEqual([taken.code, taken.rejected], [250, []]);
  const [mail] = server.mails;
  assert.deepEqual(mail?.to, ["ann@example.com", "bob@example.com"]);
  assert.equal(mail?.from, "alerts@example.com");
  assert.match(mail?.text ?? "", /^From: Watchpost <alerts@example\.com>$/m);
  assert.match(mail?.text ?? "", /^Subject: =\?UTF-8\?/m);
  assert.match(mail?.text ?? "", /^Message-ID: <1@watchpost\.example\.com>$/m);
  assert.match(mail?.text ?? "", /^References: <incident@watchpost\.example\.com>$/m);
  assert.match(mail?.text ?? "", /^Auto-Submitted: auto-generated$/m);
  assert.match(mail?.text ?? "", /^It was above 1 s\.$/m);
  assert.match(mail?.text ?? "", /<p>It was above 1 s\.<\/p>/);
});

Deno.test("sendMail() logs in over STARTTLS, and over TLS from the first byte", async () => {
  const login = { user: "alerts", password: "open sesame" };
  for (const security of ["starttls", "tls"] as const) {
    await using server = await mailServer({ login, isImplicitTls: security === "tls" });
    await sendMail(configOf(server.port, { security, login }), MAIL, { ca: server.ca });
    assert.equal(server.mails.length, 1);
    assert.equal(server.mails[0]?.isSecure, true);
  }
});

Deno.test("sendMail() sends nothing in the clear when it shall be encrypted", async () => {
  await using server = await mailServer({ hasNoTls: true });
  const failure = await failureOf(sendMail(configOf(server.port, { security: "starttls" }), MAIL));
  assert.equal(failure.isPermanent, false);
  assert.equal(server.mails.length, 0);
});

Deno.test("sendMail() trusts no certificate that nobody vouches for", async () => {
  await using server = await mailServer();
  const failure = await failureOf(sendMail(configOf(server.port, { security: "starttls" }), MAIL));
  assert.equal(failure.isPermanent, false);
  assert.equal(server.mails.length, 0);
});

Deno.test("sendMail() tells what is worth trying again from what is not", async () => {
  await using server = await mailServer({ login: { user: "alerts", password: "right" } });
  const wrong = configOf(server.port, { login: { user: "alerts", password: "wrong" } });
  const denied = await failureOf(sendMail(wrong, MAIL));
  assert.deepEqual([denied.code, denied.isPermanent], [535, false]);

  await using busy = await mailServer({ refuseWith: { code: 451, text: "try later" } });
  const later = await failureOf(sendMail(configOf(busy.port), MAIL));
  assert.deepEqual([later.code, later.isPermanent], [451, false]);
  assert.match(later.message, /try later/);

  await using strict = await mailServer({ refuseWith: { code: 550, text: "no such user" } });
  const never = await failureOf(sendMail(configOf(strict.port), MAIL));
  assert.deepEqual([never.code, never.isPermanent], [550, true]);
});

Deno.test("sendMail() names the recipients that the server does not take, while it takes others", async () => {
  await using server = await mailServer({ refusedRecipient: "bob@example.com" });
  const { rejected } = await sendMail(configOf(server.port), MAIL);
  assert.deepEqual(rejected, ["bob@example.com"]);
  assert.deepEqual(server.mails[0]?.to, ["ann@example.com"]);
});

Deno.test("sendMail() gives up on a server that says nothing, and on one that is not there", async () => {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const accepted = listener.accept();
  const silent = sendMail(configOf(listener.addr.port, { host: "127.0.0.1" }), MAIL, {
    timeoutMs: 150,
  });
  assert.match((await failureOf(silent)).message, /Greeting never received|took longer/);
  (await accepted).close();
  const { port } = listener.addr;
  listener.close();
  const absent = sendMail(configOf(port, { host: "127.0.0.1" }), MAIL);
  assert.equal((await failureOf(absent)).isPermanent, false);
});
