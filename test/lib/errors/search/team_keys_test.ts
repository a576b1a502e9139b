import assert from "node:assert/strict";
import { createOrganization } from "@/test/support/organizations.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { person } from "@/test/support/people.ts";
import { testDatabase } from "@/test/support/database.ts";
import { testKv } from "@/test/support/kv.ts";
import { testWriter } from "@/test/support/writer.ts";
import { addMember } from "@/lib/accounts/members.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { createTeam, joinTeam } from "@/lib/accounts/teams.ts";
import { countIssues } from "@/lib/errors/issue_hits.ts";
import { listIssues } from "@/lib/errors/issues.ts";
import { parseIssueSearch } from "@/lib/errors/search/parse.ts";
import { changeIssues, type IssueChange } from "@/lib/errors/workflow/change.ts";
import { changePersonal } from "@/lib/errors/workflow/people.ts";

const GROUPS = ["ann's", "team's", "nobody's", "bob's", "gone"];

/** A project with issues that people have, and a search by one of them. */
async function team() {
  await using opened = new AsyncDisposableStack();
  const { sql } = opened.use(await testDatabase());
  const { kv } = opened.use(await testKv());
  await using writer = testWriter(sql);
  const [ann, bob, eve] = [
    await person(kv, "ann"),
    await person(kv, "bob"),
    await person(kv, "eve"),
  ];
  const { id: organizationId } = await createOrganization(kv, { name: "acme", ownerId: ann.id });
  await addMember(kv, { role: "owner", userId: ann.id }, organizationId, bob.id, "member");
  const { id: projectId } = await createProject(kv, {
    organizationId,
    name: "Shop",
    platform: "node",
  });
  const carts = await joinTeam(
    kv,
    await createTeam(kv, { organizationId, name: "Carts" }),
    ann.id,
  );
  await writer.store(projectId, ...GROUPS.map((group) => errorEvent({ group })));
  const rows = await sql<{ id: string; title: string }[]>`select id, title from issues`;
  const ids = new Map(rows.map(({ id, title }) => [title.replace("Error: ", ""), id]));
  const idOf = (group: string) => ids.get(group) ?? "";
  const change = (group: string, to: IssueChange) =>
    changeIssues({ sql }, projectId, [idOf(group)], to, { kind: "user", id: bob.id });
  const stores = opened.move();
  return {
    sql,
    kv,
    projectId,
    ids: { ann: ann.id, bob: bob.id, eve: eve.id, carts: carts.id },
    idOf,
    change,
    /** The issues that somebody finds; null: nobody in particular. */
    async find(search: string, userId: string | null = ann.id): Promise<string[]> {
      const { filter, statuses, problems } = parseIssueSearch(search);
      assert.deepEqual(problems, [], search);
      const selection = {
        projectId,
        filter,
        ...statuses === undefined ? {} : { statuses },
        environments: [],
        releases: [],
        start: new Date(Date.now() - 14 * 86_400_000),
        end: new Date(Date.now() + 60_000),
        searcher: { kv, userId },
      };
      const { rows } = await listIssues(sql, {
        ...selection,
        sort: "last_seen",
        cursor: null,
        limit: 100,
      });
      const counts = await countIssues(sql, selection);
      assert.equal(counts.unresolved + counts.resolved + counts.ignored, rows.length, search);
      return rows.map(({ title }) => title.replace("Error: ", "")).sort();
    },
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

Deno.test("issues are found by who has them, whatever those are called", async () => {
  await using world = await team();
  const { ann, bob, carts } = world.ids;
  await world.change("ann's", { assignee: { kind: "user", id: ann } });
  await world.change("team's", { assignee: { kind: "team", id: carts } });
  await world.change("bob's", { assignee: { kind: "user", id: bob } });
  const cases: Record<string, string[]> = {
    "assigned:me": ["ann's"],
    "assigned_to:ME": ["ann's"],
    "assigned:my_teams": ["team's"],
    "assigned:none": ["gone", "nobody's"],
    'assigned:""': ["gone", "nobody's"],
    "assigned:[me, my_teams, none]": ["ann's", "gone", "nobody's", "team's"],
    "assigned_or_suggested:[me, my_teams]": ["ann's", "team's"],
    "assigned:#carts": ["team's"],
    "assigned:bob@example.com": ["bob's"],
    "assigned:Bob": ["bob's"],
    [`assigned:user:${bob}`]: ["bob's"],
    [`assigned:team:${carts}`]: ["team's"],
    "assigned:[#carts, bob]": ["bob's", "team's"],
    "!assigned:me": ["bob's", "gone", "nobody's", "team's"],
    "assigned:bob OR assigned:me": ["ann's", "bob's"],
    "has:assigned": ["ann's", "bob's", "team's"],
    "is:assigned": ["ann's", "bob's", "team's"],
    "is:unassigned": ["gone", "nobody's"],
    // Strangers and teams that are not there.
    "assigned:eve@example.com": [],
    "assigned:#nobody": [],
    "assigned:nobody@example.com": [],
    "assigned:[me, #nobody]": ["ann's"],
  };
  for (const [search, expected] of Object.entries(cases)) {
    assert.deepEqual(await world.find(search), expected, search);
  }
  assert.deepEqual(await world.find("assigned:me", bob), ["bob's"]);
  assert.deepEqual(await world.find("assigned:my_teams", bob), []);
  assert.deepEqual(await world.find("assigned:[me, my_teams]", null), []);
  assert.deepEqual(await world.find("assigned:bob", null), ["bob's"]);
});

Deno.test("issues are found by who has marked them, and who hears of them", async () => {
  await using world = await team();
  const { ann, bob } = world.ids;
  const mark = (group: string, userId: string, to: Parameters<typeof changePersonal>[4]) =>
    changePersonal(world.sql, world.projectId, [world.idOf(group)], userId, to);
  await mark("ann's", ann, { isBookmarked: true });
  await mark("bob's", bob, { isBookmarked: true });
  await mark("team's", ann, { isSubscribed: true });
  await mark("nobody's", ann, { isSubscribed: false });
  const cases: Record<string, string[]> = {
    "bookmarks:me": ["ann's"],
    "bookmarked_by:[me, bob@example.com]": ["ann's", "bob's"],
    "bookmarks:nobody": [],
    "subscribed:me": ["ann's", "team's"],
    "subscribed_by:bob": ["bob's"],
    "!subscribed:me": ["bob's", "gone", "nobody's"],
  };
  for (const [search, expected] of Object.entries(cases)) {
    assert.deepEqual(await world.find(search), expected, search);
  }
  assert.deepEqual(await world.find("bookmarks:me", null), []);
});

Deno.test("issues are found by their priority and state", async () => {
  await using world = await team();
  const { sql, projectId } = world;
  await world.change("ann's", { priority: "low" });
  await world.change("bob's", { priority: "medium" });
  await world.change("gone", { status: { to: "resolved" } });
  const sub = (group: string, substatus: string, status: string) =>
    sql`
      update issues set substatus = ${substatus}, status = ${status}, substatus_since = now()
      where id = ${world.idOf(group)}
    `;
  await sub("ann's", "archived_forever", "ignored");
  await sub("team's", "escalating", "unresolved");
  await sub("nobody's", "ongoing", "unresolved");
  await sql`
    insert into issue_links (project_id, issue_id, key, url, created_by, created_at)
    values (${projectId}, ${world.idOf("team's")}, '#1', 'https://a.example/1', '', now())
  `;
  const all = [...GROUPS].sort();
  const cases: Record<string, string[]> = {
    "issue.priority:high": ["gone", "nobody's", "team's"],
    "issue.priority:[low, medium]": ["ann's", "bob's"],
    "!issue.priority:High": ["ann's", "bob's"],
    "has:issue.priority": all,
    "is:archived": ["ann's"],
    "is:muted": ["ann's"],
    "is:archived_forever": ["ann's"],
    "is:forever": ["ann's"],
    "is:until_escalating": [],
    "is:archived_until_condition_met": [],
    "is:escalating": ["team's"],
    "is:ongoing": ["nobody's"],
    "is:new": ["bob's"],
    "is:new OR is:forever": ["ann's", "bob's"],
    "!is:new": ["ann's", "gone", "nobody's", "team's"],
    "is:for_review": ["bob's", "team's"],
    "is:for_review is:new": ["bob's"],
    "is:linked": ["team's"],
    "is:unlinked": ["ann's", "bob's", "gone", "nobody's"],
    "is:reprocessing": [],
  };
  for (const [search, expected] of Object.entries(cases)) {
    assert.deepEqual(await world.find(search), expected, search);
  }
});

Deno.test("issues are found by the release that brought them back", async () => {
  await using world = await team();
  const regress = (group: string, version: string) =>
    world.sql`
      insert into issue_activity (project_id, issue_id, type, actor_kind, data, created_at)
      values (
        ${world.projectId}, ${world.idOf(group)}, 'set_regression', 'release',
        ${world.sql.json({ version })}, now()
      )
    `;
  await regress("bob's", "shop@1.0");
  await regress("gone", "shop@0.9");
  assert.deepEqual(await world.find("regressed_in_release:shop@0.9"), ["gone"]);
  assert.deepEqual(await world.find("regressed_in_release:shop@*"), ["bob's", "gone"]);
  assert.deepEqual(await world.find("!regressed_in_release:shop@*"), [
    "ann's",
    "nobody's",
    "team's",
  ]);
  const newest = await world.find("regressed_in_release:latest");
  assert.deepEqual(newest, await world.find(`regressed_in_release:${await latest(world.sql)}`));
});

async function latest(sql: Awaited<ReturnType<typeof team>>["sql"]): Promise<string> {
  const [row] = await sql<
    { release: string }[]
  >`select last_release as release from issues limit 1`;
  return row?.release ?? "";
}

Deno.test("every key of Sentry's issue search is understood", async () => {
  await using world = await team();
  const short = "SHOP-1";
  const hex = "0af7651916cd43dd8448eb211c80319c";
  const words = [
    "unresolved resolved ignored archived muted reprocessing assigned unassigned for_review linked",
    "unlinked new ongoing escalating regressed archived_until_escalating",
    "archived_until_condition_met archived_forever until_escalating until_condition_met forever",
  ].join(" ").split(" ");
  const searches = [
    ...words.map((word) => `is:${word}`),
    ...["assigned", "assigned_to", "assigned_or_suggested"].map((key) =>
      `${key}:[me, my_teams, none]`
    ),
    ...["bookmarks", "bookmarked_by", "subscribed", "subscribed_by"].map((key) => `${key}:me`),
    ...["firstSeen", "age", "first_seen", "lastSeen", "last_seen", "event.timestamp", "date"]
      .map((key) => `${key}:-24h`),
    "activeSince:-24h",
    ...["timesSeen", "times_seen", "userCount"].map((key) => `${key}:>1k`),
    ...["first-release", "firstRelease", "first_release", "release", "regressed_in_release"]
      .flatMap((key) => [`${key}:latest`, `${key}:shop@1*`]),
    "release.version:>1.2",
    "release.version:1.*",
    "release.package:shop",
    "release.build:7",
    "release.stage:low_adoption",
    "issue.category:error",
    "issue.type:error",
    "issue.priority:[high, medium]",
    `issue:${short}`,
    "issue.id:1",
    "project:shop",
    "project.id:1",
    "level:error",
    ...["platform", "dist", "environment", "transaction", "url", "title", "message"]
      .map((key) => `${key}:x*`),
    `trace:${hex}`,
    ...["id", "email", "username", "ip"].map((field) => `user.${field}:x`),
    'user:"email:x"',
    ...["error.type", "error.value", "stack.filename", "stack.function", "stack.module"]
      .map((key) => `${key}:x`),
    ...["error.handled", "error.unhandled", "error.main_thread"].map((key) => `${key}:true`),
    "stack.abs_path:x",
    "stack.package:x",
    "stack.lineno:7",
    ...["http.method", "http.referer", "http.status_code", "geo.city", "device.family", "os.name"]
      .map((key) => `${key}:x`),
    "sdk.name:x",
    "tags[level]:x",
    "issue.seer_actionability:high",
    "issue.seer_last_run:-1d",
    "detector:1",
  ];
  for (const search of searches) {
    const found = await world.find(search);
    const others = await world.find(`!${search}`);
    assert.ok(found.every((each) => !others.includes(each)), search);
    assert.equal(found.length + others.length, GROUPS.length, search);
  }
});
