import assert from "node:assert/strict";
import { organize, releaseAll, shareOut, workplaceOf } from "../../demo/teamwork.ts";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { listMembers, SCOPES } from "@/lib/accounts/members.ts";
import { listTeams } from "@/lib/accounts/teams.ts";
import { suspectCommits } from "@/lib/releases/suspects.ts";
import { errorEvent } from "../support/error_event.ts";
import { listeningApp } from "../support/listening_app.ts";

Deno.test("the shop's people release before its errors come, and share them out afterwards", async () => {
  await using app = await listeningApp();
  const { kv, sql, writer } = app.services;
  const [owner] = await listMembers(kv, app.organization.id);
  const { token } = await createApiToken(kv, {
    organizationId: app.organization.id,
    userId: owner?.user.id ?? "",
    name: "demo",
    scopes: SCOPES,
  });
  const place = await workplaceOf(app.url, token, app.projectId);
  const now = new Date();
  await organize(place);
  await organize(place);
  const [teams, owned] = await Promise.all([
    listTeams(kv, app.organization),
    sql`select from ownership_rules`,
  ]);
  assert.deepEqual(teams.map(({ slug }) => slug).sort(), ["checkout", "everyone", "platform"]);
  assert.equal(owned.length, 1);
  await releaseAll(place, now);
  const found = await suspectCommits(sql, app.projectId, {
    release: "web@3.1.0",
    frames: [{ path: "webpack:///src/money/format.ts" }],
  });
  assert.deepEqual(found.map(({ authorName }) => authorName), ["Ana Prokopová"]);
  const deploys = await sql`
    select distinct environment from deploys where finished_at <= ${now} order by environment
  `;
  assert.deepEqual(deploys.map(({ environment }) => environment), ["production", "staging"]);

  const charge = "Cannot charge order 7: provider does not answer";
  const sent = "SMTPServerDisconnected: Connection unexpectedly closed";
  const records = [charge, sent].map((title) => errorEvent({ group: title, title }));
  await writer.commit(app.projectId, { records, outcomes: [] });
  const missing = await shareOut(place, now);
  assert.ok(missing.every((word) => word.startsWith("no issue about")), missing.join());
  const issues = await sql`select title, status, assignee_kind as assignee from issues order by id`;
  assert.deepEqual(issues.map(({ title, status, assignee }) => [title, status, assignee]), [
    [charge, "unresolved", "user"],
    [sent, "resolved", null],
  ]);
  const notes = await sql`select from issue_activity where type = 'note'`;
  assert.equal(notes.length, 1);
});
