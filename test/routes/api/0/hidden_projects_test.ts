/** Every address of the management API as somebody who sees none of the organization's projects. */
import assert from "node:assert/strict";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import { testApi } from "@/test/support/api_people.ts";
import { RULES } from "./access_rules.ts";
import { fill, freshParams } from "./access_params.ts";

Deno.test("whoever sees only their teams' projects is told of no other at any address of the API", async (t) => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  const params = await freshParams(api);
  const settings = { showsOnlyTeamProjects: true };
  await updateOrganization(api.services.kv, api.organization.id, { settings });
  // Of what is asked for by name, the answer may repeat the name; what a list tells of a project is more.
  const told = [`"projectSlug":"walk"`, `"slug":"walk"`, `"Walk"`];
  for (const { method, pattern, body } of RULES) {
    await t.step(`${method} /api/0${pattern}/`, async () => {
      for (const actor of ["viewer", "member"] as const) {
        const answer = await api.call<unknown>(actor, fill(pattern, params), { method, body });
        const message = `as ${actor}: ${answer.status} ${JSON.stringify(answer.body)}`;
        if (pattern.includes("/:project") || isOfProject(pattern)) {
          assert.ok([403, 404].includes(answer.status), message);
          if (method === "GET") assert.equal(answer.status, 404, message);
        } else if (method === "GET" && !OF_NO_PROJECT.test(pattern)) {
          assert.ok(answer.status < 500, message);
          const text = JSON.stringify(answer.body);
          // A team is called like the project.
          if (pattern.includes("team") || pattern.includes("member")) continue;
          if (pattern.includes("access-requests") || pattern.includes("users")) continue;
          for (const each of told) assert.ok(!text.includes(each), message);
        }
      }
    });
  }
});

/** What a link has made public, and what says nothing of any project. */
const OF_NO_PROJECT = /\/shared\/issues\/|\/(previous-with-commits|assemble)$/;

/** Names something of a project, without the project. */
function isOfProject(pattern: string): boolean {
  return /:(issue|monitor|mapping|version|event|link|note)\b/.test(pattern) &&
    !OF_NO_PROJECT.test(pattern);
}
