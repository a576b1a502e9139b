import assert from "node:assert/strict";
import { createProject, findProject, settingsOf } from "@/lib/accounts/projects.ts";
import { acme, textOf } from "../../support/ui_app.ts";
import { wordingOf } from "@/lib/alerts/channels/message.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { notice } from "../../support/notices.ts";

async function shop() {
  const app = await acme({ allowPrivateWebhooks: true });
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const project = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  return { ...app, projectId: project.id, path: `/projects/${project.id}/settings/channels` };
}

Deno.test("the language of a project's messages is chosen on the page of its channels", async () => {
  await using app = await shop();
  const answer = await app.owner.post(app.path, { language: "ru" });
  assert.equal(answer.status, 303);
  const project = await findProject(app.services.kv, app.projectId);
  assert.equal(settingsOf(project ?? {}).language, "ru");
});

Deno.test("a language that there is not is refused", async () => {
  await using app = await shop();
  const answer = await app.owner.post(app.path, { language: "tlh" });
  assert.equal(answer.status, 400, textOf(answer.html));
});

Deno.test("several notices at once are counted in Russian for a Russian channel", () => {
  const items = Array.from({ length: 5 }, (_, i) => ({
    noticeId: String(i),
    notice: notice({ projectName: "Магазин", state: "firing" }),
  }));
  const [first, ...others] = items;
  assert.ok(first !== undefined);
  const { headline } = inLanguage(
    { language: "ru" },
    () => wordingOf({ messageId: "m", items: [first, ...others] }),
  );
  assert.equal(headline, "5 уведомлений проекта Магазин: 5 сработали");
});
