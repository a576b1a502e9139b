/** One incident: what was seen, every check in it, what people said, and what went wrong in the project meanwhile. */
import type { Project } from "@/lib/accounts/projects.ts";
import { DAY_MS, MINUTE_MS } from "@/lib/core/time.ts";
import { type IssueRow, issueWords, listIssues, parseIssueSearch } from "@/lib/errors/mod.ts";
import type { Sql } from "@/lib/store/database.ts";
import { nullIfSlow } from "@/lib/store/query_limits.ts";
import { listTraces, parseTraceSearch, type TraceRow } from "@/lib/traces/mod.ts";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { TablePanel } from "@/lib/ui/components/table.tsx";
import { Count, ExactTime, FigureStrip, RelativeTime } from "@/lib/ui/components/values.tsx";
import { formatDuration, NONE } from "@/lib/ui/format.ts";
import { issuePath, monitorPath, monitorsPath, sectionPath, traceHref } from "@/lib/ui/links.ts";
import { EVERYTHING, type Scope, scopedHref } from "@/lib/ui/scope.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import { type Check, checksOfIncident } from "../checks.ts";
import { type Evidence, type Incident, MAX_COMMENT } from "../incidents.ts";
import type { Monitor } from "../monitor.ts";
import { CheckTable } from "./tables.tsx";
import { Seen } from "./try_panel.tsx";
import { probeWords, reasonWords } from "../../probes/problem_words.ts";
import { rich, t } from "@/lib/core/language/translate.ts";

const MAX_CHECKS = 500;
const MAX_ROWS = 10;
/** What led to it may have come shortly before, and its end be noticed later than it was. */
const AROUND_MS = 5 * MINUTE_MS;
/** Of longer incidents the beginning tells why. */
const LONGEST_MS = DAY_MS;
const SLOW_SEARCH = "duration:>1s";

export interface IncidentView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly now: Date;
  readonly monitor: Monitor;
  readonly incident: Incident & { readonly evidence: Evidence };
  readonly checks: readonly Check[];
  /** Null when the search took too long. */
  readonly issues: readonly IssueRow[] | null;
  readonly traces: readonly TraceRow[] | null;
  readonly errors: FormErrors;
  readonly comment: string;
}

/** Reads what the page of an incident shows. */
export async function loadIncident(
  sql: Sql,
  monitor: Monitor,
  incident: IncidentView["incident"],
  now: Date = new Date(),
): Promise<Pick<IncidentView, "monitor" | "incident" | "checks" | "issues" | "traces" | "now">> {
  const { projectId } = monitor;
  const within = { projectId, environments: [], releases: [], ...timeOf(incident, now) };
  const { filter } = parseIssueSearch("");
  const { words, terms } = parseTraceSearch(SLOW_SEARCH);
  const page = { cursor: null, limit: MAX_ROWS };
  const [checks, issues, traces] = await Promise.all([
    checksOfIncident(sql, projectId, incident.incidentId, {
      start: new Date(incident.openedAt.getTime() - DAY_MS),
      end: new Date((incident.closedAt ?? now).getTime() + DAY_MS),
    }, MAX_CHECKS),
    nullIfSlow(listIssues(sql, { ...within, filter, sort: "events", ...page })),
    nullIfSlow(listTraces(sql, { ...within, services: [], words, terms, ...page })),
  ]);
  return {
    monitor,
    incident,
    now,
    checks,
    issues: issues?.rows ?? null,
    traces: traces?.rows ?? null,
  };
}

function timeOf({ openedAt, closedAt }: Incident, now: Date) {
  const start = openedAt.getTime() - AROUND_MS;
  const end = (closedAt ?? now).getTime() + AROUND_MS;
  return { start: new Date(start), end: new Date(Math.min(end, start + LONGEST_MS)) };
}

export function IncidentPage(view: IncidentView) {
  const { shell, project, monitor, incident, checks, now } = view;
  const { openedAt, closedAt } = incident;
  const page = monitorPath(project.id, monitor.monitorId);
  return (
    <Page
      shell={shell}
      section="monitors"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Monitors"), href: monitorsPath(project.id) },
        { label: monitor.name, href: page },
        { label: t("Incident") },
      ]}
    >
      <PageHeader
        title={closedAt === null
          ? t("{name} is down", { name: monitor.name })
          : t("{name} was down", { name: monitor.name })}
        description={
          <span class="flex flex-wrap items-center gap-2">
            {closedAt === null
              ? <Badge tone="danger" icon="error">{t("goes on")}</Badge>
              : <Badge tone="ok" icon="ok">{t("over")}</Badge>}
            <span class="min-w-0 wrap-anywhere">{probeWords(incident.message)}</span>
          </span>
        }
      />
      <div class="space-y-4">
        <FigureStrip
          figures={[
            { label: t("Began"), value: <RelativeTime date={openedAt} now={now} /> },
            {
              label: closedAt === null ? t("So far") : t("Lasted"),
              value: formatDuration((closedAt ?? now).getTime() - openedAt.getTime()),
            },
            {
              label: t("Certain after"),
              value: formatDuration(incident.confirmedAt.getTime() - openedAt.getTime()),
            },
            {
              label: t("Failed checks"),
              value: <Count value={incident.checks} unit="{n} check|{n} checks" />,
            },
            { label: t("Kind"), value: reasonWords(incident.reason) },
            { label: t("Status"), value: incident.evidence.status ?? NONE },
          ]}
        />
        <Panel
          title={t("What was seen")}
          id="seen"
          description={t("By the check that made it certain.")}
        >
          <Seen evidence={incident.evidence} />
        </Panel>
        <Meanwhile {...view} />
        <CheckTable
          projectId={project.id}
          checks={{ rows: [...checks], nextCursor: null, previousCursor: null }}
          hrefOf={() => page}
        />
        {checks.length >= MAX_CHECKS && (
          <p class="text-sm text-muted">
            {t("The first {n} check of it.|The first {n} checks of it.", { n: MAX_CHECKS })}
          </p>
        )}
        <Comments {...view} />
      </div>
    </Page>
  );
}

