/** The panels of a site's page: each tells one thing at more length, or why it cannot. */
import type { ComponentChildren } from "preact";
import { StateBadge, targetWords, UptimeBars, uptimeWords } from "../monitors/mod.ts";
import { Badge } from "../ui/components/badge.tsx";
import { LinkButton } from "../ui/components/button.tsx";
import { Alert, EmptyState, Panel } from "../ui/components/panel.tsx";
import { Nothing, PanelFoot, TablePanel } from "../ui/components/table.tsx";
import { Count, RelativeTime } from "../ui/components/values.tsx";
import { formatDateTime, formatDuration, formatExact, formatPercent, NONE } from "../ui/format.ts";
import { visible } from "../ui/json.ts";
import {
  issuePath,
  issuesPath,
  monitorPath,
  monitorsPath,
  sectionPath,
  setupPath,
  transactionHref,
} from "../ui/links.ts";
import { DEFAULT_RANGE, scopedHref } from "../ui/scope.ts";
import type { PageScope } from "../releases/request_scope.ts";
import type { IssueRow } from "../errors/mod.ts";
import { againstBefore } from "./findings.ts";
import { PAGE_ERRORS, type SiteView } from "./overview.ts";
import type { WatchedMonitor } from "./site_uptime.ts";

/** In place of a panel that could not be read. */
export function Unread({ title, sentence }: { readonly title: string; readonly sentence: string }) {
  return (
    <Panel title={title}>
      <Alert kind="warning" title="Not read">{sentence}</Alert>
    </Panel>
  );
}

/** More stand on the page of monitors. */
const SHOWN_MONITORS = 6;

interface UptimePanelProps extends Pick<PageScope, "project" | "now"> {
  readonly monitors: readonly WatchedMonitor[];
}

/** The monitors, those in trouble first, with their last 24 hours. */
export function UptimePanel({ monitors, project, now }: UptimePanelProps) {
  const more = monitors.length - SHOWN_MONITORS;
  return (
    <Panel
      title="Uptime"
      description="Each bar is an hour of the last 24."
      actions={<a class="link text-sm" href={monitorsPath(project.id)}>All monitors</a>}
      flush
    >
      <ul class="divide-y divide-line">
        {monitors.slice(0, SHOWN_MONITORS).map((watched) => (
          <li key={watched.monitor.monitorId}>
            <MonitorRow projectId={project.id} watched={watched} now={now} />
          </li>
        ))}
      </ul>
      {more > 0 && <PanelFoot>{more} more are no worse than these.</PanelFoot>}
    </Panel>
  );
}

interface MonitorRowProps {
  readonly projectId: string;
  readonly watched: WatchedMonitor;
  readonly now: Date;
}

function MonitorRow({ projectId, watched, now }: MonitorRowProps) {
  const { monitor, state, hours, lastDay, share, certificate } = watched;
  const target = visible(targetWords(monitor.target));
  return (
    <div class="relative px-4 py-3 hover:bg-hover">
      <div class="flex items-center gap-2">
        <a
          class="row-link min-w-0 truncate font-medium"
          title={visible(monitor.name)}
          href={monitorPath(projectId, monitor.monitorId)}
        >
          <bdi>{visible(monitor.name)}</bdi>
        </a>
        <span class="ml-auto shrink-0">
          <StateBadge state={state} />
        </span>
      </div>
      <p class="truncate text-meta text-muted" title={target}>
        <bdi>{target}</bdi>
      </p>
      <UptimeBars
        period="hour"
        sums={hours}
        count={24}
        now={now}
        barWidth={10}
        class="my-2 w-full"
      />
      <p class="flex flex-wrap gap-x-4 text-sm tabular-nums">
        <span>{uptimeWords(lastDay)} in 24 h</span>
        <span class="text-muted">{uptimeWords(share)} in this time</span>
        {certificate !== null && (
          <span
            class={certificate.problem !== null || certificate.daysLeft <= certificate.warnFrom
              ? "font-medium text-danger"
              : "text-muted"}
            title={certificate.problem ?? `Valid until ${formatDateTime(certificate.validTo)}`}
          >
            certificate {certificate.problem === null ? `${certificate.daysLeft} d` : "not trusted"}
          </span>
        )}
        <span class="ml-auto text-muted">
          {monitor.checkedAt === null ? "not checked yet" : (
            <>
              checked <RelativeTime date={monitor.checkedAt} now={now} />
            </>
          )}
        </span>
      </p>
    </div>
  );
}

/** In place of what visitors' browsers tell, as long as they tell nothing. */
export function VisitorsPanel({ pageScope: { project, scope } }: SiteView) {
  const path = sectionPath(project.id, "site");
  const { environments, releases, services, range } = scope;
  const isNarrow = environments.length + releases.length + services.length > 0;
  return (
    <Panel title="Visitors">
      <EmptyState
        icon="vitals"
        title={isNarrow ? "Nothing matches" : "No visitor's browser has told anything"}
        actions={
          <>
            <LinkButton href={setupPath(project.id, "sites")}>Open the setup page</LinkButton>
            {(isNarrow || range !== DEFAULT_RANGE) && (
              <LinkButton href={path}>Look at all of the last 14 days</LinkButton>
            )}
          </>
        }
      >
        {isNarrow
          ? "Browsers sent nothing in this time, environment, release and service."
          : "Paste one line into the head of your pages: JavaScript errors, slow pages and Web Vitals then show here by themselves. The setup page has it, and says where builders such as Tilda, Wix and Shopify take it."}
      </EmptyState>
    </Panel>
  );
}

