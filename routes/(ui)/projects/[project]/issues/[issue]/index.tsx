import { page } from "fresh";
import { visible } from "@/lib/ui/json.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { localPath, readForm } from "@/lib/ui/form.ts";
import { actOnIssues } from "@/lib/errors/issue_actions.ts";
import { IssuePage, type IssuePageView } from "@/lib/errors/issue_page.tsx";
import { loadIssuePage, mergedElsewhere } from "@/lib/errors/load_issue_page.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { issuePath } from "@/lib/ui/links.ts";

/** An issue with its newest event. */
export default define.page<typeof handler>(({ data }) => <IssuePage {...data} />);

export const handler = define.handlers<IssuePageView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { sql } = ctx.state.services;
    const elsewhere = await mergedElsewhere(sql, project.id, ctx.params.issue ?? "");
    if (elsewhere !== null) {
      return ctx.redirect(issuePath(project.id, elsewhere) + ctx.url.search, 303);
    }
    const [shell, details] = await Promise.all([
      loadShell(ctx, project),
      loadIssuePage(sql, {
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
    const { text, kind } = await actOnIssues(ctx.state.services, {
      projectId: project.id,
      action: form.get("action"),
      issueIds: [ctx.params.issue ?? ""],
      mergedId: form.get("merged"),
    });
    return redirectWithFlash(localPath(form.get("back"), ctx.url.pathname), text, kind);
  },
});
