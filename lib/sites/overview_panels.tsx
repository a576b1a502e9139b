/** The panels of a site's page: each tells one thing at more length, or why it cannot. */
import { message, rich, t } from "../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { StateBadge, targetWords, UptimeBars, uptimeWords } from "../monitors/mod.ts";
import { Badge } from "../ui/components/badge.tsx";
import { LinkButton } from "../ui/components/button.tsx";
import { Alert, EmptyState, Panel } from "../ui/components/panel.tsx";
import { Nothing, PanelFoot, TablePanel } from "../ui/components/table.tsx";
import { Count, RelativeTime } from "../ui/components/values.tsx";
import { formatDateTime, formatDuration, formatPercent, NONE } from "../ui/format.ts";
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
import { type IssueRow, issueWords } from "../errors/mod.ts";
import { againstBefore } from "./findings.ts";
import { PAGE_ERRORS, type SiteView } from "./overview.ts";
import type { WatchedMonitor } from "./site_uptime.ts";

const ERRORS_IN_TIME = message("{n} error in this time|{n} errors in this time");

/** In place of a panel that could not be read. */
export function Unread({ title, sentence }: { readonly title: string; readonly sentence: string }) {
  return (
    <Panel title={title}>
      <Alert kind="warning" title={t("Not read")}>{sentence}</Alert>
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
      title={t("Uptime")}
      description={t("Each bar is an hour of the last 24.")}
      actions={<a class="link text-sm" href={monitorsPath(project.id)}>{t("All monitors")}</a>}
      flush
    >
      <ul class="divide-y divide-line">
        {monitors.slice(0, SHOWN_MONITORS).map((watched) => (
          <li key={watched.monitor.monitorId}>
            <MonitorRow projectId={project.id} watched={watched} now={now} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <PanelFoot>
          {t("{n} more is no worse than these.|{n} more are no worse than these.", { n: more })}
        </PanelFoot>
      )}
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
        <span>{t("{share} in 24 h", { share: uptimeWords(lastDay) })}</span>
        <span class="text-muted">{t("{share} in this time", { share: uptimeWords(share) })}</span>
        {certificate !== null && (
          <span
            class={certificate.problem !== null || certificate.daysLeft <= certificate.warnFrom
              ? "font-medium text-danger"
              : "text-muted"}
            title={certificate.problem ??
              t("Valid until {time}", { time: formatDateTime(certificate.validTo) })}
          >
            {certificate.problem === null
              ? t("certificate {days} d", { days: certificate.daysLeft })
              : t("certificate not trusted")}
          </span>
        )}
        <span class="ml-auto text-muted">
          {monitor.checkedAt === null ? t("not checked yet") : (
            <>
              {rich("checked {ago}", {
                ago: <RelativeTime date={monitor.checkedAt} now={now} />,
              })}
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
    <Panel title={t("Visitors")}>
      <EmptyState
        icon="vitals"
        title={isNarrow ? t("Nothing matches") : t("No visitor's browser has told anything")}
        actions={
          <>
            <LinkButton href={setupPath(project.id, "sites")}>
              {t("Open the setup page")}
            </LinkButton>
            {(isNarrow || range !== DEFAULT_RANGE) && (
              <LinkButton href={path}>{t("Look at all of the last 14 days")}</LinkButton>
            )}
          </>
        }
      >
        {isNarrow ? t("Browsers sent nothing in this time, environment, release and service.") : t(
          "Paste one line into the head of your pages: JavaScript errors, slow pages and Web Vitals then show here by themselves. The setup page has it, and says where builders such as Tilda, Wix and Shopify take it.",
        )}
      </EmptyState>
    </Panel>
  );
}

/** JavaScript errors against the time before, and the most frequent of those that nobody dealt with. */
export function ErrorsPanel({ site: { errors }, pageScope }: SiteView) {
  const { project, scope, interval } = pageScope;
  const title = t("JavaScript errors");
  if (errors.kind === "failed") return <Unread title={title} sentence={errors.sentence} />;
  const { count, before, top } = errors.value;
  const all = scopedHref(issuesPath(project.id), scope, { query: PAGE_ERRORS, sort: "events" });
  return (
    <TablePanel
      title={title}
      description={
        <>
          {rich("{count} in this time, {change}.", {
            count: <Count value={count} unit={ERRORS_IN_TIME} />,
            change: againstBefore(count, before),
          })}
        </>
      }
      actions={<a class="link text-sm" href={all}>{t("All issues")}</a>}
      none={count === 0
        ? t("No page threw an error.")
        : t("Each of them belongs to an issue that is resolved or archived.")}
      rows={top}
      rowKey={({ id }) => id}
      columns={[
        {
          label: t("Most frequent, unresolved"),
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
          label: t("Errors"),
          align: "right",
          cell: ({ countInScope }) => <Count value={countInScope} unit={ERRORS_IN_TIME} />,
        },
        {
          label: t("Last seen"),
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

function IssueLink({ issue, href, isNew }: IssueLinkProps) {
  const { title, culprit } = issueWords(issue);
  return (
    <>
      <span class="flex items-center gap-2">
        <a class="row-link min-w-0 truncate font-medium" title={title} href={href}>
          <bdi>{title}</bdi>
        </a>
        {isNew && <Badge tone="info" title={t("First seen in this time")}>{t("new@@issue")}</Badge>}
      </span>
      {culprit !== "" && (
        <bdi class="block truncate font-mono text-meta text-muted" title={culprit}>
          {culprit}
        </bdi>
      )}
    </>
  );
}

/** The pages that take visitors longest to load. */
export function SlowPagesPanel({ site: { pages }, pageScope }: SiteView) {
  const { project, scope } = pageScope;
  const title = t("Slow pages");
  if (pages.kind === "failed") return <Unread title={title} sentence={pages.sentence} />;
  const all = scopedHref(sectionPath(project.id, "transactions"), scope, {
    op: "pageload",
    sort: "-p75",
  });
  return (
    <TablePanel
      title={title}
      description={t("Three of four loads take at most p75.")}
      actions={<a class="link text-sm" href={all}>{t("All page loads")}</a>}
      none={t(
        "No page load was measured in this time: loads are counted once tracing is on, as it is with the line of the setup page.",
      )}
      rows={pages.value}
      rowKey={({ name }) => name}
      columns={[
        {
          label: t("Page"),
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
          label: t("Loads"),
          align: "right",
          cell: ({ loads }) => <Count value={loads} unit="{n} page load|{n} page loads" />,
        },
      ]}
    />
  );
}

/** The newest release, and how it does. */
export function ReleasePanel({ site: { release }, pageScope: { project, scope } }: SiteView) {
  const title = t("Newest release");
  if (release.kind === "failed") return <Unread title={title} sentence={release.sentence} />;
  const { value } = release;
  const all = scopedHref(sectionPath(project.id, "releases"), scope);
  if (value === null) {
    return (
      <Panel title={title} flush>
        <Nothing>
          {rich(
            "No release was named in this time. With a release, such as {example} in the line of the <a>setup page</a>, you see here whether a new version broke something.",
            {
              example: <code>data-release="my-site@1.4"</code>,
              a: (words) => <a class="link" href={setupPath(project.id, "sites")}>{words}</a>,
            },
          )}
        </Nothing>
      </Panel>
    );
  }
  const { sessions, crashedSessions, errors, newIssues, firstSeen, lastSeen, isOlder } = value;
  return (
    <Panel title={title} actions={<a class="link text-sm" href={all}>{t("All releases")}</a>}>
      <p class="font-mono font-medium wrap-anywhere">
        <a
          class="link"
          href={scopedHref(issuesPath(project.id), { ...scope, releases: [value.release] })}
        >
          <bdi>{visible(value.release)}</bdi>
        </a>
      </p>
      <dl class="mt-3 grid grid-cols-2 gap-4 sm:grid-cols-3">
        <Figure label={t("First seen")}>
          {isOlder ? t("before this time") : <RelativeTime date={firstSeen} />}
        </Figure>
        <Figure label={t("Last seen")}>
          <RelativeTime date={lastSeen} />
        </Figure>
        <Figure
          label={t("Crash-free sessions")}
          title={t("Of {n} session|Of {n} sessions", { n: sessions })}
        >
          {sessions === 0 ? NONE : formatPercent(1 - crashedSessions / sessions)}
        </Figure>
        <Figure label={t("Errors")}>
          <Count value={errors} unit="{n} error|{n} errors" />
        </Figure>
        <Figure label={t("New issues")} title={t("Issues that this release was the first to have")}>
          <Count value={newIssues} unit="{n} new issue|{n} new issues" />
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
