import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { preferencesOf } from "@/lib/notifications/mod.ts";
import { acme } from "@/test/support/ui_app.ts";

Deno.test("people choose what they are told of, and projects that they do not want to hear of", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const project = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "node",
  });
  const { user, visitor } = await app.member("member");
  const shown = await visitor.get("/account/notifications");
  assert.equal(shown.status, 200);
  assert.match(shown.html, /SMTP_HOST/);
  assert.match(shown.html, new RegExp(`name="project.${project.id}"[^>]*checked`));
  await visitor.post("/account/notifications", { weekly: "on", mentioned: "on" });
  const kept = await preferencesOf(kv, user.id);
  assert.deepEqual(kept, {
    assigned: false,
    owned: false,
    mentioned: true,
    participating: false,
    returned: false,
    own: false,
    weekly: true,
    mutedProjects: [project.id],
  });
});

Deno.test("strangers choose nothing", async () => {
  await using app = await acme();
  const answer = await app.visitor().get("/account/notifications");
  assert.equal(answer.status, 303);
});
