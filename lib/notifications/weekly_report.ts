/** The week of somebody's projects, by mail on Monday. */
import { listProjectsSeenBy } from "../accounts/authorize.ts";
import { readerOf } from "../accounts/language.ts";
import { inLanguage } from "../core/request_scope.ts";
import { t } from "../core/language/translate.ts";
import { listOrganizationsOf, type Organization } from "../accounts/organizations.ts";
import type { Project } from "../accounts/projects.ts";
import { sha256 } from "../accounts/secrets.ts";
import { findUser, type User } from "../accounts/users.ts";
import { letterOf, type Mail } from "../alerts/mod.ts";
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import { shortIdOf } from "../errors/mod.ts";
import type { Sql } from "../store/database.ts";
import { dayOf } from "../store/query_limits.ts";
import { formatCount, formatDateTime, formatExact, formatPercent } from "../ui/format.ts";
import { enqueueMails } from "./mail_queue.ts";
import { noteReported, preferencesOf, whoWantsReport } from "./preferences.ts";
import type { TellTools } from "./tell_people.ts";

/** The hour of Monday, UTC, from which reports go out. */
const REPORT_HOUR = 7;
const TOP_ISSUES = 5;
/** Of an organization with hundreds of projects those with the most errors are told. */
const MAX_PROJECTS = 20;

/** The end of the last whole week: a Monday, 0:00 UTC. */
export function lastMonday(now: Date): Date {
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return new Date(start - ((now.getUTCDay() + 6) % 7) * DAY_MS);
}

/**
 * Writes the reports of the last week that are not written yet: one mail a person and organization.
 *
 * @returns how many mails were written
 */
export async function reportWeek(tools: TellTools, now: Date): Promise<number> {
  const { kv, sql, config } = tools;
  const end = lastMonday(now);
  if (config.smtp === null || now.getTime() < end.getTime() + REPORT_HOUR * HOUR_MS) return 0;
  const monday = dayOf(end);
  let written = 0;
  for (const userId of await whoWantsReport(kv, monday)) {
    const user = await findUser(kv, userId);
    const organizations = user === null ? [] : await listOrganizationsOf(kv, userId);
    for (const organization of organizations) {
      if (user === null) continue;
      const mail = await reportOf(tools, user, organization, end);
      if (mail === null) continue;
      await enqueueMails(sql, [{ organizationId: organization.id, ...mail }], now);
      written++;
    }
    await noteReported(kv, userId, monday);
  }
  return written;
}

async function reportOf(
  { kv, sql, config: { baseUrl } }: TellTools,
  user: User,
  organization: Organization,
  end: Date,
): Promise<{ readonly id: string; readonly mail: Mail } | null> {
  const { mutedProjects } = await preferencesOf(kv, user.id);
  const actor = { kind: "user", user } as const;
  const projects = (await listProjectsSeenBy(kv, actor, organization))
    .filter(({ id }) => !mutedProjects.includes(id));
  const weeks = await Promise.all(projects.map((project) => weekOf(sql, project, end)));
  const busy = weeks.filter(({ events, eventsBefore }) => events + eventsBefore > 0)
    .sort((a, b) => b.events - a.events);
  if (busy.length === 0) return null;
  const id = sha256(`week/${organization.id}/${user.id}/${dayOf(end)}`).slice(0, 32);
  const start = new Date(end.getTime() - 7 * DAY_MS);
  const rest = busy.length - MAX_PROJECTS;
  const errors = sum(busy.map(({ events }) => events));
  const mail = inLanguage(readerOf(user), () =>
    letterOf({
      to: user.email,
      subject: t("The week of {name}: {count} error|The week of {name}: {count} errors", {
        name: organization.name,
        n: errors,
        count: formatCount(errors),
      }),
      blocks: [
        t("From {start} to {end}", { start: formatDateTime(start), end: formatDateTime(end) }),
        ...busy.slice(0, MAX_PROJECTS).map((week) => blockOf(week, baseUrl)),
        ...rest > 0 ? [t("And {n} more project.|And {n} more projects.", { n: rest })] : [],
      ],
      link: { label: t("Open Watchpost"), url: `${baseUrl}/projects` },
      id,
      baseUrl,
      unsubscribe: null,
      footer: t("You asked for this report. Choose your notifications: {url}", {
        url: `${baseUrl}/account/notifications`,
      }),
    }));
  return { id, mail };
}