function Meanwhile({ project, incident, issues, traces, now }: IncidentView) {
  const scope: Scope = { ...EVERYTHING, range: timeOf(incident, now) };
  const issuesHref = scopedHref(sectionPath(project.id, "issues"), scope, { status: "all" });
  const tracesHref = scopedHref(sectionPath(project.id, "traces"), scope, { query: SLOW_SEARCH });
  return (
    <div class="grid items-start gap-4 lg:grid-cols-2">
      {issues === null ? <TooSlow title={t("Errors meanwhile")} href={issuesHref} /> : (
        <TablePanel
          title={t("Errors meanwhile")}
          id="errors"
          actions={<a class="link text-sm" href={issuesHref}>{t("All of that time")}</a>}
          none={t("No error came in that time.")}
          rows={issues}
          rowKey={({ id }) => id}
          columns={[
            {
              label: t("Issue"),
              cellClass: "w-full max-w-0 min-w-32 truncate",
              cell: (issue) => {
                const { title } = issueWords(issue);
                return (
                  <a
                    class="row-link"
                    href={scopedHref(issuePath(project.id, issue.id), scope)}
                    title={title}
                  >
                    <bdi>{title}</bdi>
                  </a>
                );
              },
            },
            {
              label: t("Events"),
              align: "right",
              cell: ({ countInScope }) => (
                <Count
                  value={countInScope}
                  unit="{n} event|{n} events"
                />
              ),
            },
          ]}
        />
      )}
      {traces === null
        ? <TooSlow title={t("Slow traces meanwhile")} href={tracesHref} />
        : (
          <TablePanel
            title={t("Slow traces meanwhile")}
            id="traces"
            actions={<a class="link text-sm" href={tracesHref}>{t("All of that time")}</a>}
            none={t("Nothing took more than a second in that time.")}
            rows={traces}
            rowKey={({ traceId }) => traceId}
            columns={[
              {
                label: t("Transaction"),
                cellClass: "w-full max-w-0 min-w-32 truncate",
                cell: ({ traceId, name }) => (
                  <a
                    class="row-link"
                    href={traceHref(project.id, traceId, null, scope)}
                    title={name}
                  >
                    {name}
                  </a>
                ),
              },
              {
                label: t("Took"),
                align: "right",
                cell: ({ durationMs }) => formatDuration(durationMs),
              },
            ]}
          />
        )}
    </div>
  );
}

function TooSlow({ title, href }: { readonly title: string; readonly href: string }) {
  return (
    <Panel title={title}>
      <Alert kind="warning">
        {rich("Looking for them took too long. <a>Open the list</a>", {
          a: (words) => <a class="link" href={href}>{words}</a>,
        })}
      </Alert>
    </Panel>
  );
}

function Comments({ incident, mayWrite, errors, comment }: IncidentView) {
  return (
    <Panel title={t("Comments")} id="comments">
      <div class="space-y-4">
        {incident.comments.length === 0
          ? <p class="text-muted">{t("No comments yet.")}</p>
          : (
            <ol class="space-y-3">
              {incident.comments.map(({ at, by, text }, place) => (
                <li key={place}>
                  <p class="text-meta text-muted">
                    {by || t("Somebody")}, <ExactTime date={new Date(at)} />
                  </p>
                  <p class="whitespace-pre-wrap wrap-anywhere">{text}</p>
                </li>
              ))}
            </ol>
          )}
        {mayWrite && (
          <form method="post" class="max-w-2xl space-y-3">
            <Field
              name="comment"
              label={t("Add a comment")}
              rows={3}
              maxLength={MAX_COMMENT}
              value={comment}
              error={errors.comment}
              help={t("What it was, what was done; everybody who reads the project sees it.")}
              required
            />
            <Button>{t("Add comment")}</Button>
          </form>
        )}
      </div>
    </Panel>
  );
}
