import type { ComponentChildren } from "preact";
import { type Role, roleAllows } from "../accounts/members.ts";
import type { Project } from "../accounts/projects.ts";
import { BarChart } from "../ui/charts/bar_chart.tsx";
import { Badge, LevelBadge, StatusBadge } from "../ui/components/badge.tsx";
import { Button, CopyButton } from "../ui/components/button.tsx";
import { classes, Icon, type IconName } from "../ui/components/icon.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { Count, ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { SuspectCommits } from "../releases/mod.ts";
import { visible } from "../ui/json.ts";
import {
  eventJsonPath,
  eventPath,
  eventsPath,
  issuePath,
  issuesPath,
  sectionPath,
  traceHref,
} from "../ui/links.ts";
import { scopedHref } from "../ui/scope.ts";
import { ScopedPage } from "../ui/scoped_page.tsx";
import type { Shell } from "../ui/shell.ts";
import { isUnhandled } from "./event/interfaces.ts";
import {
  AttachmentPanel,
  EventFeedbackPanel,
  EventSections,
  TraceLogs,
} from "./event/sections.tsx";
import type { SwitchLinks } from "./event/stack_trace.tsx";
import type { Issue } from "./issues.ts";
import { TrackerLinks } from "./links/tracker_links.tsx";
import type { IssueDetails } from "./load_issue_page.ts";
import { ManageLinks } from "./manage/frame.tsx";
import { ActivityPanel } from "./workflow/activity_feed.tsx";
import { IssueBar, statusWords } from "./workflow/issue_bar.tsx";
import type { IssueTeam } from "./workflow/issue_team.ts";
import { shortIdOf } from "./workflow/short_id.ts";
import { rich, t } from "../core/language/translate.ts";
import { issueWords } from "./monitor_words.ts";

export interface IssuePageView extends IssueDetails {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
  readonly team: IssueTeam;
  /** Who looks; null for nobody in particular. */
  readonly userId: string | null;
  /** Path of the page itself: of the issue, or of one of its events. */
  readonly path: string;
}

/** One issue with one of its events. */
export function IssuePage(data: IssuePageView) {
  const { shell, project, scope, issue, event, path } = data;
  const list = issuesPath(project.id);
  const forms = roleAllows(data.role, "issue:write")
    ? { action: issuePath(project.id, issue.id), back: shell.path }
    : null;
  return (
    <ScopedPage
      view={data}
      section="issues"
      crumbs={[
        { label: project.name, href: scopedHref(list, scope) },
        { label: t("Issues"), href: scopedHref(list, scope) },
        { label: shortIdOf(project.slug, issue.number) },
      ]}
      path={path}
      keep={stackParams(data)}
    >
      <IssueHeader {...data} forms={forms} />
      <ManageLinks projectId={project.id} issueId={issue.id} class="-mt-2 mb-4" />
      <IssueFacts {...data} />
      <MergedPanel {...data} forms={forms} />
      <EventBar {...data} />
      <EventFeedbackPanel feedback={data.feedback} />
      <TraceLogs
        count={data.traceLogs}
        href={scopedHref(sectionPath(project.id, "logs"), scope, {
          query: `trace:${event.traceId}`,
        })}
      />
      <EventSections
        {...data}
        suspects={<SuspectCommits commits={data.suspects} />}
        switchLinks={switchLinks(data)}
        forms={forms}
        team={
          <>
            <ActivityPanel
              team={data.team}
              firstSeen={issue.firstSeen}
              userId={data.userId}
              forms={forms}
            />
            <TrackerLinks
              {...data.tracked}
              projectId={project.id}
              issueId={issue.id}
              mayWrite={forms !== null}
              back={shell.path}
            />
          </>
        }
        tagHref={(key, value) =>
          scopedHref(list, scope, { query: tagSearch(key, value), status: "all" })}
        traceHref={(traceId, spanId) => traceHref(project.id, traceId, spanId)}
      />
      <AttachmentPanel
        attachments={data.attachments}
        eventPath={eventPath(project.id, issue.id, event.eventId)}
      />
    </ScopedPage>
  );
}

