import assert from "node:assert/strict";
import { keyOf, prefixOf } from "@/lib/accounts/kv.ts";
import { sha256 } from "@/lib/accounts/secrets.ts";
import { addUpdate, createPost } from "@/lib/monitors/status/posts.ts";
import { startStatusPages } from "@/lib/monitors/status/start.ts";
import { subscribe } from "@/lib/monitors/status/subscribers.ts";
import { mailServer, readable, type ReceivedMail, smtpTo } from "../support/mail_server.ts";
import { INCIDENT, type StatusSite, statusSite } from "../support/status_site.ts";
import { textOf } from "../support/ui_app.ts";

/** The path of the link with a token that a mail has. */
function linkOf(mail: ReceivedMail | undefined, kind: string): string {
  assert.ok(mail);
  const [link] = new RegExp(`http://localhost:8000/status/acme/${kind}\\?subscription=[\\w-]+`)
    .exec(readable(mail)) ?? [];
  assert.ok(link, readable(mail));
  return link.slice("http://localhost:8000".length);
}

async function post(site: StatusSite, path: string, fields: Record<string, string> = {}) {
  return await site.ask(path, { method: "POST", body: new URLSearchParams(fields) });
}

async function subscribers({ services, organization }: StatusSite): Promise<number> {
  const prefix = prefixOf.statusSubscribers(organization.id);
  return (await Array.fromAsync(services.kv.list({ prefix }))).length;
}

Deno.test("an address is told after its owner has confirmed it by a button, and no more after the end", async () => {
  await using mails = await mailServer({ hasNoTls: true });
  await using site = await statusSite({}, { smtp: smtpTo(mails) });
  assert.match(
    await (await site.ask("/status/acme")).text(),
    /<form method="post" action="\/status\/acme\/subscribe"/,
  );

  const asked = await post(site, "/status/acme/subscribe", { email: " Ann@Example.com" });
  assert.match(textOf(await asked.text()), /Check your mailbox/);
  assert.equal(asked.headers.get("set-cookie"), null);
  assert.deepEqual(mails.mails.map(({ to }) => to), [["ann@example.com"]]);
  const confirm = linkOf(mails.mails[0], "confirm");
  // Programs that check mails open every link.
  assert.match(textOf(await (await site.ask(confirm)).text()), /Confirm your subscription/);
  assert.equal(await subscribers(site), 0);
  const [, token] = confirm.split("subscription=");
  assert.match(
    await (await post(site, "/status/acme/confirm", { subscription: token ?? "" })).text(),
    /You are subscribed/,
  );
  assert.equal(await subscribers(site), 1);

  const { kv } = site.services;
  await using worker = workerOf(site);
  await createPost(kv, site.organization.id, INCIDENT, { by: "", isTold: true });
  await worker.run();
  const told = mails.mails[1];
  assert.match(
    readable(told),
    /^Subject: =.*Investigating[^]*\n\nInvestigating: Checkout fails/m,
  );
  assert.match(readable(told), /^List-Unsubscribe:\s+<http:\/\/localhost:8000/im);
  assert.match(
    readable(told),
    /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im,
  );

  const end = linkOf(told, "unsubscribe");
  assert.equal((await site.ask(end)).status, 200);
  assert.equal(await subscribers(site), 1);
  // As mail programs do it by themselves, RFC 8058.
  assert.equal((await post(site, end, { "List-Unsubscribe": "One-Click" })).status, 200);
  assert.equal(await subscribers(site), 0);
});

Deno.test("links of mails cannot be made, used for something else, or for another page", async () => {
  await using mails = await mailServer({ hasNoTls: true });
  await using site = await statusSite({}, { smtp: smtpTo(mails) });
  await post(site, "/status/acme/subscribe", { email: "ann@example.com" });
  const link = linkOf(mails.mails[0], "confirm");
  const [, token = ""] = link.split("subscription=");
  const damaged = (token.startsWith("A") ? "B" : "A") + token.slice(1);
  for (
    const path of [
      `/status/acme/unsubscribe?subscription=${token}`,
      `/status/acme/confirm?subscription=${damaged}`,
      "/status/acme/confirm?subscription=",
      "/status/acme/confirm?subscription=%00%ff!",
      "/status/acme/confirm",
    ]
  ) {
    assert.equal((await post(site, path)).status, 400, path);
    assert.equal((await site.ask(path)).status, 400, path);
  }
  assert.equal(await subscribers(site), 0);
});

