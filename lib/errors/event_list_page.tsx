import type { Project } from "../accounts/projects.ts";
import { LevelBadge } from "../ui/components/badge.tsx";
import { LinkButton } from "../ui/components/button.tsx";
import { PageHeader } from "../ui/components/page.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { CursorPages, type RowColumn, RowTable } from "../ui/components/table.tsx";
import { ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { NONE } from "../ui/format.ts";
import { visible } from "../ui/json.ts";
import { eventPath, eventsPath, issuePath, issuesPath } from "../ui/links.ts";
import { EVERYTHING, type Scope, scopedHref } from "../ui/scope.ts";
import { ScopedPage, type ScopedView } from "../ui/scoped_page.tsx";
import type { EventPage, EventRow } from "./events.ts";
import type { Issue } from "./issues.ts";
import { shortIdOf } from "./workflow/short_id.ts";
import { t } from "../core/language/translate.ts";
import { issueWords } from "./monitor_words.ts";

export interface EventListView extends ScopedView {
  readonly project: Project;
  readonly issue: Issue;
  readonly events: EventPage;
}

/** All events of an issue, newest first. */
export function EventListPage(view: EventListView) {
  const { project, scope, issue, events } = view;
  const path = eventsPath(project.id, issue.id);
  const issueHref = scopedHref(issuePath(project.id, issue.id), scope);
  return (
    <ScopedPage
      view={view}
      section="issues"
      crumbs={[
        { label: project.name, href: scopedHref(issuesPath(project.id), scope) },
        { label: t("Issues"), href: scopedHref(issuesPath(project.id), scope) },
        { label: shortIdOf(project.slug, issue.number), href: issueHref },
        { label: t("Events") },
      ]}
      path={path}
    >
      <PageHeader
        title={<bdi class="line-clamp-2">{issueWords(issue).title}</bdi>}
        description={t("All events of this issue, newest first")}
      />
      <div class="rounded-lg border border-line bg-surface">
        {events.rows.length === 0 ? <NoEvents path={path} scope={scope} /> : (
          <>
            <EventTable
              rows={events.rows}
              issue={issue}
              href={(id) => scopedHref(eventPath(project.id, issue.id, id), scope)}
            />
            <CursorPages
              page={events}
              label={t("Pages of events")}
              summary={t("Showing {n} event|Showing {n} events", { n: events.rows.length })}
              hrefOf={(cursor) => scopedHref(path, scope, { cursor })}
            />
          </>
        )}
      </div>
    </ScopedPage>
  );
}

interface EventTableProps {
  readonly rows: readonly EventRow[];
  readonly issue: Issue;
  readonly href: (eventId: string) => string;
}

function EventTable({ rows, issue: { culprit }, href }: EventTableProps) {
  return (
    <RowTable
      caption={t("Events")}
      density="comfortable"
      rows={rows}
      rowKey={({ eventId }) => eventId}
      columns={[
        {
          label: t("Event"),
          cellClass: "w-full max-w-0",
          cell: (event) => {
            const { title } = issueWords({ title: event.title, culprit });
            return (
              <a href={href(event.eventId)} class="row-link block truncate" title={title}>
                <code class="text-meta">{event.eventId.slice(0, 8)}</code>
                <bdi class="ml-2 text-muted">{title}</bdi>
              </a>
            );
          },
        },
        {
          label: t("Level"),
          class: "max-lg:hidden",
          cell: ({ level }) => <LevelBadge level={level} />,
        },
        textColumn(t("Environment"), "max-md:hidden", ({ environment }) => environment),
        textColumn(t("Release"), "max-md:hidden", ({ release }) => release),
        textColumn(t("Transaction"), "max-lg:hidden", ({ transaction }) => transaction),
        textColumn(t("User"), "max-md:hidden", ({ userKey }) => userName(userKey)),
        {
          label: t("Time"),
          align: "right",
          cell: ({ timestamp }) => (
            <>
              <span class="max-md:hidden">
                <ExactTime date={timestamp} />
              </span>
              <span class="md:hidden">
                <RelativeTime date={timestamp} />
              </span>
            </>
          ),
        },
      ]}
    />
  );
}

function textColumn(
  label: string,
  hidden: string,
  textOf: (event: EventRow) => string,
): RowColumn<EventRow> {
  return {
    label,
    class: hidden,
    cell: (event) => {
      const text = visible(textOf(event));
      return text === ""
        ? <span class="text-faint">{NONE}</span>
        : <bdi class="block max-w-48 truncate" title={text}>{text}</bdi>;
    },
  };
}

/** `id:7` reads as `7`: what kind of name it is matters to the count, not to the reader. */
function userName(key: string | null): string {
  return key?.slice(key.indexOf(":") + 1) ?? "";
}

function NoEvents({ path, scope }: { readonly path: string; readonly scope: Scope }) {
  return (
    <EmptyState
      icon="search"
      title={t("No event of this issue in this scope")}
      actions={
        <>
          <LinkButton href={scopedHref(path, { ...scope, range: "30d" })}>
            {t("Last 30 days")}
          </LinkButton>
          <LinkButton href={scopedHref(path, EVERYTHING)}>{t("Clear the scope")}</LinkButton>
        </>
      }
    >
      <p>{t("The chosen time, environments and releases hold none of its events.")}</p>
    </EmptyState>
  );
}
