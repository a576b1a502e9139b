import { InvalidInput } from "@/lib/core/errors.ts";
import { mergeIssues } from "@/lib/errors/issue_merge.ts";
import { managePath } from "@/lib/errors/manage/frame.tsx";
import { similarIssues } from "@/lib/errors/manage/similar.ts";
import { SimilarPage, type SimilarView } from "@/lib/errors/manage/similar_page.tsx";
import { letSplitsFollow } from "@/lib/errors/manage/split.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireManaged } from "@/lib/server/manage_issue.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import { t } from "@/lib/core/language/translate.ts";

/** Issues that may be one with this one. */
export default define.page<typeof handler>(({ data }) => <SimilarPage {...data} />);

export const handler = formHandlers<SimilarView>(
  async (ctx) => {
    const { view } = await requireManaged(ctx, "project:read");
    const { project, issue } = view;
    ctx.state.meta.title = `${t("Similar issues")} · ${project.name}`;
    return { ...view, similar: await similarIssues(ctx.state.services.sql, project.id, issue) };
  },
  async (ctx) => {
    const { view: { project, issue }, actor } = await requireManaged(ctx, "issue:write");
    const { services } = ctx.state;
    const form = await readForm(ctx.req);
    const here = managePath(project.id, issue.id, "similar");
    try {
      const ids = [issue.id, fieldOf(form, "other")].filter((id) => /^\d{1,18}$/.test(id));
      const merged = await mergeIssues(services.sql, project.id, ids, new Date(), { actor });
      if (merged === null) return redirectWithFlash(here, t("This issue is gone."), "warning");
      await letSplitsFollow(services, project.id);
      const undo = {
        action: managePath(project.id, merged.into, "groups"),
        id: merged.undo ?? "0",
      };
      return redirectWithFlash(
        managePath(project.id, merged.into, "similar"),
        t("Merged."),
        "ok",
        undo,
      );
    } catch (error) {
      if (error instanceof InvalidInput) return redirectWithFlash(here, error.message, "warning");
      throw error;
    }
  },
);