Deno.test("a mailbox and a client can ask for a few mails an hour", async () => {
  await using mails = await mailServer({ hasNoTls: true });
  await using site = await statusSite({}, { smtp: smtpTo(mails) });
  for (let time = 0; time < 3; time++) {
    assert.equal(
      (await post(site, "/status/acme/subscribe", { email: "ann@example.com" })).status,
      200,
    );
  }
  const late = await post(site, "/status/acme/subscribe", { email: "ann@example.com" });
  assert.equal(late.status, 429);
  assert.ok(Number(late.headers.get("retry-after")) > 3_000);
  assert.equal((await post(site, "/status/acme/subscribe", { email: "no address" })).status, 422);
  for (let time = 0; time < 7; time++) {
    assert.equal(
      (await post(site, "/status/acme/subscribe", { email: `a${time}@example.com` })).status,
      200,
    );
  }
  assert.equal(
    (await post(site, "/status/acme/subscribe", { email: "b@example.com" })).status,
    429,
  );
  assert.equal(mails.mails.length, 10);
});

Deno.test("each update is told once, whoever works on it, and only to who was there already", async () => {
  await using mails = await mailServer({ hasNoTls: true, refusedRecipient: "gone@example.com" });
  await using site = await statusSite({}, { smtp: smtpTo(mails) });
  const { kv } = site.services;
  const { id } = site.organization;
  for (
    const email of ["ann@example.com", "bob@example.com", "gone@example.com", "zoe@example.com"]
  ) {
    await subscribe(kv, id, email, new Date(Date.now() - 1_000));
  }
  const incident = await createPost(kv, id, INCIDENT, { by: "", isTold: true });
  await subscribe(kv, id, "late@example.com", new Date(Date.now() + 60_000));
  await using one = workerOf(site);
  await using other = workerOf(site);
  await Promise.all([one.run(), other.run()]);
  await Promise.all([one.run(), other.run()]);
  const receivers = () => mails.mails.map(({ to }) => to[0]).sort();
  assert.deepEqual(receivers(), ["ann@example.com", "bob@example.com", "zoe@example.com"]);

  await addUpdate(kv, id, incident.postId, { state: "monitoring", text: "Wait." }, {
    by: "",
    isTold: false,
  });
  await addUpdate(kv, id, incident.postId, { state: "resolved", text: "Fixed." }, {
    by: "",
    isTold: true,
  });
  await one.run();
  await other.run();
  assert.equal(mails.mails.length, 6);
  assert.equal(mails.mails.filter((mail) => /^Subject: =.*Resolved/m.test(mail.text)).length, 3);
  const ids = mails.mails.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1]);
  assert.equal(new Set(ids).size, 6);
});

Deno.test("what was begun is gone on with: those who were told are told no second time", async () => {
  await using mails = await mailServer({ hasNoTls: true });
  await using site = await statusSite({}, { smtp: smtpTo(mails) });
  const { kv } = site.services;
  const { id } = site.organization;
  const emails = ["ann@example.com", "bob@example.com", "zoe@example.com"];
  for (const email of emails) await subscribe(kv, id, email, new Date(Date.now() - 1_000));
  const { updates: [update] } = await createPost(kv, id, INCIDENT, { by: "", isTold: true });
  const [first, ...others] = emails.toSorted((a, b) => sha256(a) < sha256(b) ? -1 : 1);
  const key = keyOf.statusMail(id, update?.updateId ?? "");
  const { value } = await kv.get<object>(key);
  await kv.set(key, { ...value, toldUpTo: sha256(first ?? "") });

  await using worker = workerOf(site);
  await worker.run();
  assert.deepEqual(mails.mails.map(({ to }) => to[0]), others);
  assert.equal((await kv.get(key)).value, null);
});

Deno.test("while the mail server is away, telling waits", async () => {
  const mails = await mailServer({ hasNoTls: true });
  await mails[Symbol.asyncDispose]();
  await using site = await statusSite({}, { smtp: smtpTo(mails) });
  const { kv } = site.services;
  await subscribe(kv, site.organization.id, "ann@example.com", new Date(Date.now() - 1_000));
  const { updates: [update] } = await createPost(kv, site.organization.id, INCIDENT, {
    by: "",
    isTold: true,
  });
  await using worker = workerOf(site);
  await worker.run();
  const { value } = await kv.get<{ attempts: number; dueAt: Date }>(
    keyOf.statusMail(site.organization.id, update?.updateId ?? ""),
  );
  assert.equal(value?.attempts, 1);
  assert.ok(value.dueAt.getTime() > Date.now() + 30_000);
  const refused = await post(site, "/status/acme/subscribe", { email: "ann@example.com" });
  assert.equal(refused.status, 503);
});

function workerOf({ services }: StatusSite) {
  const worker = startStatusPages({ ...services, pollMs: null });
  return { run: worker.run, [Symbol.asyncDispose]: worker.close };
}
