import type { Project } from "../accounts/projects.ts";
import { LevelBadge } from "../ui/components/badge.tsx";
import { LinkButton } from "../ui/components/button.tsx";
import { PageHeader } from "../ui/components/page.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { Cell, type Column, Pagination, Row, Table } from "../ui/components/table.tsx";
import { ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { NONE } from "../ui/format.ts";
import { visible } from "../ui/json.ts";
import { eventPath, eventsPath, issuePath, issuesPath } from "../ui/links.ts";
import { EVERYTHING, type Scope, scopedHref } from "../ui/scope.ts";
import { ScopedPage } from "../ui/scoped_page.tsx";
import type { Shell } from "../ui/shell.ts";
import type { EventPage, EventRow } from "./events.ts";
import type { Issue } from "./issues.ts";

export interface EventListView {
  readonly shell: Shell;
  readonly project: Project;
  readonly scope: Scope;
  readonly issue: Issue;
  readonly events: EventPage;
  readonly environments: readonly string[];
  readonly releases: readonly string[];
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
        { label: "Issues", href: scopedHref(issuesPath(project.id), scope) },
        { label: `#${issue.id}`, href: issueHref },
        { label: "Events" },
      ]}
      path={path}
    >
      <PageHeader
        title={<bdi class="line-clamp-2">{visible(issue.title)}</bdi>}
        description="All events of this issue, newest first"
      />
      <div class="rounded-lg border border-line bg-surface">
        {events.rows.length === 0 ? <NoEvents path={path} scope={scope} /> : (
          <>
            <EventTable
              rows={events.rows}
              href={(id) => scopedHref(eventPath(project.id, issue.id, id), scope)}
            />
            <div class="border-t border-line">
              <Pagination
                label="Pages of events"
                summary={`Showing ${events.rows.length} events`}
                previousHref={events.previousCursor &&
                  scopedHref(path, scope, { cursor: events.previousCursor })}
                nextHref={events.nextCursor &&
                  scopedHref(path, scope, { cursor: events.nextCursor })}
              />
            </div>
          </>
        )}
      </div>
    </ScopedPage>
  );
}

const COLUMNS: Column[] = [
  { label: "Event" },
  { label: "Level", class: "max-lg:hidden" },
  { label: "Environment", class: "max-md:hidden" },
  { label: "Release", class: "max-md:hidden" },
  { label: "Transaction", class: "max-lg:hidden" },
  { label: "User", class: "max-md:hidden" },
  { label: "Time", align: "right" },
];

interface EventTableProps {
  readonly rows: readonly EventRow[];
  readonly href: (eventId: string) => string;
}

function EventTable({ rows, href }: EventTableProps) {
  return (
    <Table caption="Events" columns={COLUMNS} density="comfortable">
      {rows.map((event) => (
        <Row key={event.eventId}>
          <Cell class="w-full max-w-0">
            <a
              href={href(event.eventId)}
              class="row-link block truncate"
              title={visible(event.title)}
            >
              <code class="text-meta">{event.eventId.slice(0, 8)}</code>
              <bdi class="ml-2 text-muted">{visible(event.title)}</bdi>
            </a>
          </Cell>
          <Cell class="max-lg:hidden">
            <LevelBadge level={event.level} />
          </Cell>
          <TextCell text={event.environment} class="max-md:hidden" />
          <TextCell text={event.release} class="max-md:hidden" />
          <TextCell text={event.transaction} class="max-lg:hidden" />
          <TextCell text={userName(event.userKey)} class="max-md:hidden" />
          <Cell align="right">
            <span class="max-md:hidden">
              <ExactTime date={event.timestamp} />
            </span>
            <span class="md:hidden">
              <RelativeTime date={event.timestamp} />
            </span>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function TextCell({ text, class: extra }: { readonly text: string; readonly class: string }) {
  return (
    <Cell class={extra}>
      {text === ""
        ? <span class="text-faint">{NONE}</span>
        : <bdi class="block max-w-48 truncate" title={visible(text)}>{visible(text)}</bdi>}
    </Cell>
  );
}

/** `id:7` reads as `7`: what kind of name it is matters to the count, not to the reader. */
function userName(key: string | null): string {
  return key?.slice(key.indexOf(":") + 1) ?? "";
}

function NoEvents({ path, scope }: { readonly path: string; readonly scope: Scope }) {
  return (
    <EmptyState
      icon="search"
      title="No event of this issue in this scope"
      actions={
        <>
          <LinkButton href={scopedHref(path, { ...scope, range: "30d" })}>Last 30 days</LinkButton>
          <LinkButton href={scopedHref(path, EVERYTHING)}>Clear the scope</LinkButton>
        </>
      }
    >
      <p>The chosen time, environments and releases hold none of its events.</p>
    </EmptyState>
  );
}
