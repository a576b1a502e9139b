import assert from "node:assert/strict";
import { createProject, type Project } from "@/lib/accounts/projects.ts";
import { addChannel } from "@/lib/alerts/channels/settings.ts";
import { findMetrics } from "@/lib/metrics/mod.ts";
import { listMonitors } from "@/lib/monitors/uptime/monitors.ts";
import { storedDomain, storedMonitor } from "../../support/stored_monitors.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";
import { waitFor } from "../../support/wait_for.ts";
import { webhookReceiver } from "../../support/webhook_receiver.ts";

const ALLOWED = {
  monitorAllow: [{ host: "127.0.0.1", port: null }],
  allowPrivateWebhooks: true,
};

async function shop(app: Acme): Promise<Project> {
  return await createProject(app.services.kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "node",
  });
}

const FORM = {
  action: "save",
  kind: "http",
  name: "Front page",
  method: "GET",
  interval: "20",
  timeout: "5",
  tries: "1",
  recoveries: "1",
  certificateDays: "30, 14",
  expectedStatus: "200-299",
  maxRedirects: "5",
  family: "any",
};

Deno.test("a site that breaks is an incident, told by one webhook, and its end by another", async () => {
  await using app = await acme(ALLOWED);
  await using site = webhookReceiver();
  await using hook = webhookReceiver();
  const { id } = await shop(app);
  const { services, owner } = app;
  const { channel } = await addChannel(services, id, "webhook", {
    name: "Ops",
    url: `${hook.origin}/ops`,
  }, "");

  assert.match(
    (await owner.get(`/projects/${id}/monitors`)).html,
    /Nothing is watched from outside yet/,
  );
  const made = await owner.post(`/projects/${id}/monitors/new`, {
    ...FORM,
    url: `${site.origin}/`,
    channel: channel.channelId,
  });
  assert.equal(made.status, 303, textOf(made.html));
  const page = made.location ?? "";
  await waitFor("the first check", async () => {
    const { html } = await owner.get(page);
    return textOf(html).includes("Not measured http") ? null : html;
  });
  assert.match(
    site.received[0]?.headers.get("traceparent") ?? "",
    /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/,
  );

  site.answerWith(() => new Response("broken", { status: 503 }));
  // As if the interval were over.
  const hurry = () =>
    services.sql`
    update uptime_monitors set due_at = date_trunc('milliseconds', now()) where claimed_by is null and due_at > now() + interval '2 s'
  `;
  await hurry();
  await waitFor("the webhook", () => hook.received[0]);
  const { html: down } = await owner.get(page);
  assert.match(textOf(down), /It is down .*503/);
  const incident = /href="([^"]+\/incidents\/[^"]+)"/.exec(down)?.[1] ?? "";
  const seen = await owner.get(incident);
  assert.equal(seen.status, 200);
  assert.match(textOf(seen.html), /Front page is down goes on.*So far .*Status 503/);
  const list = textOf((await owner.get(`/projects/${id}/monitors`)).html);
  assert.match(list, /Down Front page The response has status 503/);

  const commented = await owner.post(incident, { comment: "<b>Disk was full</b>" });
  assert.equal(commented.status, 303);
  assert.match(
    (await owner.get(incident)).html,
    /&lt;b>Disk was full&lt;\/b>|&lt;b&gt;Disk was full/,
  );

  site.answerWith(() => new Response("fine"));
  await hurry();
  await waitFor("the second webhook", () => hook.received[1]);
  assert.equal(hook.received.length, 2);
  assert.match(hook.received[0]?.text ?? "", /Front page is down/);
  assert.match(hook.received[1]?.text ?? "", /Front page is up again after/);
  assert.match(textOf((await owner.get(incident)).html), /Front page was down over.*Lasted/);
  await waitFor("the metric", async () => {
    const [metric] = await findMetrics(services.sql, id, "uptime.up");
    return metric;
  });
});

Deno.test("the form of a kind without certificates does not ask about them", async () => {
  await using app = await acme(ALLOWED);
  const { id } = await shop(app);
  const textFor = async (kind: string) =>
    textOf((await app.owner.get(`/projects/${id}/monitors/new?kind=${kind}`)).html);
  assert.match(await textFor("tls"), /Certificate and domain warnings/);
  assert.doesNotMatch(await textFor("dns"), /Certificate and/);
  assert.match(await textFor("dns"), /Domain name/);
});

