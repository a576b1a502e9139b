import assert from "node:assert/strict";
import { findProject } from "@/lib/accounts/projects.ts";
import { createTeam } from "@/lib/accounts/teams.ts";
import { changeIssues, type IssueChange } from "@/lib/errors/workflow/change.ts";
import { setIssueStatus } from "../../../support/issue_status.ts";
import type { ErrorMeasure } from "@/lib/alerts/measures.ts";
import { readValues, spike } from "@/lib/alerts/evaluation/values.ts";
import { type AlertWorld, alertWorld } from "@/test/support/alert_world.ts";

/** What `checkAlert()` makes of rules of issues. */
const EACH_ISSUE = {
  condition: { comparison: ">=", warning: null, critical: 1, recovery: null },
} as const;

/** What an error rule is judged by in the five minutes before a minute. */
async function valueAt(
  world: AlertWorld,
  minute: number,
  { measure = "events", search = "", environments = [], windowMinutes = 5 }: {
    measure?: ErrorMeasure;
    search?: string;
    environments?: string[];
    windowMinutes?: number;
  },
): Promise<number | null | undefined> {
  const source = { kind: "errors", measure, search } as const;
  const [group] = await readValues(world.services, {
    projectId: world.projectId,
    ruleId: null,
    source,
    environments,
    windowMinutes,
    apdexMs: 300,
  }, { start: world.at(minute - windowMinutes), end: world.at(minute) });
  return group?.value;
}

Deno.test("events are counted within the window, its start included and its end not", async () => {
  await using world = await alertWorld();
  for (const minute of [4.99, 5, 9.99, 10]) await world.happen(minute, 1);
  assert.equal(await valueAt(world, 10, {}), 2);
  assert.equal(await valueAt(world, 20, {}), 0);
});

Deno.test("a search narrows events by what they are themselves, and by what their issue is", async () => {
  await using world = await alertWorld();
  await world.happen(6, 1, { group: "a", level: "fatal", tags: [["browser", "Firefox"]] });
  await world.happen(6, 2, { group: "a", level: "error", tags: [["browser", "Chrome"]] });
  await world.happen(6, 4, { group: "b", release: "shop@2.0", environment: "staging" });
  await world.happen(6, 8, { group: "c", user: "id:7" });
  const expected: [search: string, count: number][] = [
    ["", 15],
    ["level:fatal", 1],
    ["browser:Firefox", 1],
    ["browser:*o*", 3],
    ["!browser:Chrome", 13],
    ["has:browser", 3],
    ["release:shop@2.0", 4],
    ["!release:shop@2*", 11],
    ["user.id:7", 8],
    ["a", 3],
    ["a level:error", 2],
    ["is:resolved", 0],
    ["timesSeen:>3", 12],
  ];
  for (const [search, count] of expected) {
    assert.equal(await valueAt(world, 10, { search }), count, search);
  }
  assert.equal(await valueAt(world, 10, { environments: ["staging"] }), 4);
});

Deno.test("a search narrows alerts to priorities and to who has the issues", async () => {
  await using world = await alertWorld();
  const { sql, projectId } = world;
  const { kv } = world.services;
  const project = await findProject(kv, projectId);
  assert.ok(project);
  const team = await createTeam(kv, { organizationId: project.organizationId, name: "Carts" });
  await world.happen(6, 1, { group: "a" });
  await world.happen(6, 2, { group: "b" });
  const change = async (group: string, to: IssueChange) => {
    const [issue] = await sql<{ id: string }[]>`
      select id from issues where title = ${`Error: ${group}`}
    `;
    assert.ok(issue);
    await changeIssues({ sql }, projectId, [issue.id], to, { kind: "system" });
  };
  await change("a", { assignee: { kind: "team", id: team.id } });
  await change("b", { priority: "low" });
  const expected: [search: string, count: number][] = [
    ["issue.priority:high", 1],
    ["!issue.priority:[high, medium]", 2],
    ["assigned:#carts", 1],
    ["!assigned:#carts", 2],
    ["assigned:owner@example.com", 0],
    ["is:unassigned", 2],
    // Nobody in particular looks at an alert.
    ["assigned:me", 0],
    ["assigned:[me, #carts] level:error", 1],
  ];
  for (const [search, count] of expected) {
    assert.equal(await valueAt(world, 10, { search }), count, search);
    const found = await valueAt(world, 10, { search, measure: "new_issue" });
    assert.equal(found, count === 0 ? undefined : count, search);
  }
});

