import assert from "node:assert/strict";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import { settingsOf, updateSettings } from "@/lib/accounts/projects.ts";
import { acme } from "../../support/ui_app.ts";
import { type TestIntake, testIntake } from "../../support/test_intake.ts";
import { storedPayloads } from "../../support/stored_payloads.ts";

async function lastUser({ services: { sql } }: TestIntake): Promise<unknown> {
  return (await storedPayloads(sql)).at(-1)?.user;
}

function envelope(user: object): string {
  const id = crypto.randomUUID().replaceAll("-", "");
  const event = JSON.stringify({ platform: "javascript", message: "x", user });
  return `${JSON.stringify({ event_id: id })}\n${JSON.stringify({ type: "event" })}\n${event}\n`;
}

Deno.test("an organization that keeps no addresses stores none of any project, from the next request on, whatever projects say", async () => {
  await using intake = await testIntake();
  const { services, organization, project } = intake;
  const { privacy } = settingsOf(project);
  await updateSettings(services.kv, project.id, { privacy: { ...privacy, keepsAddresses: true } });
  await intake.post(envelope({ id: "7", ip_address: "203.0.113.9" }));
  assert.deepEqual(await lastUser(intake), { id: "7", ip_address: "203.0.113.9" });

  await updateOrganization(services.kv, organization.id, { settings: { keepsAddresses: false } });
  for (const ip_address of ["203.0.113.9", "{{auto}}"]) {
    await intake.post(envelope({ id: "7", ip_address }));
    assert.deepEqual(await lastUser(intake), { id: "7" }, ip_address);
  }
  const [{ count = -1 } = {}] = await services.sql<{ count: number }[]>`
    select count(*)::int as count from events_with_tags where tags::text like '%127.0.0.1%'
  `;
  assert.equal(count, 0);

  await updateOrganization(services.kv, organization.id, { settings: { keepsAddresses: true } });
  await updateSettings(services.kv, project.id, { privacy: { ...privacy, keepsAddresses: false } });
  await intake.post(envelope({ id: "7", ip_address: "203.0.113.9" }));
  assert.deepEqual(await lastUser(intake), { id: "7" }, "a project may be stricter");
});

Deno.test("a new organization keeps no addresses until somebody says so", async () => {
  await using app = await acme();
  const path = "/organizations/acme/settings/data";
  const before = await app.owner.get(path);
  assert.ok(!/name="keepsAddresses"[^>]* checked/.test(before.html));

  await app.owner.post(path, { keepsAddresses: "on" });

  const { html } = await app.owner.get(path);
  assert.match(html, /name="keepsAddresses"[^>]* checked/);
  assert.ok((await app.owner.get("/organizations/acme/settings/audit?event=org.edit")).html
    .includes("Keeps IP addresses"));
  const { visitor } = await app.member("admin");
  assert.equal((await visitor.post(path, {})).status, 403);
});
