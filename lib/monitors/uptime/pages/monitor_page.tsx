/** One uptime monitor: how it stands, how fast it answers, what happened, and what can be done. */
import type { Project } from "@/lib/accounts/projects.ts";
import { type Channel, listChannels } from "@/lib/alerts/mod.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/core/time.ts";
import type { Sql } from "@/lib/store/database.ts";
import type { CursorPage } from "@/lib/store/query_limits.ts";
import { type ChartMarker, TimeChart } from "@/lib/ui/charts/mod.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { ConfirmByName, type FormErrors } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { ExactTime, FigureStrip, RelativeTime } from "@/lib/ui/components/values.tsx";
import { formatDuration, NONE } from "@/lib/ui/format.ts";
import {
  channelPath,
  editMonitorPath,
  incidentPath,
  monitorPath,
  monitorsPath,
  sectionPath,
} from "@/lib/ui/links.ts";
import { deployMarkers } from "@/lib/releases/mod.ts";
import { shortRange } from "@/lib/ui/scope_pickers.tsx";
import { ChartBox } from "@/lib/ui/scoped_page.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { ChoiceLinks } from "@/lib/ui/sorted_list.tsx";
import { type Check, type LatencyBucket, latencyOf, listChecks } from "../checks.ts";
import { type Incident, listIncidents } from "../incidents.ts";
import { KIND_LABELS, type Monitor, targetWords } from "../monitor.ts";
import { meanMs, type PeriodSum, readSums, totalOf, uptimeOf, uptimeWords } from "../sums.ts";
import { BarLegend, intervalWords, shownState, StateBadge, UptimeBars } from "./parts.tsx";
import { CheckTable, IncidentTable } from "./tables.tsx";
import { CertificateFacts, DomainFacts, Fact, PHASE_LABELS } from "./try_panel.tsx";
import { WindowPanel } from "./window_panel.tsx";
import { probeWords } from "../../probes/problem_words.ts";
import { rich, t } from "@/lib/core/language/translate.ts";

const RANGES = {
  "1h": { ms: HOUR_MS, stepMs: MINUTE_MS },
  "24h": { ms: DAY_MS, stepMs: 15 * MINUTE_MS },
  "7d": { ms: 7 * DAY_MS, stepMs: 2 * HOUR_MS },
  "30d": { ms: 30 * DAY_MS, stepMs: 6 * HOUR_MS },
} as const;
type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as Range[];
const CHECKS_A_PAGE = 50;
const INCIDENTS = 20;
/** Checks are kept for so long. */
const CHECK_DAYS = 31;
const BAR_DAYS = 90;

export interface MonitorView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly now: Date;
  readonly monitor: Monitor;
  readonly channels: readonly Channel[];
  readonly range: Range;
  readonly latency: readonly LatencyBucket[];
  /** Deploys within the time of the latency. */
  readonly markers: readonly ChartMarker[];
  readonly checks: CursorPage<Check>;
  readonly incidents: readonly Incident[];
  readonly hours: readonly PeriodSum[];
  readonly days: readonly PeriodSum[];
  readonly deleteError: string | undefined;
  readonly windowErrors: FormErrors;
  /** What was entered for a window that was refused. */
  readonly windowParams: URLSearchParams;
}

