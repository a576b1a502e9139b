import assert from "node:assert/strict";
import { addMember } from "@/lib/accounts/members.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { createTeam, joinTeam } from "@/lib/accounts/teams.ts";
import { testDeliveries } from "@/test/support/deliveries.ts";
import { mailServer, readable, smtpTo } from "@/test/support/mail_server.ts";
import { createOrganization } from "@/test/support/organizations.ts";
import { person } from "@/test/support/people.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { testWriter } from "@/test/support/writer.ts";

/** A shop with Olga, Ann and Vera, of whom Ann is in a team, and one issue. */
async function ownedShop() {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await mailServer());
  const world = opened.use(await testDeliveries({ smtp: smtpTo(server) }));
  const { kv, sql } = world;
  const writer = opened.use(testWriter(sql));
  const olga = await person(kv, "olga");
  const organization = await createOrganization(kv, { name: "Acme", ownerId: olga.id });
  const organizationId = organization.id;
  const project = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const [ann, vera] = [await person(kv, "ann"), await person(kv, "vera")];
  for (const { id } of [ann, vera]) {
    await addMember(kv, { role: "owner", userId: olga.id }, organizationId, id, "member");
  }
  const team = await joinTeam(kv, await createTeam(kv, { organizationId, name: "Web" }), ann.id);
  await writer.store(project.id, errorEvent({ group: "one" }));
  const [issue] = await sql<{ id: string }[]>`select id::text as id from issues`;
  const issueId = issue?.id ?? "";
  const kept = opened.move();
  return {
    ...world,
    ann,
    vera,
    team,
    issueId,
    async own(kind: "user" | "team", ownerId: string) {
      await sql`
        insert into issue_owners
          (project_id, issue_id, owner_kind, owner_id, place, source, reason, created_at)
        values (${project.id}, ${issueId}, ${kind}, ${ownerId}, 0, 'rule', '*', now())
      `;
    },
    async seen(userId: string) {
      await sql`
        insert into issue_people (project_id, issue_id, user_id, seen_at)
        values (${project.id}, ${issueId}, ${userId}, now())
      `;
    },
    /** Tells such a channel of the issue. @returns who got a mail */
    async tell(fallthrough: string, changes: { readonly issueId?: string } = { issueId }) {
      const channel = await world.channel("owners", { fallthrough }, project.id);
      const before = server.mails.length;
      await world.enqueue({ projectId: project.id, title: "New issue: one", ...changes }, channel);
      await world.run();
      const [delivery] = await world.listed(channel);
      assert.equal(delivery?.state, "sent");
      return server.mails.slice(before).flatMap(({ to }) => to).sort();
    },
    readLast: () => readable(server.mails.at(-1)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const address = (name: string) => `${name}@example.com`;

Deno.test("owners of an issue and whoever has it get the alert, a team member by member", async () => {
  await using shop = await ownedShop();
  await shop.own("team", shop.team.id);
  assert.deepEqual(await shop.tell("AllMembers"), [address("ann")]);
  assert.match(shop.readLast(), /New issue: one/);
  await shop.sql`
    update issues set assignee_kind = 'user', assignee_id = ${shop.vera.id}, assigned_by = 'user'
  `;
  assert.deepEqual(await shop.tell("NoOne"), [address("ann"), address("vera")]);
});

Deno.test("an issue that nobody owns falls through to all members, the active ones or nobody", async () => {
  await using shop = await ownedShop();
  await shop.seen(shop.vera.id);
  assert.deepEqual(await shop.tell("AllMembers"), ["ann", "olga", "vera"].map(address));
  assert.deepEqual(await shop.tell("ActiveMembers"), [address("vera")]);
  assert.deepEqual(await shop.tell("NoOne"), []);
});

Deno.test("an alert about an issue that has just come waits until the rules were asked", async () => {
  await using shop = await ownedShop();
  const { sql, issueId } = shop;
  await sql`
    insert into ownership_rules (project_id, raw, created_at, updated_at) values (1, '* #web', now(), now())
  `;
  const channel = await shop.channel("owners", { fallthrough: "AllMembers" });
  await shop.enqueue({ issueId, occurredAt: new Date() }, channel);
  await shop.run();
  assert.equal((await shop.listed(channel))[0]?.state, "waiting");
  await shop.own("user", shop.vera.id);
  await sql`insert into issue_owner_checks values (1, ${issueId}, now())`;
  shop.pass(15);
  await shop.run();
  assert.equal((await shop.listed(channel))[0]?.state, "sent");
  assert.match(shop.readLast(), /vera@example\.com/);
});

Deno.test("an alert that is about no issue falls through as well, and former members hear nothing", async () => {
  await using shop = await ownedShop();
  await shop.own("user", crypto.randomUUID());
  assert.deepEqual(await shop.tell("NoOne", {}), []);
  assert.deepEqual(await shop.tell("AllMembers"), ["ann", "olga", "vera"].map(address));
});
