import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createProject } from "@/lib/accounts/projects.ts";
import { textOf } from "../../support/ui_app.ts";
import { type LinkedShop, linkedShop } from "../../support/linked_shop.ts";
import { githubServer } from "../../support/tracker_servers.ts";

const settingsOf = ({ projectId }: LinkedShop) => `/projects/${projectId}/settings/trackers`;
const issueOf = ({ path, issueId }: LinkedShop) => `${path}/${issueId}`;

Deno.test("a tracker is added, tested, changed without its token, and removed by name", async () => {
  await using app = await linkedShop();
  await using server = githubServer();
  const list = settingsOf(app);
  assert.match(textOf((await app.owner.get(list)).html), /No trackers/);
  const fields = { name: "GitHub", url: server.origin, project: "acme/shop", token: "ghp_right" };
  const made = await app.owner.post(`${list}/new?type=github`, fields);
  assert.equal(made.status, 201, textOf(made.html));
  assert.equal(made.headers.get("cache-control"), "no-store");
  const secret = /whsec_[\w-]+/.exec(made.html)?.[0] ?? "";
  assert.notEqual(secret, "");
  const path = /\/projects\/\d+\/settings\/trackers\/[0-9a-f-]{36}/.exec(made.html)?.[0] ?? "";

  assert.equal((await app.owner.post(path, { action: "test" })).location, path);
  const shown = await app.owner.get(path);
  assert.match(textOf(shown.html), /The token sees acme\/shop\./);
  assert.doesNotMatch(shown.html, /ghp_right|whsec_/);

  const changed = await app.owner.post(path, {
    ...fields,
    action: "update",
    name: "Code",
    token: "",
  });
  assert.equal(changed.status, 303, textOf(changed.html));
  assert.equal((await app.owner.post(path, { action: "test" })).status, 303);
  assert.equal(server.asked.at(-1)?.headers.get("authorization"), "Bearer ghp_right");
  const renewed = await app.owner.post(path, { action: "renew" });
  assert.notEqual(/whsec_[\w-]+/.exec(renewed.html)?.[0], secret);

  assert.equal((await app.owner.post(path, { action: "delete", confirm: "GitHub" })).status, 422);
  assert.equal((await app.owner.post(path, { action: "delete", confirm: "Code" })).location, list);
  assert.equal((await app.owner.get(path)).status, 404);
});

Deno.test("each type of tracker has a form, and wrong input is said beside the field", async () => {
  await using app = await linkedShop();
  const list = settingsOf(app);
  for (const type of ["github", "gitlab", "gitea", "jira", "youtrack", "custom"]) {
    const form = await app.owner.get(`${list}/new?type=${type}`);
    assert.match(textOf(form.html), /Add tracker/);
    const refused = await app.owner.post(`${list}/new?type=${type}`, { name: "T", url: "ftp://x" });
    assert.equal(refused.status, 422);
    assert.match(textOf(refused.html), /starts with https:\/\//);
  }
  assert.equal((await app.owner.post(`${list}/new?type=fax`, { name: "Fax" })).status, 400);
});

Deno.test("an issue is made in a tracker from its page, shown with its state, and unlinked", async () => {
  await using app = await linkedShop();
  await using server = githubServer();
  const input = { url: server.origin, project: "acme/shop", token: "ghp_right", labels: "bug" };
  const { connection } = await app.connect("github", input);
  const issue = issueOf(app);
  const form = await app.owner.get(`${issue}/links?tracker=${connection.connectionId}`);
  assert.match(form.html, /value="Error: Cannot read price"|Cannot read price/);
  assert.match(form.html, /checkout \(cart\.js\)/);
  assert.match(form.html, new RegExp(`http://localhost:8000${issue}`));
  const once = /name="once" value="([^"]+)"/.exec(form.html)?.[1] ?? "";
  const sent = { action: "create", tracker: connection.connectionId, once };
  const refused = await app.owner.post(`${issue}/links`, { ...sent, title: "", body: "Kept text" });
  assert.equal(refused.status, 422);
  assert.match(refused.html, /Kept text/);

  const made = await app.owner.post(`${issue}/links`, {
    ...sent,
    title: "Prices",
    body: "Text",
    labels: "bug, web",
  });
  assert.equal(made.location, `${issue}#links`);
  assert.deepEqual((server.asked.at(-1)?.body as { labels: string[] }).labels, ["bug", "web"]);
  const page = await app.owner.get(issue);
  assert.match(textOf(page.html), /acme\/shop#1 open Prices github · linked/);
  const link = /name="link" value="(\d+)"/.exec(page.html)?.[1] ?? "";
  await app.owner.post(`${issue}/links`, { action: "unlink", link });
  assert.match(textOf((await app.owner.get(issue)).html), /Not linked to any tracker yet/);
});