/** Reads what the page of a monitor shows. */
export async function loadMonitor(
  sql: Sql,
  monitor: Monitor,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<
  Pick<
    MonitorView,
    | "monitor"
    | "now"
    | "channels"
    | "range"
    | "latency"
    | "markers"
    | "checks"
    | "incidents"
    | "hours"
    | "days"
  >
> {
  const { projectId, monitorId } = monitor;
  const range = RANGE_NAMES.find((name) => name === search.get("range")) ?? "24h";
  const { ms, stepMs } = RANGES[range];
  const since = (length: number) => ({ start: new Date(now.getTime() - length), end: now });
  const whole = {
    start: new Date(now.getTime() - CHECK_DAYS * DAY_MS),
    end: new Date(now.getTime() + DAY_MS),
  };
  const page = { cursor: search.get("cursor"), limit: CHECKS_A_PAGE };
  const [channels, latency, markers, checks, incidents, hours, days] = await Promise.all([
    listChannels(sql, projectId),
    latencyOf(sql, monitor, since(ms), stepMs),
    deployMarkers(sql, projectId, since(ms)),
    listChecks(sql, monitor, whole, page),
    listIncidents(sql, projectId, monitorId, { limit: INCIDENTS }),
    readSums(sql, projectId, "hour", since(DAY_MS - HOUR_MS), monitorId),
    readSums(sql, projectId, "day", since((BAR_DAYS - 1) * DAY_MS), monitorId),
  ]);
  return {
    monitor,
    now,
    channels: channels.filter(({ channelId }) => monitor.channelIds.includes(channelId)),
    range,
    latency,
    markers,
    checks,
    incidents,
    hours: hours.get(monitorId) ?? [],
    days: days.get(monitorId) ?? [],
  };
}

export function MonitorPage(view: MonitorView) {
  const { shell, project, mayWrite, monitor, now } = view;
  const path = monitorPath(project.id, monitor.monitorId);
  return (
    <Page
      shell={shell}
      section="monitors"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Monitors"), href: monitorsPath(project.id) },
        { label: monitor.name },
      ]}
    >
      <PageHeader
        title={monitor.name}
        description={
          <span class="flex flex-wrap items-center gap-2">
            <StateBadge state={shownState(monitor, now)} />
            <bdi class="min-w-0 wrap-anywhere">{targetWords(monitor.target)}</bdi>
          </span>
        }
        actions={mayWrite && <Actions {...view} />}
      />
      <div class="space-y-4">
        <Notes {...view} />
        <Figures {...view} />
        <Panel title={t("The last 90 days")} id="days">
          <UptimeBars
            period="day"
            sums={view.days}
            count={BAR_DAYS}
            now={now}
            barWidth={8}
            class="mb-2 h-8 w-full"
          />
          <BarLegend />
        </Panel>
        <div class="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div class="min-w-0 space-y-4">
            <Latency {...view} path={path} />
            <IncidentTable
              incidents={view.incidents}
              now={now}
              hrefOf={({ incidentId }) => incidentPath(project.id, monitor.monitorId, incidentId)}
            />
          </div>
          <div class="min-w-0 space-y-4">
            <About {...view} />
            {monitor.certificate !== null && (
              <Panel title={t("Certificate")} id="certificate">
                <CertificateFacts certificate={monitor.certificate} isNarrow />
              </Panel>
            )}
            {monitor.domainEndsAt !== null && (
              <Panel title={t("Domain")} id="domain">
                <DomainFacts domain={monitor.domain} endsAt={monitor.domainEndsAt} now={now} />
              </Panel>
            )}
          </div>
        </div>
        <CheckTable
          projectId={project.id}
          checks={view.checks}
          isPaused={monitor.isPaused}
          hrefOf={(cursor) =>
            `${path}?${new URLSearchParams({ range: view.range, cursor })}#checks`}
        />
        <WindowPanel
          windows={monitor.windows}
          now={now}
          mayWrite={mayWrite}
          errors={view.windowErrors}
          params={view.windowParams}
        />
        {mayWrite && (
          <Panel title={t("Delete this monitor")} danger>
            <ConfirmByName
              name={monitor.name}
              action={t("Delete monitor")}
              idPrefix="delete-"
              fields={{ action: "delete" }}
              error={view.deleteError}
              consequence={t(
                "The monitor disappears with its incidents and its history. This cannot be undone.",
              )}
            />
          </Panel>
        )}
      </div>
    </Page>
  );
}

function Actions({ project, monitor }: MonitorView) {
  return (
    <>
      <form method="post">
        <Button name="action" value={monitor.isPaused ? "resume" : "pause"}>
          {monitor.isPaused ? t("Resume") : t("Pause")}
        </Button>
      </form>
      <LinkButton kind="primary" href={editMonitorPath(project.id, monitor.monitorId)}>
        {t("Edit")}
      </LinkButton>
    </>
  );
}

function Notes({ monitor, channels, incidents }: MonitorView) {
  const current = incidents.find(({ incidentId }) => incidentId === monitor.incidentId);
  return (
    <>
      {current !== undefined && (
        <Alert kind="danger" title={t("It is down")}>
          {`${probeWords(monitor.lastError || current.message)} `}
          <a
            class="link"
            href={incidentPath(monitor.projectId, monitor.monitorId, current.incidentId)}
          >
            {t("What was seen")}
          </a>
        </Alert>
      )}
      {current === undefined && monitor.lastError !== "" && (
        <Alert kind="warning" title={t("The last check")}>{probeWords(monitor.lastError)}</Alert>
      )}
      {monitor.isPaused && (
        <Alert title={t("This monitor is paused")}>
          {t("It is not checked until somebody resumes it.")}
        </Alert>
      )}
      {!monitor.isPaused && channels.length === 0 && (
        <Alert kind="warning" title={t("No notifications")}>
          {t("This monitor has no channel: only its history is kept.")}
        </Alert>
      )}
    </>
  );
}

