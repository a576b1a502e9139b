import { page } from "fresh";
import { listEventsOfIssue } from "@/lib/errors/events.ts";
import { EventListPage, type EventListView } from "@/lib/errors/event_list_page.tsx";
import { PAGE_SIZE } from "@/lib/errors/issue_list.ts";
import { requireIssue } from "@/lib/errors/load_issue_page.ts";
import { intervalOf, parseScope } from "@/lib/ui/scope.ts";
import { loadFrame } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { eventsPath } from "@/lib/ui/links.ts";
import { t } from "@/lib/core/language/translate.ts";
import { issueWords } from "@/lib/errors/monitor_words.ts";

export default define.page<typeof handler>(({ data }) => <EventListPage {...data} />);

export const handler = define.handlers<EventListView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const scope = parseScope(ctx.url.searchParams);
    const issue = await requireIssue(sql, project.id, ctx.params.issue ?? "");
    if (issue.mergedInto !== null) {
      return ctx.redirect(eventsPath(project.id, issue.mergedInto) + ctx.url.search, 303);
    }
    const [frame, events] = await Promise.all([
      loadFrame(ctx, project),
      listEventsOfIssue(sql, {
        projectId: project.id,
        issueId: issue.id,
        environments: scope.environments,
        releases: scope.releases,
        ...intervalOf(scope, new Date()),
        cursor: ctx.url.searchParams.get("cursor"),
        limit: PAGE_SIZE,
      }),
    ]);
    meta.title = t("Events of {title}", { title: issueWords(issue).title });
    return page({ ...frame, project, issue, events });
  },
});