/** JavaScript errors against the time before, and the most frequent of those that nobody dealt with. */
export function ErrorsPanel({ site: { errors }, pageScope }: SiteView) {
  const { project, scope, interval } = pageScope;
  const title = "JavaScript errors";
  if (errors.kind === "failed") return <Unread title={title} sentence={errors.sentence} />;
  const { count, before, top } = errors.value;
  const all = scopedHref(issuesPath(project.id), scope, { query: PAGE_ERRORS, sort: "events" });
  return (
    <TablePanel
      title={title}
      description={
        <>
          <Count value={count} unit="errors in this time" /> in this time,{" "}
          {againstBefore(count, before)}.
        </>
      }
      actions={<a class="link text-sm" href={all}>All issues</a>}
      none={count === 0
        ? "No page threw an error."
        : "Each of them belongs to an issue that somebody has resolved or ignored."}
      rows={top}
      rowKey={({ id }) => id}
      columns={[
        {
          label: "Most frequent, unresolved",
          cellClass: "w-full max-w-0",
          cell: (issue) => (
            <IssueLink
              issue={issue}
              href={scopedHref(issuePath(project.id, issue.id), scope)}
              isNew={issue.firstSeen >= interval.start}
            />
          ),
        },
        {
          label: "Errors",
          align: "right",
          cell: ({ countInScope }) => <Count value={countInScope} unit="errors in this time" />,
        },
        {
          label: "Last seen",
          align: "right",
          class: "max-sm:hidden",
          cell: ({ lastSeen }) => <RelativeTime date={lastSeen} />,
        },
      ]}
    />
  );
}

interface IssueLinkProps {
  readonly issue: IssueRow;
  readonly href: string;
  /** It came up in the time of the page. */
  readonly isNew: boolean;
}

function IssueLink({ issue: { title, culprit }, href, isNew }: IssueLinkProps) {
  return (
    <>
      <span class="flex items-center gap-2">
        <a class="row-link min-w-0 truncate font-medium" title={visible(title)} href={href}>
          <bdi>{visible(title)}</bdi>
        </a>
        {isNew && <Badge tone="info" title="First seen in this time">new</Badge>}
      </span>
      {culprit !== "" && (
        <bdi class="block truncate font-mono text-meta text-muted" title={visible(culprit)}>
          {visible(culprit)}
        </bdi>
      )}
    </>
  );
}

/** The pages that take visitors longest to load. */
export function SlowPagesPanel({ site: { pages }, pageScope }: SiteView) {
  const { project, scope } = pageScope;
  const title = "Slow pages";
  if (pages.kind === "failed") return <Unread title={title} sentence={pages.sentence} />;
  const all = scopedHref(sectionPath(project.id, "transactions"), scope, {
    op: "pageload",
    sort: "-p75",
  });
  return (
    <TablePanel
      title={title}
      description="Three of four loads take at most p75."
      actions={<a class="link text-sm" href={all}>All page loads</a>}
      none="No page load was measured in this time: loads are counted once tracing is on, as it is with the line of the setup page."
      rows={pages.value}
      rowKey={({ name }) => name}
      columns={[
        {
          label: "Page",
          cellClass: "w-full max-w-0",
          cell: ({ name }) => (
            <a
              class="row-link block truncate font-medium"
              title={visible(name)}
              href={transactionHref(project.id, scope, name)}
            >
              <bdi>{visible(name)}</bdi>
            </a>
          ),
        },
        { label: "p75", align: "right", cell: ({ p75 }) => formatDuration(p75) },
        {
          label: "Loads",
          align: "right",
          cell: ({ loads }) => <Count value={loads} unit="page loads" />,
        },
      ]}
    />
  );
}

/** The newest release, and how it does. */
export function ReleasePanel({ site: { release }, pageScope: { project, scope } }: SiteView) {
  const title = "Newest release";
  if (release.kind === "failed") return <Unread title={title} sentence={release.sentence} />;
  const { value } = release;
  const all = scopedHref(sectionPath(project.id, "releases"), scope);
  if (value === null) {
    return (
      <Panel title={title} flush>
        <Nothing>
          None was named in this time. With a release, such as{" "}
          <code>data-release="my-site@1.4"</code> in the line of the{" "}
          <a class="link" href={setupPath(project.id, "sites")}>setup page</a>, you see here whether
          a new version broke something.
        </Nothing>
      </Panel>
    );
  }
  const { sessions, crashedSessions, errors, newIssues, firstSeen, lastSeen, isOlder } = value;
  return (
    <Panel title={title} actions={<a class="link text-sm" href={all}>All releases</a>}>
      <p class="font-mono font-medium wrap-anywhere">
        <a
          class="link"
          href={scopedHref(issuesPath(project.id), { ...scope, releases: [value.release] })}
        >
          <bdi>{visible(value.release)}</bdi>
        </a>
      </p>
      <dl class="mt-3 grid grid-cols-2 gap-4 sm:grid-cols-3">
        <Figure label="First seen">
          {isOlder ? "before this time" : <RelativeTime date={firstSeen} />}
        </Figure>
        <Figure label="Last seen">
          <RelativeTime date={lastSeen} />
        </Figure>
        <Figure label="Crash-free sessions" title={`Of ${formatExact(sessions)} sessions`}>
          {sessions === 0 ? NONE : formatPercent(1 - crashedSessions / sessions)}
        </Figure>
        <Figure label="Errors">
          <Count value={errors} unit="errors" />
        </Figure>
        <Figure label="New issues" title="Issues that this release was the first to have">
          <Count value={newIssues} unit="new issues" />
        </Figure>
      </dl>
    </Panel>
  );
}

interface FigureProps {
  readonly label: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

function Figure({ label, title, children }: FigureProps) {
  return (
    <div title={title}>
      <dt class="text-meta text-muted">{label}</dt>
      <dd class="font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