function Figures({ monitor, hours, days, now }: MonitorView) {
  const uptimeSince = (length: number) =>
    uptimeOf(totalOf(days.filter(({ start }) => start.getTime() > now.getTime() - length)));
  const hour = totalOf(hours);
  return (
    <FigureStrip
      figures={[
        { label: t("Since"), value: <RelativeTime date={monitor.since} now={now} /> },
        { label: t("Last check"), value: <RelativeTime date={monitor.checkedAt} now={now} /> },
        {
          label: t("Latency, 24 h"),
          value: formatDuration(meanMs(hour)),
          title: t("Mean of all checks"),
        },
        { label: t("Uptime, 24 h"), value: uptimeWords(uptimeOf(hour)) },
        { label: t("Uptime, 30 d"), value: uptimeWords(uptimeSince(30 * DAY_MS)) },
        { label: t("Uptime, 90 d"), value: uptimeWords(uptimeSince(BAR_DAYS * DAY_MS)) },
      ]}
    />
  );
}

function Latency(view: MonitorView & { readonly path: string }) {
  const { latency, range, now, path, monitor } = view;
  const { ms, stepMs } = RANGES[range];
  const first = Math.floor((now.getTime() - ms) / stepMs) * stepMs + stepMs;
  const times = Array.from(
    { length: Math.round(ms / stepMs) },
    (_, place) => first + place * stepMs,
  );
  const byTime = new Map(latency.map((bucket) => [bucket.start.getTime(), bucket]));
  const phases = Object.keys(PHASE_LABELS) as (keyof typeof PHASE_LABELS)[];
  return (
    <div>
      <ChartBox>
        <TimeChart
          id="latency"
          title={t("Latency by phase")}
          unit="duration"
          times={times}
          bucketMs={stepMs}
          series={phases.filter((phase) => latency.some((bucket) => bucket[phase] !== null)).map(
            (phase) => ({
              label: t(PHASE_LABELS[phase]),
              kind: "stacked-area",
              values: times.map((time) => byTime.get(time)?.[phase] ?? null),
            }),
          )}
          markers={view.markers}
          bands={view.incidents.map(({ openedAt, closedAt }) => ({
            from: openedAt.getTime(),
            to: (closedAt ?? now).getTime(),
            label: t("down"),
            tone: "danger",
          }))}
          {...monitor.target.slowMs === null
            ? {}
            : { threshold: { value: monitor.target.slowMs, label: t("slow") } }}
        />
      </ChartBox>
      <ChoiceLinks
        label={t("Time")}
        choices={RANGE_NAMES}
        chosen={range}
        hrefOf={(choice) => `${path}?range=${choice}`}
        wordsOf={shortRange}
      />
    </div>
  );
}

function About({ monitor, channels }: MonitorView) {
  const { target, projectId } = monitor;
  return (
    <Panel title={t("About")} id="about">
      <dl class="space-y-2">
        <Fact label={t("Checks")}>{t(KIND_LABELS[target.kind])}</Fact>
        <Fact label={t("Every@@interval")}>{intervalWords(monitor.intervalSec)}</Fact>
        <Fact label={t("Time limit")}>{formatDuration(target.timeoutMs)}</Fact>
        {target.slowMs !== null && (
          <Fact label={t("Slow from")}>{formatDuration(target.slowMs)}</Fact>
        )}
        {target.kind === "http" && <Fact label={t("Expects")}>{expectationWords(target)}</Fact>}
        <Fact label={t("Down after")}>
          {t("{n} failure in a row, 10 s apart|{n} failures in a row, 10 s apart", {
            n: monitor.failureThreshold,
          })}
        </Fact>
        <Fact label={t("Up after")}>
          {t("{n} success in a row|{n} successes in a row", { n: monitor.recoveryThreshold })}
        </Fact>
        <Fact label={t("Channels")}>
          {channels.length === 0 ? NONE : (
            <ul>
              {channels.map(({ channelId, name }) => (
                <li key={channelId} class="truncate">
                  <a class="link" href={channelPath(projectId, channelId)}>
                    <bdi>{name}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {!monitor.isPaused && (
          <Fact label={t("Next check")}>
            <ExactTime date={monitor.dueAt} />
          </Fact>
        )}
        <Fact label={t("Last changed")}>
          {monitor.updatedBy === ""
            ? <RelativeTime date={monitor.updatedAt} />
            : rich("{time} by {person}", {
              time: <RelativeTime date={monitor.updatedAt} />,
              person: monitor.updatedBy,
            })}
        </Fact>
      </dl>
    </Panel>
  );
}

function expectationWords(target: Extract<Monitor["target"], { kind: "http" }>): string {
  const { method, expectedStatus, keyword, json } = target;
  return [
    `${method}: ${expectedStatus}`,
    ...keyword === null ? [] : [
      keyword.isAbsent
        ? t('without "{text}"', { text: keyword.text })
        : t('with "{text}"', { text: keyword.text }),
    ],
    ...json === null ? [] : [
      `${json.path} ${json.comparison} ${json.comparison === "exists" ? "" : json.value}`.trim(),
    ],
  ].join(", ");
}
