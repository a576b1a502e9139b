import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { shareIssue, sharesOf } from "@/lib/errors/manage/shares.ts";
import { errorEvent, hashOf } from "@/test/support/error_event.ts";
import { type Acme, acme, textOf } from "@/test/support/ui_app.ts";

const PAYLOAD = {
  type: "error",
  platform: "node",
  event_id: "0".repeat(32),
  user: { email: "victim@example.com", ip_address: "203.0.113.9" },
  request: {
    url: "https://shop.example/pay?card=4111",
    headers: [["Cookie", "sid=secret-cookie"]],
  },
  breadcrumbs: { values: [{ message: "secret breadcrumb" }] },
  tags: [["customer", "secret-tag"]],
  extra: { note: "secret-extra" },
  exception: {
    values: [{
      type: "CartError",
      value: "no such item",
      mechanism: { type: "generic", handled: false, data: { what: "secret-mechanism" } },
      stacktrace: {
        frames: [{
          function: "checkout",
          filename: "cart.js",
          abs_path: "/srv/secret-path/cart.js",
          lineno: 7,
          in_app: true,
          context_line: "const secretSource = 1;",
          vars: { password: "secret-variable" },
        }],
      },
    }],
  },
};

interface World {
  readonly projectId: string;
  readonly one: string;
  readonly two: string;
}

async function world(app: Acme): Promise<World> {
  const { services, organization } = app;
  const project = await createProject(services.kv, {
    organizationId: organization.id,
    name: "Shop",
    platform: "node",
  });
  const event = (group: string) =>
    errorEvent({
      group,
      user: "email:victim@example.com",
      tags: [["customer", "secret-tag"]],
      payload: JSON.stringify(PAYLOAD),
    });
  await services.writer.commit(project.id, {
    records: [event("one"), event("one"), event("two")],
    outcomes: [],
  });
  const ids = await services.sql<{ id: string; title: string }[]>`
    select id, title from issues where project_id = ${project.id}
  `;
  const idOf = (title: string) => ids.find((row) => row.title === title)?.id ?? "";
  return { projectId: project.id, one: idOf("Error: one"), two: idOf("Error: two") };
}

Deno.test("an issue is deleted by admins only, after a page that says what goes", async () => {
  await using app = await acme();
  const { projectId, one } = await world(app);
  const path = `/projects/${projectId}/issues/${one}/delete`;
  const { visitor: member } = await app.member("member");
  const shown = await member.get(path);
  assert.equal(shown.status, 200);
  assert.match(textOf(shown.html), /Admins and owners of the organization can delete issues/);
  assert.equal((await member.post(path, { action: "delete" })).status, 403);

  const { visitor: admin } = await app.member("admin");
  const asked = textOf((await admin.get(path)).html);
  assert.match(asked, /2 events with their attachments/);
  assert.match(asked, /None of it can be brought back/);
  const done = await admin.post(path, { action: "delete" });
  assert.equal(done.location, `/projects/${projectId}/issues`);
  assert.equal((await admin.get(`/projects/${projectId}/issues/${one}`)).status, 404);
  const left = await app.services.sql`select from events where issue_id = ${one}`;
  assert.equal(left.length, 0);
});

Deno.test("a discarded issue is listed among the filters and can be taken again", async () => {
  await using app = await acme();
  const { projectId, two } = await world(app);
  await app.owner.post(`/projects/${projectId}/issues/${two}/delete`, { action: "discard" });
  await app.services.writer.commit(projectId, {
    records: [errorEvent({ group: "two" })],
    outcomes: [],
  });
  const filters = `/projects/${projectId}/settings/filters`;
  assert.match(textOf((await app.owner.get(filters)).html), /Error: two 1 event dropped/);
  const [discard] = await app.services.sql<{ id: string }[]>`select id from discards`;
  const again = `/projects/${projectId}/settings/discards`;
  const { visitor: member } = await app.member("member");
  assert.equal((await member.post(again, { discard: discard?.id ?? "" })).status, 403);
  await app.owner.post(again, { discard: discard?.id ?? "" });
  assert.match(
    textOf((await app.owner.get(filters)).html),
    /Events of “Error: two” are taken again/,
  );
});

Deno.test("a merge of similar issues and a split are taken back by the button after them", async () => {
  await using app = await acme();
  const { projectId, one, two } = await world(app);
  const base = `/projects/${projectId}/issues`;
  const similar = await app.owner.get(`${base}/${one}/similar`);
  assert.match(textOf(similar.html), /Error: two .* alike/);
  assert.match(textOf(similar.html), /same type · calls 100.0% the same/);

  const merged = await app.owner.post(`${base}/${one}/similar`, { action: "merge", other: two });
  assert.equal(merged.location, `${base}/${one}/similar`);
  const after = await app.owner.get(`${base}/${one}/similar`);
  const [, undo = ""] = /name="undo" value="(\d+)"/.exec(after.html) ?? [];
  assert.equal((await app.owner.get(`${base}/${two}/groups`)).status, 404);
  const { visitor: member } = await app.member("member");
  await member.post(`${base}/${one}/groups`, { action: "undo", undo });
  assert.equal((await app.owner.get(`${base}/${two}/groups`)).status, 404);
  await app.owner.post(`${base}/${one}/groups`, { action: "undo", undo });
  assert.equal((await app.owner.get(`${base}/${two}/groups`)).status, 200);

  await app.owner.post(`${base}/${one}/similar`, { action: "merge", other: two });
  const split = await app.owner.post(`${base}/${one}/groups`, {
    action: "split",
    hash: hashOf("two"),
  });
  assert.equal(split.location, `${base}/${two}/groups`);
  const all = await app.owner.post(`${base}/${one}/groups`, {
    action: "split",
    hash: hashOf("one"),
  });
  assert.equal(all.status, 422);
  assert.match(textOf(all.html), /Leave at least one group/);
});