Deno.test("a try shows what a check sees, and stores nothing", async () => {
  await using app = await acme(ALLOWED);
  await using site = webhookReceiver();
  const { id } = await shop(app);
  const form = { ...FORM, action: "try", url: `${site.origin}/` };
  const up = await app.owner.post(`/projects/${id}/monitors/new`, form);
  assert.equal(up.status, 200);
  assert.match(textOf(up.html), /Result of the try It is up/);
  site.answerWith(() => new Response(null, { status: 404 }));
  const down = await app.owner.post(`/projects/${id}/monitors/new`, form);
  assert.match(textOf(down.html), /The check failed .*404/);
  const refused = await app.owner.post(`/projects/${id}/monitors/new`, {
    ...form,
    url: "http://169.254.169.254/",
  });
  assert.match(textOf(refused.html), /The check failed/);
  assert.equal((await listMonitors(app.services.sql, id)).length, 0);
});

Deno.test("a form with errors comes back with what was entered and a sentence at each field", async () => {
  await using app = await acme();
  const { id } = await shop(app);
  const answer = await app.owner.post(`/projects/${id}/monitors/new`, {
    ...FORM,
    name: "",
    url: "gopher://x",
    tries: "0",
    expectedStatus: "abc",
    timeout: "29",
  });
  assert.equal(answer.status, 422);
  const text = textOf(answer.html);
  for (
    const sentence of [
      "Give the monitor a name.",
      "Write an address that starts with https:// or http://.",
      "1 to 10 tries.",
      "Write statuses from 100 to 599",
    ]
  ) assert.ok(text.includes(sentence), sentence);
  assert.match(answer.html, /value="gopher:\/\/x"/);
  for (const kind of ["tcp", "tls", "dns", "ping"]) {
    const page = await app.owner.get(`/projects/${id}/monitors/new?kind=${kind}`);
    assert.equal(page.status, 200, kind);
    const sent = await app.owner.post(`/projects/${id}/monitors/new`, { action: "save", kind });
    assert.equal(sent.status, 422, kind);
  }
});

Deno.test("secrets are never shown, are kept by asterisks, and do not follow to another host", async () => {
  await using app = await acme(ALLOWED);
  const { id } = await shop(app);
  const { owner, services } = app;
  const secret = {
    url: "http://127.0.0.1:9/",
    headers: "Authorization: Bearer s3cret-1\nAccept: text/html",
    user: "eve",
    password: "pa55word-2",
  };
  const made = await owner.post(`/projects/${id}/monitors/new`, { ...FORM, ...secret });
  const page = made.location ?? "";
  const edit = await owner.get(`${page}/edit`);
  for (
    const { html } of [edit, await owner.get(page), await owner.get(`/projects/${id}/monitors`)]
  ) {
    assert.doesNotMatch(html, /s3cret-1|pa55word-2/);
  }
  const headers = "Authorization: ********\nAccept: text/html";
  const kept = { ...FORM, ...secret, headers, password: "********" };
  const renamed = await owner.post(`${page}/edit`, { ...kept, name: "Renamed" });
  assert.equal(renamed.status, 303, textOf(renamed.html));
  const moved = await owner.post(`${page}/edit`, { ...kept, url: "http://127.0.0.1:10/" });
  assert.equal(moved.status, 422);
  assert.match(textOf(moved.html), /enter the values of headers and the password again/);
  assert.equal((await listMonitors(services.sql, id))[0]?.name, "Renamed");
});

