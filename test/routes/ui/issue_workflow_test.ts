import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { acme, type Answer, textOf, type Visitor } from "@/test/support/ui_app.ts";

async function shopWithIssue() {
  const app = await acme();
  const { kv, sql, writer } = app.services;
  const project = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "node",
  });
  await writer.commit(project.id, { records: [errorEvent({ group: "broken" })], outcomes: [] });
  const [row] = await sql<{ id: string }[]>`
    select id from issues where project_id = ${project.id}
  `;
  const list = `/projects/${project.id}/issues`;
  return { ...app, project, list, issue: `${list}/${row?.id}`, issueId: row?.id ?? "" };
}

/** What the person sees after a form was sent. */
async function after(visitor: Visitor, answer: Answer): Promise<string> {
  assert.equal(answer.status, 303);
  return (await visitor.get(answer.location ?? "")).html;
}

Deno.test("an issue is resolved by a button, and what was done can be taken back by another", async () => {
  await using shop = await shopWithIssue();
  const { visitor } = await shop.member("member");
  const resolved = await after(visitor, await visitor.post(shop.issue, { action: "resolve" }));
  assert.match(textOf(resolved), /1 issue resolved\./);
  const undo = /name="undo" value="(\d+)"/.exec(resolved)?.[1] ?? "";
  const back = await after(visitor, await visitor.post(shop.issue, { action: "undo", undo }));
  assert.match(textOf(back), /1 issue as before\./);
  assert.match(back, /value="resolve"/);
});

Deno.test("an issue is assigned, made less urgent, commented on, and its page tells all of it", async () => {
  await using shop = await shopWithIssue();
  const { user, visitor } = await shop.member("member");
  await visitor.post(shop.issue, { action: "assign", assignee: `user:${user.id}` });
  await visitor.post(shop.issue, { action: "priority", priority: "low" });
  const page = await after(
    visitor,
    await visitor.post(shop.issue, { action: "note", text: "See **this** <script>" }),
  );
  const text = textOf(page);
  assert.match(text, /member assigned it to member/);
  assert.match(text, /member set the priority to low/);
  assert.match(page, /See <strong>this<\/strong> &lt;script>/);
  assert.match(page, new RegExp(`<option[^>]*value="user:${user.id}"[^>]*selected`));
  const list = await visitor.get(shop.list);
  assert.match(textOf(list.html), /low.*member/);
});

Deno.test("chosen issues of the list are archived for a week", async () => {
  await using shop = await shopWithIssue();
  const { visitor } = await shop.member("member");
  const done = await visitor.post(shop.list, { action: "archive-week", issue: shop.issueId });
  assert.match(textOf(await after(visitor, done)), /1 issue archived\./);
  const page = await visitor.get(shop.issue);
  assert.match(textOf(page.html), /archived ?until \d{4}-\d\d-\d\d/);
});

Deno.test("a viewer sees what a team does with an issue, and no buttons", async () => {
  await using shop = await shopWithIssue();
  const { visitor } = await shop.member("viewer");
  const { html } = await visitor.get(shop.issue);
  assert.match(textOf(html), /Activity First seen/);
  assert.doesNotMatch(html, /value="resolve"|id="comment"/);
  assert.equal((await visitor.post(shop.issue, { action: "resolve" })).status, 403);
});
