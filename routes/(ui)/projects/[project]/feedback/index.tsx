import { HiddenFields } from "@/lib/ui/components/fields.tsx";
import { ScopedPage, type ScopedView } from "@/lib/ui/scoped_page.tsx";
import { page } from "fresh";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { CursorPage } from "@/lib/store/query_limits.ts";
import { type FeedbackRow, listFeedback, resolveFeedback } from "@/lib/errors/events.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { CodeBlock } from "@/lib/ui/components/code_block.tsx";
import { EmptyState } from "@/lib/ui/components/panel.tsx";
import { PageHeader, Tabs } from "@/lib/ui/components/page.tsx";
import { CursorPages } from "@/lib/ui/components/table.tsx";
import { FeedbackItem } from "@/lib/errors/event/sections.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { localPath, readForm } from "@/lib/ui/form.ts";
import { PAGE_SIZE } from "@/lib/errors/issue_list.ts";
import { intervalOf, paramsOf, parseScope, scopedHref, scopeParams } from "@/lib/ui/scope.ts";
import { eventPath, sectionPath } from "@/lib/ui/links.ts";
import { loadFrame } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { BROWSER, serverDsn } from "@/lib/server/open_pages.ts";
import { t } from "@/lib/core/language/translate.ts";

interface FeedbackData extends ScopedView {
  readonly mayWrite: boolean;
  readonly feedback: CursorPage<FeedbackRow>;
  readonly isResolved: boolean;
  readonly search: string;
  /** Of a browser's key, for who wants to collect some. */
  readonly dsn: string;
}

/** What people wrote about the application. */
export default define.page<typeof handler>(({ data }) => {
  const { project, scope, feedback, isResolved, search } = data;
  const path = sectionPath(project.id, "feedback");
  const keep = { query: search, status: isResolved ? "resolved" : null };
  return (
    <ScopedPage
      view={data}
      section="feedback"
      crumbs={[{ label: project.name, href: scopedHref(path, scope) }, { label: t("Feedback") }]}
      path={path}
      keep={keep}
    >
      <PageHeader title={t("Feedback")} />
      <div class="mb-3 flex flex-wrap items-end justify-between gap-3">
        <Tabs
          label={t("Feedback")}
          tabs={[
            {
              href: scopedHref(path, scope, { query: search }),
              label: t("Open@@state"),
              isCurrent: !isResolved,
            },
            {
              href: scopedHref(path, scope, { query: search, status: "resolved" }),
              label: t("Resolved@@issues"),
              isCurrent: isResolved,
            },
          ]}
        />
        <form method="get" action={path} class="flex gap-2">
          <HiddenFields
            pairs={[...scopeParams(scope), ...paramsOf({ status: keep.status })]}
          />
          <input
            type="search"
            name="query"
            value={search}
            aria-label={t("Search feedback")}
            placeholder={t("Words, name or email")}
            class="h-9 w-60 min-w-0 rounded-md border border-line-strong bg-surface px-2.5"
          />
          <Button icon="search">{t("Search")}</Button>
        </form>
      </div>
      <div class="rounded-lg border border-line bg-surface">
        {feedback.rows.length === 0 ? <NoFeedback {...data} /> : <List {...data} />}
      </div>
    </ScopedPage>
  );
});

function List({ shell, project, scope, feedback, isResolved, search, mayWrite }: FeedbackData) {
  const path = sectionPath(project.id, "feedback");
  const keep = { query: search, status: isResolved ? "resolved" : null };
  return (
    <>
      <ul class="divide-y divide-line">
        {feedback.rows.map((row) => (
          <li key={row.feedbackId} class="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3">
            <div class="min-w-0 flex-1 basis-72">
              <FeedbackItem
                feedback={row}
                eventHref={row.issueId && row.eventId &&
                  scopedHref(eventPath(project.id, row.issueId, row.eventId), scope)}
              />
            </div>
            {mayWrite && (
              <form method="post">
                <input type="hidden" name="feedback" value={row.feedbackId} />
                <input type="hidden" name="back" value={shell.path} />
                {isResolved
                  ? <Button size="sm" name="action" value="reopen">{t("Reopen")}</Button>
                  : (
                    <Button size="sm" icon="check" name="action" value="resolve">
                      {t("Resolve")}
                    </Button>
                  )}
              </form>
            )}
          </li>
        ))}
      </ul>
      <CursorPages
        page={feedback}
        label={t("Pages of feedback")}
        summary={t("Showing {n}", { n: feedback.rows.length })}
        hrefOf={(cursor) => scopedHref(path, scope, { ...keep, cursor })}
      />
    </>
  );
}

const SNIPPET = (dsn: string) =>
  `// In the page
Sentry.init({
  dsn: "${dsn}",
  integrations: [Sentry.feedbackIntegration()],
});

// From code
Sentry.captureFeedback({ message: "The button does nothing", email: "ann@example.com" });`;

function NoFeedback({ search, dsn }: Pick<FeedbackData, "search" | "dsn">) {
  if (search !== "") {
    return (
      <EmptyState icon="search" title={t("No feedback matches")}>
        {t("Nobody wrote that in this time and scope.")}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="feedback" title={t("No feedback here")}>
      {t("The SDK's widget lets people say what went wrong:")}
      <div class="mt-3 text-left">
        <CodeBlock
          id="feedback-snippet"
          label={t("How to collect feedback")}
          language="javascript"
          code={SNIPPET(dsn)}
        />
      </div>
    </EmptyState>
  );
}

export const handler = define.handlers<FeedbackData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const scope = parseScope(searchParams);
    const isResolved = searchParams.get("status") === "resolved";
    const search = (searchParams.get("query") ?? "").trim().slice(0, 200);
    const [frame, dsn, feedback] = await Promise.all([
      loadFrame(ctx, project),
      serverDsn(ctx, BROWSER),
      listFeedback(sql, {
        projectId: project.id,
        ...intervalOf(scope, new Date()),
        environments: scope.environments,
        releases: scope.releases,
        isResolved,
        search,
        cursor: searchParams.get("cursor"),
        limit: PAGE_SIZE,
      }),
    ]);
    meta.title = `${t("Feedback")} · ${project.name}`;
    const mayWrite = roleAllows(role, "issue:write");
    return page({ ...frame, dsn, mayWrite, feedback, isResolved, search });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "issue:write");
    const form = await readForm(ctx.req);
    const ids = form.getAll("feedback").filter((id) => /^[0-9a-f]{32}$/.test(id)).slice(0, 100);
    const isResolved = form.get("action") === "resolve";
    const count = await resolveFeedback(ctx.state.services.sql, project.id, ids, isResolved);
    const back = localPath(form.get("back"), ctx.url.pathname);
    return count === 0
      ? redirectWithFlash(back, t("Nothing changed."), "warning")
      : redirectWithFlash(
        back,
        isResolved
          ? t("{n} feedback resolved.|{n} feedback resolved.", { n: count })
          : t("{n} feedback reopened.|{n} feedback reopened.", { n: count }),
      );
  },
});
