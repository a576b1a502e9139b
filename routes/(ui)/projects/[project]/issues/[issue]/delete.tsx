import { mergedInto } from "@/lib/errors/issue_merge.ts";
import { deleteIssues } from "@/lib/errors/manage/delete_issues.ts";
import { DeletePage, type DeleteView } from "@/lib/errors/manage/delete_page.tsx";
import { letDataGo } from "@/lib/errors/manage/purge.ts";
import { sharesOf } from "@/lib/errors/manage/shares.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireManaged } from "@/lib/server/manage_issue.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import { issuesPath } from "@/lib/ui/links.ts";
import { t } from "@/lib/core/language/translate.ts";

/** What goes with an issue, asked before it goes. */
export default define.page<typeof handler>(({ data }) => <DeletePage {...data} />);

export const handler = formHandlers<DeleteView>(
  async (ctx) => {
    const { view } = await requireManaged(ctx, "project:read");
    const { project, issue } = view;
    const { sql } = ctx.state.services;
    ctx.state.meta.title = `${t("Delete")} · ${project.name}`;
    const [merged, shares] = await Promise.all([
      mergedInto(sql, project.id, issue.id),
      sharesOf(sql, project.id, issue.id),
    ]);
    return { ...view, merged: merged.length, shares: shares.length };
  },
  async (ctx) => {
    const { view: { project, issue }, by } = await requireManaged(ctx, "issue:delete");
    const { services } = ctx.state;
    const action = fieldOf(await readForm(ctx.req), "action");
    if (action !== "delete" && action !== "discard") return { changes: {} };
    const isDiscard = action === "discard";
    await deleteIssues(services.sql, {
      projectId: project.id,
      issueIds: [issue.id],
      by,
      isDiscard,
    });
    await letDataGo(services, project.id);
    return redirectWithFlash(
      issuesPath(project.id),
      isDiscard
        ? t(
          "The issue is deleted, and what comes later of its kind is dropped. Settings → Filters takes it again.",
        )
        : t("The issue is deleted with all its data."),
    );
  },
);
