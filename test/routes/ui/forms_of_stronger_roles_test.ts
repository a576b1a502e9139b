/** Forms that pages do not show to somebody, as they send them all the same. */
import assert from "node:assert/strict";
import { everyForm, shapeOf } from "@/test/support/every_form.ts";
import { everyPage } from "@/test/support/every_page.ts";
import { sentBy } from "@/test/support/page_forms.ts";
import { differences, storedAbout } from "@/test/support/stored_about.ts";
import { acme } from "@/test/support/ui_app.ts";

/** What is not there for who may do nothing there. */
const HIDDEN = /^\/(?:projects\/new|instance)\b/;

function refusalsOf(path: string): readonly number[] {
  return HIDDEN.test(path) ? [403, 404] : [403];
}

Deno.test("a form that a page does not show to somebody is forbidden to them, and changes nothing", async (t) => {
  await using app = await acme();
  const pages = await everyPage(app);
  const project = pages.find(({ pattern }) => pattern === "/projects/[project]");
  const stored = () => storedAbout(app.services, [project?.path.split("/")[2] ?? ""], /./);
  const forms = await everyForm(app, pages);
  for (const role of ["viewer", "member"] as const) {
    const { visitor } = await app.member(role);
    await t.step(`to a ${role}`, async () => {
      const shown = new Set((await everyForm({ ...app, owner: visitor }, pages)).map(shapeOf));
      const others = forms.filter((form) => !shown.has(shapeOf(form)));
      assert.ok(others.length > 50);
      const before = await stored();
      for (const form of others) {
        const { status } = await visitor.post(form.path, sentBy(form));
        assert.ok(refusalsOf(form.path).includes(status), `${status} ${shapeOf(form)}`);
      }
      assert.deepEqual(differences(before, await stored()), []);
    });
  }
});