Deno.test("a merge in the list and an unmerge on the page are taken back by the button after them", async () => {
  await using app = await acme();
  const { projectId, one, two } = await world(app);
  const list = `/projects/${projectId}/issues`;
  const undoOf = (html: string) => /name="undo" value="(\d+)"/.exec(html)?.[1] ?? "";
  await app.owner.post(list, [["action", "merge"], ["issue", one], ["issue", two]]);
  const merged = await app.owner.get(list);
  assert.match(textOf(merged.html), /Showing 1–1 of 1/);
  await app.owner.post(list, { action: "undo", undo: undoOf(merged.html) });
  assert.match(textOf((await app.owner.get(list)).html), /Taken back.*Showing 1–2 of 2/);

  await app.owner.post(list, [["action", "merge"], ["issue", one], ["issue", two]]);
  await app.owner.post(`${list}/${one}`, { action: "unmerge", merged: two });
  const { html } = await app.owner.get(`${list}/${one}`);
  await app.owner.post(`${list}/${one}`, { action: "undo", undo: undoOf(html) });
  assert.match(textOf((await app.owner.get(list)).html), /Showing 1–1 of 1/);
});

Deno.test("a link shows what broke to strangers, and nothing of whom it hit", async () => {
  await using app = await acme();
  const { projectId, one } = await world(app);
  const { visitor: viewer } = await app.member("viewer");
  const page = `/projects/${projectId}/issues/${one}/share`;
  assert.equal((await viewer.post(page, { action: "share", days: "7" })).status, 403);
  assert.equal((await app.owner.post(page, { action: "share", days: "7" })).status, 303);
  const [share] = await sharesOf(app.services.sql, projectId, one);
  assert.ok(share);
  assert.ok(!(await viewer.get(page)).html.includes(share.id));
  assert.ok((await app.owner.get(page)).html.includes(`/share/issue/${share.id}`));

  const stranger = app.visitor();
  const shown = await stranger.get(`/share/issue/${share.id}`);
  assert.equal(shown.status, 200);
  const text = textOf(shown.html);
  assert.match(text, /CartError no such item/);
  assert.match(text, /checkout\s*cart\.js:7/);
  for (const secret of ["victim", "203.0.113.9", "4111", "secret", "example.com", "shop@1.0"]) {
    assert.ok(!shown.html.includes(secret), secret);
  }
  assert.equal(shown.headers.get("cache-control"), "no-store");
  assert.equal(shown.headers.get("x-robots-tag"), "noindex, nofollow");
  assert.match(shown.headers.get("content-security-policy") ?? "", /default-src 'none'/);

  await app.owner.post(page, { action: "share", days: "1", withSource: "on" });
  const [open] = await sharesOf(app.services.sql, projectId, one);
  const withSource = await stranger.get(`/share/issue/${open?.id}`);
  assert.match(withSource.html, /secretSource/);
  assert.ok(!withSource.html.includes("secret-variable"));
});

Deno.test("a link that never was, has ended, is revoked or leads to what is gone is answered alike", async () => {
  await using app = await acme();
  const { projectId, one, two } = await world(app);
  const { sql } = app.services;
  const make = (issueId: string, now = new Date()) =>
    shareIssue(sql, { projectId, issueId, by: "", days: 1 }, now);
  const [old, revoked, gone] = await Promise.all([
    make(one, new Date(Date.now() - 2 * 86_400_000)),
    make(one),
    make(two),
  ]);
  const page = `/projects/${projectId}/issues/${one}/share`;
  await app.owner.post(page, { action: "revoke", share: revoked?.id ?? "" });
  await app.owner.post(`/projects/${projectId}/issues/${two}/delete`, { action: "delete" });
  const stranger = app.visitor();
  const answers = await Promise.all(
    [old?.id, revoked?.id, gone?.id, `${projectId}-${"0".repeat(32)}`, "x", "7-%00"].map((id) =>
      stranger.get(`/share/issue/${id}`)
    ),
  );
  const bodies = new Set(
    answers.map(({ status, html }) =>
      `${status} ${textOf(html).replace(/request [\w-]+/, "").replace(/[\w-]{36}/, "")}`
    ),
  );
  assert.equal(bodies.size, 1, [...bodies].join("\n"));
  assert.match([...bodies][0] ?? "", /^404 /);
});

Deno.test("another organization's member manages nothing", async () => {
  await using app = await acme();
  const { projectId, one, two } = await world(app);
  const stranger = app.visitor();
  for (const page of ["similar", "groups", "share", "delete"]) {
    const path = `/projects/${projectId}/issues/${one}/${page}`;
    assert.equal((await stranger.get(path)).location?.startsWith("/sign-in"), true, page);
    const sent = await stranger.post(path, { action: "merge", other: two });
    assert.ok(sent.status === 303 && sent.location?.startsWith("/sign-in"), page);
    const foreign = `/projects/${Number(projectId) + 1}/issues/${one}/${page}`;
    assert.equal((await app.owner.get(foreign)).status, 404, page);
  }
});