interface Week {
  readonly project: Project;
  readonly events: number;
  readonly eventsBefore: number;
  readonly newIssues: number;
  readonly regressed: number;
  readonly resolved: number;
  readonly top: readonly {
    readonly id: string;
    readonly shortId: string;
    readonly title: string;
    readonly events: number;
  }[];
}

async function weekOf(sql: Sql, project: Project, end: Date): Promise<Week> {
  const start = new Date(end.getTime() - 7 * DAY_MS);
  const before = new Date(start.getTime() - 7 * DAY_MS);
  const [[counts], [issues], [changes], top] = await Promise.all([
    sql<{ events: string; eventsBefore: string }[]>`
      select
        coalesce(sum(times_seen) filter (where hour >= ${start}), 0) as events,
        coalesce(sum(times_seen) filter (where hour < ${start}), 0) as "eventsBefore"
      from project_hours where project_id = ${project.id} and hour >= ${before} and hour < ${end}
    `,
    sql<{ count: number }[]>`
      select count(*)::int as count from issues
      where project_id = ${project.id} and last_seen_on >= ${dayOf(start)}::date
        and first_seen >= ${start} and first_seen < ${end} and merged_into is null
    `,
    sql<{ regressed: number; resolved: number }[]>`
      select
        count(distinct issue_id) filter (where type = 'set_regression')::int as regressed,
        count(distinct issue_id) filter (where type like 'set_resolved%')::int as resolved
      from issue_activity
      where project_id = ${project.id} and created_at >= ${start} and created_at < ${end}
    `,
    sql<{ id: string; number: string; title: string; events: string }[]>`
      select i.id, i.number, i.title, counted.events from (
        select issue_id, sum(times_seen) as events from issue_days
        where project_id = ${project.id} and day >= ${dayOf(start)}::date and day < ${
      dayOf(end)
    }::date
        group by issue_id order by events desc limit ${TOP_ISSUES}
      ) as counted
      join issues as i on i.project_id = ${project.id} and i.id = counted.issue_id
      order by counted.events desc, i.id
    `,
  ]);
  return {
    project,
    events: Number(counts?.events ?? 0),
    eventsBefore: Number(counts?.eventsBefore ?? 0),
    newIssues: issues?.count ?? 0,
    regressed: changes?.regressed ?? 0,
    resolved: changes?.resolved ?? 0,
    top: top.map(({ id, number, title, events }) => ({
      id,
      shortId: shortIdOf(project.slug, Number(number)),
      title,
      events: Number(events),
    })),
  };
}

function blockOf(week: Week, baseUrl: string): string {
  const { project, events, eventsBefore, newIssues, regressed, resolved, top } = week;
  const change = eventsBefore === 0
    ? t("none the week before")
    : t("{change} against the week before", {
      change: (events < eventsBefore ? "−" : "+") +
        formatPercent(Math.abs(events - eventsBefore) / eventsBefore),
    });
  return [
    t("{name}: {count} error ({change})|{name}: {count} errors ({change})", {
      name: project.name,
      n: events,
      count: formatCount(events),
      change,
    }),
    [
      t("{n} new issue|{n} new issues", { n: newIssues }),
      t("{n} regressed|{n} regressed", { n: regressed }),
      t("{n} resolved|{n} resolved", { n: resolved }),
    ].join(" · "),
    ...top.map(({ shortId, title, events }) =>
      `  ${formatExact(events)} × ${shortId} ${title.replaceAll(/\s+/g, " ").slice(0, 120)}`
    ),
    `${baseUrl}/projects/${project.id}/issues`,
  ].join("\n");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
