import { page } from "fresh";
import { visible } from "../../../../../../lib/ui/event/read.ts";
import { redirectWithFlash } from "../../../../../../lib/ui/flash.ts";
import { localPath, readForm } from "../../../../../../lib/ui/form.ts";
import { changeStatus } from "../../../../../../lib/ui/issues/issue_actions.ts";
import { IssuePage, type IssuePageView } from "../../../../../../lib/ui/issues/issue_page.tsx";
import { loadIssuePage } from "../../../../../../lib/ui/issues/load_issue_page.ts";
import { loadShell } from "../../../../../../lib/ui/shell.ts";
import { requireProject } from "../../../../../../lib/web/access.ts";
import { define } from "../../../../../../lib/web/define.ts";

/** An issue with its newest event. */
export default define.page<typeof handler>(({ data }) => <IssuePage {...data} />);

export const handler = define.handlers<IssuePageView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const [shell, details] = await Promise.all([
      loadShell(ctx, project),
      loadIssuePage(ctx.state.services.sql, {
        projectId: project.id,
        issueId: ctx.params.issue ?? "",
        which: "latest",
        search: ctx.url.searchParams,
      }),
    ]);
    ctx.state.meta.title = visible(details.issue.title);
    return page({ shell, project, role, path: ctx.url.pathname, ...details });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "issue:write");
    const form = await readForm(ctx.req);
    const { text, kind } = await changeStatus(
      ctx.state.services.sql,
      project.id,
      form.get("action"),
      [ctx.params.issue ?? ""],
    );
    return redirectWithFlash(localPath(form.get("back"), ctx.url.pathname), text, kind);
  },
});
