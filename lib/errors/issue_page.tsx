import type { Project } from "../accounts/projects.ts";
import { type Role, roleAllows } from "../accounts/roles.ts";
import { Page } from "../ui/components/page.tsx";
import { EventSections } from "./event/event_sections.tsx";
import { AttachmentPanel, EventFeedbackPanel, TraceLogs } from "./event/companion_panels.tsx";
import { isUnhandled } from "./event/exceptions.ts";
import type { SwitchLinks } from "./event/stack_switches.tsx";
import { scopedHref } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import { traceHref } from "../ui/tracing_paths.ts";
import { ScopePickers } from "../ui/scope_pickers.tsx";
import type { Shell } from "../ui/shell.ts";
import { EventBar, type EventBarProps } from "./event_bar.tsx";
import { IssueFacts } from "./issue_facts.tsx";
import { IssueHeader } from "./issue_header.tsx";
import type { IssueDetails } from "./load_issue_page.ts";
import { MergedPanel } from "./merged_panel.tsx";
import { eventJsonPath, eventPath, eventsPath, issuePath, issuesPath } from "../ui/links_issues.ts";

export interface IssuePageView extends IssueDetails {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
  /** Path of the page itself: of the issue, or of one of its events. */
  readonly path: string;
}

/** One issue with one of its events. */
export function IssuePage(data: IssuePageView) {
  const { shell, project, scope, issue, event, view, path } = data;
  const list = issuesPath(project.id);
  const forms = roleAllows(data.role, "issue:write")
    ? { action: issuePath(project.id, issue.id), back: shell.path }
    : null;
  return (
    <Page
      shell={shell}
      section="issues"
      crumbs={[
        { label: project.name, href: scopedHref(list, scope) },
        { label: "Issues", href: scopedHref(list, scope) },
        { label: `#${issue.id}` },
      ]}
      scopeSearch={scopedHref("", scope)}
      scope={
        <ScopePickers
          scope={scope}
          path={path}
          keep={stackParams(data)}
          environments={data.environments}
          releases={data.releases}
        />
      }
    >
      <IssueHeader
        issue={issue}
        isUnhandled={isUnhandled(view.exceptions)}
        forms={forms}
      />
      <IssueFacts
        issue={issue}
        occurrences={data.occurrences}
        bucketSec={data.bucketSec}
        end={data.end}
      />
      <MergedPanel merged={data.merged} forms={forms} />
      <EventBar
        eventId={event.eventId}
        timestamp={event.timestamp}
        links={eventLinks(data)}
      />
      <EventFeedbackPanel feedback={data.feedback} />
      <TraceLogs
        count={data.traceLogs}
        href={scopedHref(sectionPath(project.id, "logs"), scope, {
          query: `trace:${event.traceId}`,
        })}
      />
      <EventSections
        event={event}
        view={view}
        spreads={data.spreads}
        mode={data.mode}
        order={data.order}
        switchLinks={switchLinks(data)}
        tagHref={(key, value) =>
          scopedHref(list, scope, { query: tagSearch(key, value), status: "all" })}
        traceHref={(traceId, spanId) => traceHref(project.id, traceId, spanId)}
      />
      <AttachmentPanel
        attachments={data.attachments}
        eventPath={eventPath(project.id, issue.id, event.eventId)}
      />
    </Page>
  );
}

/** How the stack is shown, for the URL; the defaults are left out. */
function stackParams({ mode, order }: Pick<IssueDetails, "mode" | "order">) {
  return {
    frames: mode === "all" ? "all" : null,
    order: order === "oldest" ? "oldest" : null,
  };
}

function switchLinks({ path, scope, mode, order }: IssuePageView): SwitchLinks {
  const link = (changes: Partial<Pick<IssueDetails, "mode" | "order">>) =>
    `${scopedHref(path, scope, stackParams({ mode, order, ...changes }))}#exception`;
  return {
    mode: { app: link({ mode: "app" }), all: link({ mode: "all" }) },
    order: { newest: link({ order: "newest" }), oldest: link({ order: "oldest" }) },
  };
}

function eventLinks(data: IssuePageView): EventBarProps["links"] {
  const { project, issue, event, scope, neighbours: { newer, older } } = data;
  const to = (path: string) => scopedHref(path, scope, stackParams(data));
  const eventHref = (id: string) => to(eventPath(project.id, issue.id, id));
  return {
    oldest: older && eventHref("oldest"),
    older: older && eventHref(older),
    newer: newer && eventHref(newer),
    newest: newer && to(issuePath(project.id, issue.id)),
    all: scopedHref(eventsPath(project.id, issue.id), scope),
    json: eventJsonPath(project.id, issue.id, event.eventId),
  };
}

/** A tag as the search box writes it. */
function tagSearch(key: string, value: string): string {
  const isPlain = /^[^\s"*\\]+$/.test(value);
  return `${key}:${isPlain ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
}