/** How the stack is shown, for the URL; the defaults are left out. */
function stackParams({ mode, order, form }: Pick<IssueDetails, "mode" | "order" | "form">) {
  return {
    stack: form === "minified" ? "minified" : null,
    frames: mode === "all" ? "all" : null,
    order: order === "oldest" ? "oldest" : null,
  };
}

function switchLinks({ path, scope, mode, order, form, view }: IssuePageView): SwitchLinks {
  const link = (changes: Partial<Pick<IssueDetails, "mode" | "order" | "form">>) =>
    `${scopedHref(path, scope, stackParams({ mode, order, form, ...changes }))}#exception`;
  return {
    form: view.sourceMaps?.hasMinified
      ? { mapped: link({ form: "mapped" }), minified: link({ form: "minified" }) }
      : null,
    mode: { app: link({ mode: "app" }), all: link({ mode: "all" }) },
    order: { newest: link({ order: "newest" }), oldest: link({ order: "oldest" }) },
  };
}

/** The ways to other events; null where the event on the page is the first or last itself. */
function eventLinks(data: IssuePageView) {
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

interface WithForms extends IssuePageView {
  /** Where the forms go and where they come back to; null for who may only look. */
  readonly forms: { readonly action: string; readonly back: string } | null;
}

/** What broke and where, how bad it is, and what can be done about it. */
function IssueHeader({ issue, view, forms, team }: WithForms) {
  const more = statusWords(issue, team);
  const { type, value } = issue.metadata;
  const { title, culprit } = issueWords(issue);
  return (
    <div class="mb-4 grid gap-x-6 gap-y-3 md:grid-cols-[minmax(0,1fr)_auto]">
      <div class="min-w-0">
        <h1 class="line-clamp-2 text-xl font-semibold wrap-anywhere">
          <bdi>{type ? visible(type) : title}</bdi>
        </h1>
        {type && value && (
          <p class="mt-0.5 line-clamp-2 wrap-anywhere" dir="auto">{visible(value)}</p>
        )}
        <div class="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
          <LevelBadge level={issue.level} />
          <StatusBadge status={issue.status} substatus={issue.substatus} />
          {more !== null && <span class="text-meta text-muted">{more}</span>}
          {isUnhandled(view.exceptions) && (
            <Badge tone="danger" icon="error" title={t("Nothing in the program caught it")}>
              {t("unhandled")}
            </Badge>
          )}
          {culprit !== "" && (
            <bdi class="max-w-full min-w-0 truncate font-mono" title={culprit}>{culprit}</bdi>
          )}
        </div>
      </div>
      {forms && (
        <div class="md:col-span-2">
          <IssueBar issue={issue} team={team} {...forms} />
        </div>
      )}
    </div>
  );
}

/** Which event of the issue is shown, and the way to the others. */
function EventBar(data: IssuePageView) {
  const { eventId, timestamp } = data.event;
  const links = eventLinks(data);
  return (
    <div class="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-canvas px-4 py-2">
      <h2 class="flex min-w-0 items-center gap-1.5 font-semibold">
        {t("Event")}
        <code id="event-id" class="min-w-0 truncate text-meta font-normal" title={eventId}>
          {eventId}
        </code>
        <CopyButton target="event-id" what={t("event id")} isCompact />
      </h2>
      <p class="text-sm text-muted">
        <RelativeTime date={timestamp} />
        <span class="max-sm:hidden">
          {" · "}
          <ExactTime date={timestamp} />
        </span>
      </p>
      <div class="ml-auto flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <nav aria-label={t("Events of this issue")}>
          <ul class="flex">
            <Step href={links.oldest} icon="chevrons-left" label={t("Oldest event")} />
            <Step href={links.older} icon="chevron-left" label={t("Older event")} />
            <Step href={links.newer} icon="chevron-right" label={t("Newer event")} />
            <Step href={links.newest} icon="chevrons-right" label={t("Newest event")} />
          </ul>
        </nav>
        <a class="link" href={links.all}>{t("All events")}</a>
        <a class="link" href={links.json}>JSON</a>
      </div>
    </div>
  );
}

interface StepProps {
  readonly href: string | null;
  readonly icon: IconName;
  readonly label: string;
}

const STEP_LOOK = "flex size-7 items-center justify-center border border-line-strong";

function Step({ href, icon, label }: StepProps) {
  return (
    <li class="-ml-px first:ml-0">
      {href === null
        ? (
          <span
            class={classes(STEP_LOOK, "text-faint opacity-50")}
            role="link"
            aria-disabled="true"
            aria-label={label}
          >
            <Icon name={icon} size={14} />
          </span>
        )
        : (
          <a
            href={href}
            aria-label={label}
            title={label}
            class={classes(STEP_LOOK, "bg-surface hover:bg-hover")}
          >
            <Icon name={icon} size={14} />
          </a>
        )}
    </li>
  );
}

/** How often, for whom, since when and in which releases: the figures beside the chart of the scope. */
function IssueFacts({ issue, occurrences, bucketSec, end, markers }: IssuePageView) {
  return (
    <Panel class="mb-4">
      <div class="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <BarChart
          title={t("Occurrences")}
          unit="{n} event|{n} events"
          start={occurrences.start}
          end={end}
          bucketSec={bucketSec}
          counts={occurrences.counts}
          markers={[
            { at: issue.firstSeen.getTime(), label: firstSeenWords(issue) },
            ...markers,
          ]}
        />
        <dl class="grid grid-cols-2 content-start gap-x-6 gap-y-3">
          <Fact label={t("Events")} isLarge>
            <Count value={issue.timesSeen} unit="{n} event|{n} events" />
          </Fact>
          <Fact label={t("Users")} isLarge>
            <Count value={issue.usersSeen} unit="{n} user|{n} users" />
          </Fact>
          <Fact label={t("First seen")}>
            <RelativeTime date={issue.firstSeen} />
            <Release name={issue.firstRelease} />
          </Fact>
          <Fact label={t("Last seen")}>
            <RelativeTime date={issue.lastSeen} />
            <Release name={issue.lastRelease} />
          </Fact>
        </dl>
      </div>
    </Panel>
  );
}

interface FactProps {
  readonly label: string;
  readonly isLarge?: boolean;
  readonly children: ComponentChildren;
}

function Fact({ label, isLarge = false, children }: FactProps) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class={isLarge ? "text-xl font-semibold" : "text-sm"}>{children}</dd>
    </div>
  );
}

