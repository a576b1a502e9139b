import { requireProject } from "@/lib/accounts/authorize.ts";
import { takeAgain } from "@/lib/errors/manage/discards.ts";
import { define } from "@/lib/server/define.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { t } from "@/lib/core/language/translate.ts";

/** Takes events of a discarded group again; the list is on the page of the filters. */
export const handler = define.handlers({
  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const form = await readForm(ctx.req);
    const title = await takeAgain(ctx.state.services.sql, project.id, fieldOf(form, "discard"));
    const back = `${sectionPath(project.id, "settings")}/filters#discards`;
    return title === null
      ? redirectWithFlash(back, t("This was not discarded any more."), "warning")
      : redirectWithFlash(back, t("Events of “{title}” are taken again.", { title }));
  },
});
