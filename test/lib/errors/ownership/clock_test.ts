import assert from "node:assert/strict";
import { addTeamProject, createTeam } from "@/lib/accounts/teams.ts";
import { OwnershipRounds } from "@/lib/errors/ownership/clock.ts";
import { ownersOf } from "@/lib/errors/ownership/issue_owners.ts";
import {
  deleteCodeowners,
  saveCodeowners,
  saveOwnership,
} from "@/lib/errors/ownership/settings.ts";
import { changeIssues } from "@/lib/errors/mod.ts";
import { listActivity } from "@/lib/errors/workflow/activity.ts";
import { setCommits } from "@/lib/releases/commits.ts";
import { ensureRelease } from "@/lib/releases/mod.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { textOf } from "@/test/support/ui_app.ts";
import { failure, shop } from "@/test/support/shop.ts";

const never = new AbortController().signal;

/** The shop with a member, a team, and somebody who looks for owners. */
async function owned() {
  const app = await shop();
  const { kv, sql } = app.services;
  const organizationId = app.organization.id;
  const project = { id: app.projectId, organizationId };
  const { user } = await app.member("member");
  const team = await createTeam(kv, { organizationId, name: "Checkout" });
  await addTeamProject(kv, team, project.id);
  const issues =
    async () => (await sql<{ id: string; assignee: string | null; by: string | null }[]>`
    select id::text as id, assignee_kind || ':' || assignee_id as assignee, assigned_by as by
    from issues where project_id = ${project.id} order by id
  `);
  return {
    app,
    kv,
    sql,
    project,
    user,
    team,
    issues,
    rules: (raw: string, autoAssignment: "owner" | "suspect" | "off" = "owner") =>
      saveOwnership({ kv, sql }, project, { raw, autoAssignment }, "ann@acme.example"),
    rounds: () => new OwnershipRounds({ kv, sql, log: silentLogger }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const later = (hours: number) => new Date(Date.now() + hours * 3_600_000);

Deno.test("a new issue is assigned by the last rule that matches, and the activity says which", async () => {
  await using world = await owned();
  const { app, sql, project, team } = world;
  await world.rules(
    "* member@example.com\ncart.* olga@example.com #checkout\nother.js member@example.com",
  );
  await app.store(failure("one"));
  assert.equal(await world.rounds().run(new Date(), never), 1);

  const [issue] = await world.issues();
  assert.equal(issue?.assignee, `team:${team.id}`);
  assert.equal(issue?.by, "rule");
  const [entry] = await listActivity(sql, project.id, issue?.id ?? "");
  assert.equal(entry?.type, "assigned");
  assert.deepEqual(entry?.actor, { kind: "rule", id: "path:cart.* olga@example.com #checkout" });
  const owners = (await ownersOf(sql, project.id, [issue?.id ?? ""])).get(issue?.id ?? "") ?? [];
  assert.deepEqual(owners.map(({ kind, source }) => [kind, source]), [["team", "rule"], [
    "user",
    "rule",
  ]]);
});

Deno.test("issues that come later are found by their ids, each once", async () => {
  await using world = await owned();
  await world.rules("cart.* #checkout");
  const rounds = world.rounds();
  assert.equal(await rounds.run(new Date(), never), 0);
  await world.app.store(failure("one"), failure("two"));
  assert.equal(await rounds.run(new Date(), never), 2);
  await world.app.store(failure("two"));
  assert.equal(await rounds.run(new Date(), never), 0);
});

Deno.test("what a person chose or took back no rule changes; what a rule chose a rule changes with the next event", async () => {
  await using world = await owned();
  const { app, sql, project, user } = world;
  await world.rules("cart.* #checkout");
  await app.store(failure("chosen"), failure("back"), failure("rule"));
  await world.rounds().run(new Date(), never);
  const [chosen, back, rule] = (await world.issues()).map(({ id }) => id);
  const by = { kind: "user", id: user.id } as const;
  const mine = { assignee: { kind: "user", id: user.id } } as const;
  await changeIssues({ sql }, project.id, [chosen ?? ""], mine, by);
  await changeIssues({ sql }, project.id, [back ?? ""], { assignee: null }, by);

  await world.rules("cart.* olga@example.com");
  assert.equal(await world.rounds().run(new Date(), never), 0, "nothing has happened since");
  await app.store(failure("chosen"), failure("back"), failure("rule"));
  assert.equal(await world.rounds().run(new Date(), never), 3);
  const [one, two, three] = await world.issues();
  assert.equal(one?.assignee, `user:${user.id}`);
  assert.equal(two?.assignee, null);
  assert.equal(three?.id, rule);
  assert.match(three?.assignee ?? "", /^user:/);
});

Deno.test("an issue is judged once a day while its rules stay as they are", async () => {
  await using world = await owned();
  await world.rules("cart.* #checkout");
  await world.app.store(failure("one"));
  await world.rounds().run(new Date(), never);
  await world.app.store(failure("one"));
  assert.equal(await world.rounds().run(new Date(), never), 0);
  await world.app.store(failure("one", { timestamp: later(25), receivedAt: later(25) }));
  assert.equal(await world.rounds().run(later(25), never), 1);
});

Deno.test("suspect commits are suggested, and assigned where the project says so", async () => {
  await using world = await owned();
  const { app, sql, project, user, team } = world;
  await ensureRelease(sql, project.id, "shop@1");
  await setCommits(sql, app.organization.id, project.id, "shop@1", [{
    id: "a".repeat(40),
    repository: "acme/shop",
    authorName: "Member",
    authorEmail: "Member@example.com",
    message: "Rework the cart",
    committedAt: new Date(),
    files: [{ path: "cart.js", change: "M" }],
  }]);
  await app.store(failure("one", { release: "shop@1" }));
  await world.rounds().run(new Date(), never);
  const [first] = await world.issues();
  assert.equal(first?.assignee, null, "without rules nothing is assigned");
  const suggested = await ownersOf(sql, project.id, [first?.id ?? ""]);
  assert.deepEqual(
    suggested.get(first?.id ?? "")?.map(({ kind, id, source }) => [kind, id, source]),
    [["user", user.id, "suspect"]],
  );

  await world.rules("cart.* #checkout", "suspect");
  await app.store(failure("two", { release: "shop@1" }));
  await world.rounds().run(new Date(), never);
  const second = (await world.issues())[1];
  assert.equal(second?.assignee, `user:${user.id}`);
  const owners = (await ownersOf(sql, project.id, [second?.id ?? ""])).get(second?.id ?? "");
  assert.deepEqual(owners?.map(({ kind, id }) => `${kind}:${id}`), [
    `user:${user.id}`,
    `team:${team.id}`,
  ]);
});

Deno.test("CODEOWNERS suggests where no rule does, and a search finds whom it is suggested to", async () => {
  await using world = await owned();
  const { app, kv, sql, project } = world;
  await saveCodeowners({ kv, sql }, project, { raw: "*.js @acme/checkout\n", names: {} }, "");
  await world.rules("", "off");
  await app.store(failure("one"));
  await world.rounds().run(new Date(), never);
  const [issue] = await world.issues();
  assert.equal(issue?.assignee, null);
  const found = async (query: string) => {
    const { html } = await app.owner.get(`${app.path}?query=${encodeURIComponent(query)}`);
    return html.includes(`${app.path}/${issue?.id}`);
  };
  assert.ok(await found("assigned_or_suggested:#checkout"));
  assert.ok(!await found("assigned:#checkout"));
  assert.ok(!await found("assigned_or_suggested:olga@example.com"));
  assert.ok(await found("has:assigned_or_suggested"));
  assert.ok(!await found("assigned_or_suggested:none"));
  assert.ok(await deleteCodeowners(sql, project.id));
  assert.ok(!await found("assigned_or_suggested:#checkout"), "with the file go its suggestions");
  assert.ok(await found("assigned_or_suggested:none"));
});

Deno.test("owners that are not of the project, and lines that cannot be read, are refused", async () => {
  await using world = await owned();
  await assert.rejects(
    world.rules("a member@example.com stranger@example.com\nb #nobody #checkout"),
    { field: "raw", message: "Invalid rule owners: #nobody, stranger@example.com" },
  );
  await assert.rejects(world.rules("a"), { field: "raw", message: /^Line 1, column 2: / });
  await assert.rejects(
    world.rules(`${"a #checkout\n".repeat(10_000)}`),
    /at most 100,000 characters/,
  );
});

Deno.test("the issue's page suggests its owners, and a click gives it to one of them", async () => {
  await using world = await owned();
  const { app, team } = world;
  await world.rules("cart.* #checkout member@example.com", "off");
  await app.store(failure("one"));
  await world.rounds().run(new Date(), never);
  const [issue] = await world.issues();
  const path = `${app.path}/${issue?.id}`;
  const before = await app.owner.get(path);
  assert.match(textOf(before.html), /Suggested: member #Checkout|Suggested: member #checkout/);
  assert.match(before.html, /title="Assign to #checkout: by the rule path:cart\.\*/);
  await app.owner.post(path, { action: "assign", assignee: `team:${team.id}`, back: path });
  assert.equal((await world.issues())[0]?.assignee, `team:${team.id}`);
  assert.match(textOf((await app.owner.get(path)).html), /Suggested: member [^#]/);
});

Deno.test("the page says which rule assigned the issue", async () => {
  await using world = await owned();
  await world.rules("cart.* #checkout");
  await world.app.store(failure("one"));
  await world.rounds().run(new Date(), never);
  const [issue] = await world.issues();
  const { html } = await world.app.owner.get(`${world.app.path}/${issue?.id}`);
  assert.match(
    textOf(html),
    /An ownership rule assigned it to #checkout by path:cart\.\* #checkout/,
  );
});