function Release({ name }: { readonly name: string }) {
  if (name === "") return null;
  return (
    <span class="block truncate font-mono text-meta text-muted" title={visible(name)}>
      {rich("in {release}", { release: <bdi>{visible(name)}</bdi> })}
    </span>
  );
}

function firstSeenWords({ firstRelease }: Issue): string {
  return firstRelease === ""
    ? t("First seen")
    : t("First seen in {release}", { release: visible(firstRelease) });
}

/** What was merged into the issue, each with the way out; nothing when nothing was. */
function MergedPanel({ merged, forms }: WithForms) {
  if (merged.length === 0) return null;
  return (
    <Panel
      title={t("Merged issues")}
      class="mb-4"
      description={t(
        "Unmerging gives an issue the events back that it had before. What came since then stays here.",
      )}
    >
      <ul class="divide-y divide-line">
        {merged.map((issue) => (
          <li key={issue.id} class="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
            <div class="min-w-0 flex-1 basis-60">
              <p class="truncate font-medium" title={issueWords(issue).title}>
                <bdi>{issueWords(issue).title}</bdi>
              </p>
              <p class="text-meta text-muted">
                #{issue.id} · <Count value={issue.timesSeen} unit="{n} event|{n} events" /> ·{" "}
                {rich("merged {time}", { time: <RelativeTime date={issue.mergedAt} /> })}
              </p>
            </div>
            {forms && (
              <form method="post" action={forms.action}>
                <input type="hidden" name="back" value={forms.back} />
                <input type="hidden" name="merged" value={issue.id} />
                <Button size="sm" name="action" value="unmerge">{t("Unmerge")}</Button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