Deno.test("pausing, maintenance and deleting work without script", async () => {
  await using app = await acme(ALLOWED);
  const { id } = await shop(app);
  const { owner, services } = app;
  const made = await owner.post(`/projects/${id}/monitors/new`, {
    ...FORM,
    url: "http://127.0.0.1:9/",
  });
  const page = made.location ?? "";
  assert.equal((await owner.post(page, { action: "pause" })).status, 303);
  assert.match(textOf((await owner.get(page)).html), /This monitor is paused/);
  await owner.post(page, { action: "resume" });
  const weekly = {
    action: "add_window",
    window_kind: "weekly",
    day: "0",
    from: "22:00",
    to: "23:30",
    timeZone: "Europe/Berlin",
    note: "<i>backup</i>",
  };
  assert.equal((await owner.post(page, weekly)).status, 303);
  const withWindow = await owner.get(page);
  assert.match(textOf(withWindow.html), /Sun 22:00–23:30, Europe\/Berlin/);
  assert.doesNotMatch(withWindow.html, /<i>backup/);
  const wrong = await owner.post(page, { ...weekly, timeZone: "Mars" });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /Name a time zone/);
  const once = {
    action: "add_window",
    window_kind: "once",
    start: "2030-01-01T10:00",
    end: "2030-01-01T09:00",
  };
  assert.match(textOf((await owner.post(page, once)).html), /A window ends after it begins/);
  assert.equal((await owner.post(page, { action: "remove_window", window: "0" })).status, 303);
  assert.equal((await owner.post(page, { action: "delete", confirm: "wrong" })).status, 422);
  assert.equal((await owner.post(page, { action: "delete", confirm: "Front page" })).status, 303);
  assert.equal((await listMonitors(services.sql, id)).length, 0);
  assert.equal((await owner.get(page)).status, 404);
  assert.equal((await owner.post(page, { action: "nonsense" })).status, 404);
});

Deno.test("the list is searched, filtered and sorted by its address, and shows names as text", async () => {
  await using app = await acme(ALLOWED);
  const { id } = await shop(app);
  const { owner } = app;
  for (const name of ["<script>alert(1)</script>", "Zebra", "Ant"]) {
    await owner.post(`/projects/${id}/monitors/new`, { ...FORM, name, url: "http://127.0.0.1:9/" });
  }
  const list = await owner.get(`/projects/${id}/monitors?sort=-name`);
  assert.match(
    list.html,
    /<input type="hidden" name="sort" value="-name"/,
    "a search keeps the order",
  );
  assert.doesNotMatch(list.html, /<script>alert/);
  assert.ok(list.html.indexOf("Zebra") < list.html.indexOf("Ant</"));
  const found = textOf((await owner.get(`/projects/${id}/monitors?query=zeb`)).html);
  assert.ok(found.includes("Zebra") && !found.includes("Ant http"));
  const none = await owner.get(`/projects/${id}/monitors?state=paused`);
  assert.match(textOf(none.html), /No monitor matches/);
});

Deno.test("the page of a monitor says when its domain ends, once its registry has told", async () => {
  await using app = await acme();
  const { id } = await shop(app);
  const { monitorId } = await storedMonitor(app.services, id);
  const page = `/projects/${id}/monitors/${monitorId}`;
  assert.doesNotMatch(textOf((await app.owner.get(page)).html), /Registered until/);
  await storedDomain(app.services, id, "example.com", 12);
  const text = textOf((await app.owner.get(page)).html);
  assert.match(text, /Domain Name example\.com Registered until .+ Days left 12/);
});

Deno.test("strangers see no monitor, and viewers change none", async () => {
  await using app = await acme(ALLOWED);
  const { id } = await shop(app);
  const made = await app.owner.post(`/projects/${id}/monitors/new`, {
    ...FORM,
    url: "http://127.0.0.1:9/",
  });
  const page = made.location ?? "";
  const nobody = app.visitor();
  const { visitor: viewer } = await app.member("viewer");
  const other = await acme(ALLOWED);
  await using _ = other;
  const { id: elsewhere } = await shop(other);
  for (const path of [`/projects/${id}/monitors`, page, `${page}/edit`, `${page}/incidents/x`]) {
    assert.equal((await nobody.get(path)).status, 303, path);
  }
  assert.equal((await viewer.get(page)).status, 200);
  assert.doesNotMatch((await viewer.get(page)).html, /value="pause"|Delete monitor/);
  for (const path of [`/projects/${id}/monitors/new`, `${page}/edit`]) {
    assert.equal((await viewer.get(path)).status, 403, path);
    assert.equal((await viewer.post(path, FORM)).status, 403, path);
  }
  assert.equal((await viewer.post(page, { action: "pause" })).status, 403);
  // The same monitor under a project of its own.
  const monitorId = page.split("/").at(-1);
  const second = await createProject(app.services.kv, {
    organizationId: app.organization.id,
    name: "Second",
    platform: "node",
  });
  assert.equal((await app.owner.get(`/projects/${second.id}/monitors/${monitorId}`)).status, 404);
  assert.ok(elsewhere);
});
