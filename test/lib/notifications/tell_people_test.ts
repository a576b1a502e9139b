import assert from "node:assert/strict";
import type { SmtpConfig } from "@/lib/core/config.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import { addMember, removeMember } from "@/lib/accounts/members.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { addTeamProject, createTeam, joinTeam } from "@/lib/accounts/teams.ts";
import {
  DEFAULT_PREFERENCES,
  type Preferences,
  setPreferences,
} from "@/lib/notifications/preferences.ts";
import { startNotifications } from "@/lib/notifications/start.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { type MailServer, mailServer, readable, smtpTo } from "@/test/support/mail_server.ts";
import { interleaved } from "@/test/support/interleaved_kv.ts";
import { createOrganization } from "@/test/support/organizations.ts";
import { person } from "@/test/support/people.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testDatabase, testKv } from "@/test/support/stores.ts";
import { testWriter } from "@/test/support/writer.ts";

/** Acme's shop with issues, two people beside its owner, and a mail server that it tells them through. */
async function toldShop() {
  await using opened = new AsyncDisposableStack();
  const mails: MailServer = opened.use(await mailServer());
  const { kv } = opened.use(await testKv());
  const { sql } = opened.use(await testDatabase());
  const writer = opened.use(testWriter(sql));
  const owner = await person(kv, "olga");
  const organization = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const project = await createProject(kv, {
    organizationId: organization.id,
    name: "Shop",
    platform: "node",
  });
  const [ann, vera] = [await person(kv, "ann"), await person(kv, "vera")];
  for (const { id } of [ann, vera]) {
    await addMember(kv, { role: "owner", userId: owner.id }, organization.id, id, "member");
  }
  const config = { baseUrl: "https://watch.example.com", smtp: smtpTo(mails) };
  /** One look at what is to be told, with other settings or at another time. */
  async function tell(
    changes: { smtp?: SmtpConfig | null; now?: Date; kv?: Deno.Kv } = {},
  ): Promise<void> {
    const { smtp = config.smtp, now = new Date(Date.now() + 10_000) } = changes;
    const notifications = startNotifications({
      kv: changes.kv ?? kv,
      sql,
      config: { ...config, smtp },
      log: silentLogger,
      now: () => now,
      pollMs: null,
    });
    await notifications.run();
    await notifications.close();
  }
  const kept = opened.move();
  return {
    kv,
    organization,
    project,
    ann,
    vera,
    mails: mails.mails,
    tell,
    async issue(group: string, at: Date = new Date(), events = 1): Promise<string> {
      const times = { timestamp: at, receivedAt: at };
      const records = Array.from({ length: events }, () => errorEvent({ group, ...times }));
      await writer.store(project.id, ...records);
      const [row] = await sql<{ id: string }[]>`
        select id from issues where project_id = ${project.id} and title = ${`Error: ${group}`}
      `;
      return row?.id ?? "";
    },
    async note(
      issueId: string,
      type: string,
      data: object,
      actorId: string | null = null,
      changeId: string | null = null,
    ) {
      await sql`
        insert into issue_activity
          (project_id, issue_id, type, actor_kind, actor_id, change_id, data, created_at)
        values (
          ${project.id}, ${issueId}, ${type}, ${actorId === null ? "system" : "user"}, ${actorId},
          ${changeId},
          ${JSON.stringify(data)}::text::jsonb, now()
        )
      `;
    },
    async subscribe(issueId: string, userId: string, subscription: string) {
      await sql`
        insert into issue_people (project_id, issue_id, user_id, subscription)
        values (${project.id}, ${issueId}, ${userId}, ${subscription})
      `;
    },
    /** An owner that rules have found, who has not heard of it. */
    async own(issueId: string, userId: string, source = "rule") {
      await sql`
        insert into issue_owners
          (project_id, issue_id, owner_kind, owner_id, place, source, reason, is_told, created_at)
        values (${project.id}, ${issueId}, 'user', ${userId}, 0, ${source}, 'path:cart.* #x', false, now())
      `;
    },
    prefer: (userId: string, changes: Partial<Preferences>) =>
      setPreferences(kv, userId, { ...DEFAULT_PREFERENCES, ...changes }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function subjectOf({ text }: { readonly text: string }): string {
  return /^Subject: (.*(?:\n .*)*)/m.exec(text)?.[1]?.replaceAll("\n ", " ") ?? "";
}

Deno.test("whom an issue is assigned to gets one mail, with who did it and where to look", async () => {
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.note(
    issueId,
    "assigned",
    { assignee: shop.ann.id, assigneeType: "user" },
    shop.vera.id,
  );
  await shop.tell();
  await shop.tell();
  assert.deepEqual(shop.mails.map(({ to }) => to), [["ann@example.com"]]);
  const [mail] = shop.mails;
  assert.match(mail ? subjectOf(mail) : "", /^\[SHOP-1\] Error: broken$/);
  assert.match(readable(mail), /vera assigned it to you\./);
  assert.match(readable(mail), new RegExp(`/projects/${shop.project.id}/issues/${issueId}`));
});

Deno.test("a team is told member by member, each once", async () => {
  await using shop = await toldShop();
  const { kv } = shop;
  let team = await createTeam(kv, { organizationId: shop.organization.id, name: "Backend" });
  team = await joinTeam(kv, team, shop.ann.id);
  team = await joinTeam(kv, team, shop.vera.id);
  await addTeamProject(kv, team, shop.project.id);
  await shop.note(await shop.issue("broken"), "assigned", {
    assignee: team.id,
    assigneeType: "team",
  });
  await shop.tell();
  assert.deepEqual(shop.mails.flatMap(({ to }) => to).sort(), [
    "ann@example.com",
    "vera@example.com",
  ]);
  assert.match(readable(shop.mails[0]), /assigned it to #backend/);
});

Deno.test("what was done with an issue within a moment is one mail to each who takes part", async () => {
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.subscribe(issueId, shop.ann.id, "commented");
  await shop.subscribe(issueId, shop.vera.id, "off");
  await shop.note(issueId, "note", { text: "Looks like the cache" }, shop.vera.id);
  await shop.note(issueId, "set_resolved", {}, shop.vera.id);
  await shop.tell();
  assert.deepEqual(shop.mails.map(({ to }) => to), [["ann@example.com"]]);
  assert.match(readable(shop.mails[0]), /Looks like the cache[^]*vera resolved it\./);
});

Deno.test("who is named in a comment is told, and who is in a team that is named", async () => {
  await using shop = await toldShop();
  const { kv } = shop;
  const team = await createTeam(kv, { organizationId: shop.organization.id, name: "Backend" });
  await joinTeam(kv, team, shop.vera.id);
  const mentions = [`user:${shop.ann.id}`, `team:${team.id}`, "nobody"];
  await shop.note(await shop.issue("broken"), "note", { text: "Look, @ann", mentions });
  await shop.tell();
  assert.deepEqual(shop.mails.flatMap(({ to }) => to).sort(), [
    "ann@example.com",
    "vera@example.com",
  ]);
});

Deno.test("a change of many issues is one mail", async () => {
  await using shop = await toldShop();
  for (let index = 0; index < 5; index++) {
    const issueId = await shop.issue(`broken ${index}`);
    await shop.subscribe(issueId, shop.ann.id, "bookmarked");
    await shop.note(issueId, "set_resolved", {}, shop.vera.id);
  }
  await shop.tell();
  assert.deepEqual(shop.mails.map(subjectOf), ["5 issues of yours changed"]);
});

Deno.test("two issues changed at once are one mail, and two after each other are two", async () => {
  await using shop = await toldShop();
  const issues = [await shop.issue("one"), await shop.issue("two")];
  for (const changeId of ["7", null]) {
    for (const issueId of issues) {
      if (changeId !== null) await shop.subscribe(issueId, shop.ann.id, "bookmarked");
      await shop.note(issueId, "set_resolved", {}, shop.vera.id, changeId);
    }
    await shop.tell();
  }
  assert.deepEqual(shop.mails.map(subjectOf), [
    "2 issues of yours changed",
    "[SHOP-1] Error: one",
    "[SHOP-2] Error: two",
  ]);
});

Deno.test("who has left the organization is told nothing", async () => {
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.subscribe(issueId, shop.ann.id, "commented");
  await removeMember(
    shop.kv,
    { role: "owner", userId: null },
    shop.organization.id,
    shop.ann.id,
  );
  await shop.note(
    issueId,
    "note",
    { text: "Secret", mentions: [`user:${shop.ann.id}`] },
    shop.vera.id,
  );
  await shop.tell();
  assert.deepEqual(shop.mails, []);
});

Deno.test("what people switched off stays away, and what they asked for comes", async () => {
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.subscribe(issueId, shop.ann.id, "commented");
  await shop.prefer(shop.ann.id, { participating: false });
  await shop.note(issueId, "set_resolved", {}, shop.vera.id);
  await shop.tell();
  assert.equal(shop.mails.length, 0);
  await shop.note(issueId, "set_regression", { version: "shop@2.0" });
  await shop.tell();
  assert.equal(shop.mails.length, 1);
  assert.match(readable(shop.mails[0]), /It happened again, in shop@2\.0\./);
});

Deno.test("the weekly report comes once, to whom asked for it, with the figures of the week", async () => {
  await using shop = await toldShop();
  const thursday = new Date("2026-11-19T12:00:00Z");
  await shop.issue("often", thursday, 2);
  await shop.issue("once", thursday);
  await shop.prefer(shop.ann.id, { weekly: true });
  await shop.tell({ now: new Date("2026-11-23T06:00:00Z") });
  assert.equal(shop.mails.length, 0);
  await shop.tell({ now: new Date("2026-11-23T08:00:00Z") });
  await shop.tell({ now: new Date("2026-11-24T08:00:00Z") });
  assert.deepEqual(shop.mails.map(({ to }) => to), [["ann@example.com"]]);
  assert.equal(shop.mails.map(subjectOf)[0], "The week of Acme: 3 errors");
  const text = readable(shop.mails[0]);
  assert.match(text, /2 new issues · 0 regressed · 0 resolved/);
  assert.match(text, /2 × SHOP-1 Error: often/);
});

Deno.test("a mail that the server does not take now is tried again later", async () => {
  await using busy = await mailServer({ refuseWith: { code: 451, text: "Busy" } });
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.note(issueId, "assigned", { assignee: shop.ann.id, assigneeType: "user" });
  await shop.tell({ smtp: smtpTo(busy) });
  assert.equal(shop.mails.length, 0);
  await shop.tell({ now: new Date(Date.now() + 120_000) });
  assert.equal(shop.mails.length, 1);
});

Deno.test("without a mail server nothing waits for one", async () => {
  await using shop = await toldShop();
  await shop.note(await shop.issue("broken"), "assigned", { assignee: shop.ann.id });
  await shop.tell({ smtp: null });
  await shop.tell();
  assert.equal(shop.mails.length, 0);
});

Deno.test("owners are told once of a new issue, with the rule, unless they want no such mail", async () => {
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.own(issueId, shop.ann.id);
  await shop.own(issueId, shop.vera.id, "suspect");
  await shop.prefer(shop.vera.id, { owned: false });
  await shop.tell();
  await shop.tell();
  assert.deepEqual(shop.mails.map(({ to }) => to), [["ann@example.com"]]);
  assert.match(readable(shop.mails[0]), /It is new, and yours by the ownership rule path:cart/);
});

Deno.test("owners hear that an issue came back", async () => {
  await using shop = await toldShop();
  const issueId = await shop.issue("broken");
  await shop.own(issueId, shop.ann.id);
  await shop.tell();
  await shop.note(issueId, "set_regression", {});
  await shop.tell();
  assert.equal(shop.mails.length, 2);
  assert.match(readable(shop.mails[1]), /It happened again/);
});

Deno.test("whoever sets up mail later is not told of the new issues of last year", async () => {
  await using shop = await toldShop();
  await shop.own(await shop.issue("broken"), shop.ann.id);
  await shop.tell({ smtp: null });
  await shop.tell();
  assert.equal(shop.mails.length, 0);
});

Deno.test("who hung while another told people of an issue tells them nothing again", async () => {
  await using shop = await toldShop();
  const assigned = { assignee: shop.ann.id, assigneeType: "user" };
  await shop.note(await shop.issue("broken"), "assigned", assigned, shop.vera.id);
  await shop.own(await shop.issue("owned"), shop.ann.id);
  // It has read what is to be told; then its lease runs out, and another tells all of it.
  const hung = interleaved(shop.kv, "project", async () => {
    await shop.kv.delete(keyOf.lease("notifications"));
    await shop.tell();
  });
  await shop.tell({ kv: hung });
  await shop.tell();
  assert.deepEqual(shop.mails.map(subjectOf).sort(), [
    "[SHOP-1] Error: broken",
    "[SHOP-2] Error: owned",
  ]);
});