Deno.test("a long window counts the same as the events in it", async () => {
  await using world = await alertWorld();
  for (const minute of [-719, -600.5, -300, -61, -1, 9]) await world.happen(minute, 3);
  for (const minute of [-711, 10]) await world.happen(minute, 100);
  assert.equal(await valueAt(world, 10, { windowMinutes: 720 }), 15);
});

Deno.test("users are counted once each", async () => {
  await using world = await alertWorld();
  const user = (key: string) => ({ user: key });
  await world.happen(6, 5, user("id:1"));
  await world.happen(7, 2, user("id:2"));
  await world.happen(7, 3);
  assert.equal(await valueAt(world, 10, { measure: "users" }), 2);
});

Deno.test("a spike is told by the same time of the seven days before", async () => {
  await using world = await alertWorld();
  const dayMinutes = 1_440;
  for (let day = 1; day <= 7; day++) await world.happen(7 - day * dayMinutes, 2);
  await world.happen(8, 9);
  assert.equal(await valueAt(world, 10, { measure: "spike" }), 4.5);
  assert.equal(spike(3, [0, 0, 1, 0, 0, 0, 0]), 3);
});

Deno.test("each new issue alerts once, whatever comes of it later", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({
    source: { kind: "errors", measure: "new_issue", search: "!level:warning" },
    ...EACH_ISSUE,
  });
  await world.happen(0.5, 1, { group: "one" });
  await world.happen(0.6, 1, { group: "noise", level: "warning" });
  await world.happen(1.5, 3, { group: "two" });
  await world.judgeAll(1, 3);
  await world.happen(3.5, 1, { group: "one" });
  await world.judgeAll(4, 20);

  const notices = await world.notices();
  assert.deepEqual(notices.map(({ title }) => title), [
    "New issue: Error: one",
    "New issue: Error: two",
  ]);
  assert.match(notices[0]?.url ?? "", /\/issues\/\d+$/);
  assert.notEqual(notices[0]?.incidentKey, notices[1]?.incidentKey);
  assert.equal((await world.states(rule)).length, 0);

  const [one] = await world.sql<{ id: string }[]>`select id from issues where title = 'Error: one'`;
  const ids = [one?.id ?? ""];
  assert.equal(notices[0]?.issueId, ids[0]);
  await setIssueStatus(world.sql, world.projectId, ids, "resolved", world.at(20));
  await setIssueStatus(world.sql, world.projectId, ids, "unresolved", world.at(21));
  await world.judgeAll(22, 24);
  assert.equal((await world.notices()).length, 2);
});

Deno.test("issues that began before the alert was made, or while it was off, are none of its", async () => {
  await using world = await alertWorld();
  await world.happen(-3, 1, { group: "old" });
  await world.rule({
    source: { kind: "errors", measure: "new_issue", search: "" },
    windowMinutes: 60,
    ...EACH_ISSUE,
  });
  await world.judgeAll(1, 3);
  assert.deepEqual(await world.notices(), []);
});

Deno.test("an issue that was resolved and came back alerts, also after a standstill", async () => {
  await using world = await alertWorld();
  await world.rule({
    source: { kind: "errors", measure: "regression", search: "" },
    ...EACH_ISSUE,
  });
  await world.happen(0.5, 1, { group: "old" });
  await world.judge(1);
  const [old] = await world.sql<{ id: string }[]>`select id from issues`;
  await setIssueStatus(world.sql, world.projectId, [old?.id ?? ""], "resolved", world.at(1));
  await world.happen(2.5, 1, { group: "old" });
  await world.judgeAll(24, 26);
  assert.deepEqual((await world.notices()).map(({ title }) => title), [
    "Regression: Error: old",
  ]);
});
