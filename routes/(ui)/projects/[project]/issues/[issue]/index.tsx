import { page } from "fresh";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { localPath, readForm } from "@/lib/ui/form.ts";
import { actOnIssues } from "@/lib/errors/issue_actions.ts";
import { IssuePage, type IssuePageView } from "@/lib/errors/issue_page.tsx";
import { issueElsewhere, loadIssuePage } from "@/lib/errors/load_issue_page.ts";
import { openIssueTeam } from "@/lib/errors/workflow/issue_team.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { issuePath } from "@/lib/ui/links.ts";
import { issueWords } from "@/lib/errors/monitor_words.ts";

/** An issue with its newest event. */
export default define.page<typeof handler>(({ data }) => <IssuePage {...data} />);

export const handler = define.handlers<IssuePageView>({
  async GET(ctx) {
    const { project, role, userId } = await requireProject(ctx, "project:read");
    const { sql } = ctx.state.services;
    const elsewhere = await issueElsewhere(sql, project, ctx.params.issue ?? "");
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
    const team = await openIssueTeam(ctx.state.services, project, details.issue.id, userId);
    ctx.state.meta.title = issueWords(details.issue).title;
    return page({ shell, project, role, userId, team, path: ctx.url.pathname, ...details });
  },

  async POST(ctx) {
    const { project, userId } = await requireProject(ctx, "issue:write");
    const form = await readForm(ctx.req);
    const { text, kind, undo } = await actOnIssues(ctx.state.services, {
      project,
      user: { id: userId ?? "" },
      issues: [ctx.params.issue ?? ""],
      form,
    });
    return redirectWithFlash(
      localPath(form.get("back"), ctx.url.pathname),
      text,
      kind,
      undo === null ? null : { action: ctx.url.pathname, id: undo },
    );
  },
});
