import { page } from "fresh";
import { IssuePage, type IssuePageView } from "@/lib/errors/issue_page.tsx";
import { issueElsewhere, loadIssuePage } from "@/lib/errors/load_issue_page.ts";
import { openIssueTeam } from "@/lib/errors/workflow/issue_team.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { eventPath } from "@/lib/ui/links.ts";
import { issueWords } from "@/lib/errors/monitor_words.ts";

/** An issue with one of its events: by id, or `latest` or `oldest`. */
export default define.page<typeof handler>(({ data }) => <IssuePage {...data} />);

export const handler = define.handlers<IssuePageView>({
  async GET(ctx) {
    const { project, role, userId } = await requireProject(ctx, "project:read");
    const { issue = "", event = "" } = ctx.params;
    const { sql } = ctx.state.services;
    const elsewhere = await issueElsewhere(sql, project, issue);
    if (elsewhere !== null) {
      return ctx.redirect(eventPath(project.id, elsewhere, event) + ctx.url.search, 303);
    }
    const [shell, details] = await Promise.all([
      loadShell(ctx, project),
      loadIssuePage(sql, {
        projectId: project.id,
        issueId: issue,
        which: event,
        search: ctx.url.searchParams,
      }),
    ]);
    const team = await openIssueTeam(ctx.state.services, project, details.issue.id, userId);
    ctx.state.meta.title = issueWords(details.issue).title;
    return page({ shell, project, role, userId, team, path: ctx.url.pathname, ...details });
  },
});