Deno.test("the tracker's own form opens filled in, also without a token", async () => {
  await using app = await linkedShop();
  const { connection } = await app.connect("github", {
    url: "https://github.com",
    project: "acme/shop",
  });
  const opened = await app.owner.get(
    `${issueOf(app)}/links?tracker=${connection.connectionId}&form=1`,
  );
  assert.equal(opened.status, 303);
  const url = new URL(opened.location ?? "");
  assert.equal(url.origin + url.pathname, "https://github.com/acme/shop/issues/new");
  assert.match(url.searchParams.get("title") ?? "", /Cannot read price/);
  assert.match(url.searchParams.get("body") ?? "", /cart\.js/);
  assert.ok(url.href.length <= 8_000);
});

Deno.test("who may only look sees links and no forms, and strangers see nothing", async () => {
  await using app = await linkedShop();
  const { connection } = await app.connect("github", {
    url: "https://github.com",
    project: "acme/shop",
  });
  const issue = issueOf(app);
  await app.owner.post(`${issue}/links`, { action: "attach", url: "https://example.com/bugs/1" });
  const { visitor } = await app.member("viewer");
  const page = await visitor.get(issue);
  assert.match(textOf(page.html), /example\.com\/bugs\/1/);
  assert.doesNotMatch(page.html, /value="unlink"|value="attach"/);
  assert.equal(
    (await visitor.get(`${issue}/links?tracker=${connection.connectionId}`)).status,
    403,
  );
  assert.equal((await visitor.post(`${issue}/links`, { action: "unlink", link: "1" })).status, 403);
  assert.equal((await visitor.get(`${settingsOf(app)}/new`)).status, 403);

  const organizationId = app.organization.id;
  const other = await createProject(app.services.kv, {
    organizationId,
    name: "Other",
    platform: "go",
  });
  const elsewhere = `/projects/${other.id}/settings/trackers/${connection.connectionId}`;
  assert.equal((await app.owner.get(elsewhere)).status, 404);
  const foreign =
    `/projects/${other.id}/issues/${app.issueId}/links?tracker=${connection.connectionId}`;
  assert.equal((await app.owner.get(foreign)).status, 404);
});

Deno.test("a webhook reaches its connection by its address, without a session", async () => {
  await using app = await linkedShop();
  const input = { url: "https://github.com", project: "acme/shop" };
  const { connection, hookSecret } = await app.connect("github", input);
  await app.owner.post(`${issueOf(app)}/links`, { action: "attach", url: "#7" });
  const body = JSON.stringify({
    action: "closed",
    issue: { number: 7, title: "Prices", state: "closed", updated_at: "2026-11-23T10:00:00Z" },
    repository: { full_name: "acme/shop" },
  });
  const send = (signature: string) =>
    app.handle(
      new Request(`http://localhost:8000/hooks/${app.projectId}/${connection.connectionId}`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "x-github-event": "issues",
          "x-hub-signature-256": `sha256=${signature}`,
        },
      }),
    );
  assert.equal((await send("0".repeat(64))).status, 401);
  const digest = createHmac("sha256", hookSecret ?? "").update(body).digest("hex");
  assert.equal((await send(digest)).status, 200);
  assert.equal(await app.status(), "resolved");
});
