/** What events do to issues that are resolved, or archived until something happens. */
import { MINUTE_MS } from "../../core/time.ts";
import type { Transaction } from "../../store/database.ts";
import { type ActivityType, writeActivity } from "./activity.ts";
import { isRegression } from "./regression.ts";
import { needTimes, type ReleaseTimes, releaseTimes } from "./releases.ts";
import { type Resolution, type Snooze, type Substatus, SYSTEM } from "./state.ts";

/** An event that has just been stored. */
export interface Happening {
  readonly projectId: string;
  readonly issueId: string;
  readonly eventId: string;
  readonly release: string;
  readonly receivedAt: Date;
}

interface IssueKey {
  readonly projectId: string;
  readonly id: string;
}

interface Settled {
  readonly id: string;
  readonly status: "resolved" | "ignored" | "unresolved";
  readonly statusChangedAt: Date;
  readonly resolution: Resolution | null;
  readonly snooze: Snooze | null;
  readonly timesSeen: number;
  readonly usersSeen: number;
}

/** Why an issue is open again. */
interface Reopened {
  readonly substatus: Substatus;
  readonly type: ActivityType;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/**
 * Reopens the issues among these that the events are a reason for. Called by the writer, in the transaction that
 * stores the events and has locked the issues.
 *
 * @param issues resolved, or archived with a condition
 */
export async function reactToEvents(
  tx: Transaction,
  issues: readonly IssueKey[],
  events: readonly Happening[],
): Promise<void> {
  for (const [projectId, ofProject] of Map.groupBy(issues, ({ projectId }) => projectId)) {
    const settled = await tx<Settled[]>`
      select id, status, status_changed_at as "statusChangedAt", resolution, snooze,
        times_seen::float8 as "timesSeen", users_seen::float8 as "usersSeen"
      from issues
      where project_id = ${projectId} and id = any (${ofProject.map(({ id }) => id)}::bigint[])
      order by id
    `;
    const byIssue = Map.groupBy(
      events.filter((event) => event.projectId === projectId),
      ({ issueId }) => issueId,
    );
    const times = await timesFor(tx, projectId, settled, byIssue);
    for (const issue of settled) {
      const own = byIssue.get(issue.id) ?? [];
      const reopened = issue.status === "resolved"
        ? regressed(issue, own, times)
        : await woken(tx, projectId, issue, own);
      if (reopened !== null) await reopen(tx, projectId, issue.id, reopened);
    }
  }
}

/** When releases began is asked for only where versions do not tell. */
async function timesFor(
  tx: Transaction,
  projectId: string,
  settled: readonly Settled[],
  events: ReadonlyMap<string, readonly Happening[]>,
): Promise<ReleaseTimes> {
  const versions = settled.flatMap(({ id, resolution }) => {
    if (resolution === null || resolution.kind === "commit") return [];
    const against = resolution.kind === "next" ? resolution.after : resolution.version;
    const unclear = (events.get(id) ?? []).map(({ release }) => release)
      .filter((release) => release !== "" && needTimes(release, against));
    return unclear.length === 0 ? [] : [against, ...unclear];
  });
  return versions.length === 0
    ? new Map()
    : await releaseTimes(tx, projectId, [...new Set(versions)]);
}

function regressed(
  { resolution, statusChangedAt: resolvedAt }: Settled,
  events: readonly Happening[],
  times: ReleaseTimes,
): Reopened | null {
  const reasons = events.filter((event) => isRegression({ resolution, resolvedAt }, event, times));
  const last = lastOf(reasons);
  if (last === null) return null;
  const resolvedIn = resolution?.kind === "release" ? resolution.version : null;
  return {
    substatus: "regressed",
    type: "set_regression",
    data: {
      event_id: last.eventId,
      version: last.release,
      ...resolvedIn === null ? {} : { resolved_in_version: resolvedIn },
    },
    at: last.receivedAt,
  };
}

function lastOf(events: readonly Happening[]): Happening | null {
  return events.reduce<Happening | null>(
    (latest, event) => latest === null || event.receivedAt > latest.receivedAt ? event : latest,
    null,
  );
}

/** Of an archived issue: whether what it waits for has come. */
async function woken(
  tx: Transaction,
  projectId: string,
  issue: Settled,
  events: readonly Happening[],
): Promise<Reopened | null> {
  const { snooze } = issue;
  const last = lastOf(events);
  if (snooze === null || last === null || issue.status !== "ignored") return null;
  if (snooze.until !== undefined && new Date(snooze.until) <= last.receivedAt) {
    return {
      substatus: "ongoing",
      type: "set_unresolved",
      data: { event_id: last.eventId },
      at: last.receivedAt,
    };
  }
  if (!await isMetByCount(tx, projectId, issue, snooze, last)) return null;
  return {
    substatus: "escalating",
    type: "set_escalating",
    data: { event_id: last.eventId, expired_snooze: { ...snooze, actor: undefined } },
    at: last.receivedAt,
  };
}

async function isMetByCount(
  tx: Transaction,
  projectId: string,
  { id, timesSeen, usersSeen, statusChangedAt }: Settled,
  snooze: Snooze,
  { receivedAt }: Happening,
): Promise<boolean> {
  const { count, window, userCount, userWindow } = snooze;
  const within = async (minutes: number, counted: "events" | "users") => {
    const since = new Date(
      Math.max(receivedAt.getTime() - minutes * MINUTE_MS, statusChangedAt.getTime()),
    );
    const [row] = await tx<{ count: number }[]>`
      select ${
      counted === "users" ? tx`count(distinct user_key)` : tx`count(*)`
    }::float8 as count from events
      where project_id = ${projectId} and issue_id = ${id} and "timestamp" > ${since}
    `;
    return row?.count ?? 0;
  };
  if (count !== undefined) {
    const seen = window === undefined
      ? timesSeen - snooze.timesSeen
      : await within(window, "events");
    if (seen >= count) return true;
  }
  if (userCount !== undefined) {
    const seen = userWindow === undefined
      ? usersSeen - snooze.usersSeen
      : await within(userWindow, "users");
    if (seen >= userCount) return true;
  }
  return false;
}

async function reopen(
  tx: Transaction,
  projectId: string,
  issueId: string,
  { substatus, type, data, at }: Reopened,
): Promise<void> {
  const raised = tx`, priority = case
    when priority_locked_at is not null then priority
    when priority = 'low' then 'medium'
    else 'high' end`;
  await tx`
    update issues set
      status = 'unresolved', status_changed_at = ${at}, substatus = ${substatus},
      substatus_since = ${at}, resolution = null, snooze = null
      ${substatus === "escalating" ? raised : tx``}
    where project_id = ${projectId} and id = ${issueId}
  `;
  await writeActivity(tx, [{ projectId, issueId, type, actor: SYSTEM, data, at }]);
}
