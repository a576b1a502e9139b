import type { ErrorEvent } from "../../records/mod.ts";
import type { Transaction } from "../../store/database.ts";
import {
  type Columns,
  incoming,
  isByValue,
  type Table,
  upsert,
  writeByValue,
} from "../../store/write_rows.ts";
import type { FiledEvent, IssueUser } from "./events.ts";
import { IssuesGone } from "./gone_issues.ts";
import type { EventRow } from "./rows.ts";

/** What a batch adds to one issue. */
interface IssueTally {
  readonly projectId: string;
  readonly issueId: string;
  timesSeen: number;
  /** ISO 8601, UTC: text compares as time does. */
  firstSeen: string;
  lastSeen: string;
  lastReceived: string;
  /** Of the earliest and of the newest event; `""`, when it named none, leaves what is known. */
  firstRelease: string;
  lastRelease: string;
  /** What the list shows of the issue. */
  newest: ErrorEvent;
}

/** Adds up a batch's events by issue. */
export function tallyIssues(events: readonly FiledEvent[]): IssueTally[] {
  const tallies = new Map<string, IssueTally>();
  for (const filed of events) {
    const key = `${filed.row.projectId}/${filed.issueId}`;
    const tally = tallies.get(key);
    if (tally === undefined) tallies.set(key, startTally(filed));
    else addTo(tally, filed);
  }
  return [...tallies.values()];
}

function startTally({ row, issueId }: FiledEvent): IssueTally {
  return {
    projectId: row.projectId,
    issueId,
    timesSeen: 1,
    firstSeen: row.timestamp,
    lastSeen: row.timestamp,
    lastReceived: row.receivedAt,
    firstRelease: row.release,
    lastRelease: row.release,
    newest: row.event,
  };
}

function addTo(tally: IssueTally, { row }: FiledEvent): void {
  tally.timesSeen++;
  if (row.receivedAt > tally.lastReceived) tally.lastReceived = row.receivedAt;
  if (row.timestamp < tally.firstSeen) {
    tally.firstSeen = row.timestamp;
    tally.firstRelease = row.release;
  }
  if (isNewer(row, tally)) {
    tally.lastSeen = row.timestamp;
    tally.lastRelease = row.release;
    tally.newest = row.event;
  }
}

/** Events of the same time are in the order of their ids, here as in every list of them. */
function isNewer({ timestamp, event }: EventRow, { lastSeen, newest }: IssueTally): boolean {
  return timestamp === lastSeen ? event.eventId > newest.eventId : timestamp > lastSeen;
}

/** Occurrences of one issue, or of a whole project, within one stretch of time, environment and release. */
interface OccurrenceTally {
  readonly projectId: string;
  readonly issueId: string;
  /** An hour (ISO 8601) or a day (`YYYY-MM-DD`), UTC. */
  readonly time: string;
  readonly environment: string;
  readonly release: string;
  timesSeen: number;
  /** ISO 8601, UTC. */
  lastSeen: string;
}

/** Stands for all issues in a tally of the whole project. */
const ALL_ISSUES = "0";

interface Occurrences {
  readonly hours: OccurrenceTally[];
  readonly days: OccurrenceTally[];
  readonly projectHours: OccurrenceTally[];
}

/** Adds up a batch's events by hour and day, environment and release. */
export function tallyOccurrences(events: readonly FiledEvent[]): Occurrences {
  return {
    hours: tallyBy(events, ({ row }) => row.hour, ({ issueId }) => issueId),
    days: tallyBy(events, ({ row }) => row.day, ({ issueId }) => issueId),
    projectHours: tallyBy(events, ({ row }) => row.hour, () => ALL_ISSUES),
  };
}

function tallyBy(
  events: readonly FiledEvent[],
  timeOf: (event: FiledEvent) => string,
  issueOf: (event: FiledEvent) => string,
): OccurrenceTally[] {
  const tallies = new Map<string, OccurrenceTally>();
  for (const filed of events) {
    const { projectId, environment, release } = filed.row;
    const time = timeOf(filed);
    const issueId = issueOf(filed);
    // The length keeps "a" + "bc" apart from "ab" + "c".
    const key = `${projectId}/${issueId}/${time}/${environment.length}/${environment}${release}`;
    const tally = tallies.get(key);
    const lastSeen = filed.row.timestamp;
    if (tally === undefined) {
      tallies.set(key, { projectId, issueId, time, environment, release, timesSeen: 1, lastSeen });
    } else {
      tally.timesSeen++;
      if (lastSeen > tally.lastSeen) tally.lastSeen = lastSeen;
    }
  }
  return [...tallies.values()];
}

/** Before every event. */
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

const ISSUE_USERS: Table<IssueUser> = {
  name: "issue_users",
  key: ["issue_id", "user_key"],
  columns: {
    issue_id: ["bigint", ({ issueId }) => issueId],
    user_key: ["text", ({ user }) => user],
  },
};

const ISSUE_COLUMNS = {
  project_id: ["bigint", ({ projectId }) => projectId],
  id: ["bigint", ({ issueId }) => issueId],
  type: ["text", ({ newest }) => newest.type],
  title: ["text", ({ newest }) => newest.title],
  culprit: ["text", ({ newest }) => newest.culprit],
  level: ["text", ({ newest }) => newest.level],
  platform: ["text", ({ newest }) => newest.platform],
  metadata: ["text", ({ newest }) => JSON.stringify(newest.metadata)],
  first_seen: ["timestamptz", ({ firstSeen }) => firstSeen],
  last_seen: ["timestamptz", ({ lastSeen }) => lastSeen],
  last_event_id: ["uuid", ({ newest }) => newest.eventId],
  last_received: ["timestamptz", ({ lastReceived }) => lastReceived],
  first_release: ["text", ({ firstRelease }) => firstRelease],
  last_release: ["text", ({ lastRelease }) => lastRelease],
  times_seen: ["bigint", ({ timesSeen }) => timesSeen],
} satisfies Columns<IssueTally>;

const { project_id: _, last_received, ...SAME } = ISSUE_COLUMNS;

/** The rows themselves, for a database that is sharded. */
const ISSUES: Table<IssueTally & { readonly usersSeen: number }> = {
  name: "issues",
  key: ["id"],
  columns: {
    ...SAME,
    metadata: ["json", ({ newest }) => JSON.stringify(newest.metadata)],
    status_changed_at: last_received,
    substatus: ["text", () => "new"],
    substatus_since: last_received,
    priority: ["text", ({ newest }) => PRIORITIES.get(newest.level) ?? "high"],
    last_seen_on: ["date", ({ lastSeen }) => lastSeen.slice(0, "YYYY-MM-DD".length)],
    users_seen: ["bigint", ({ usersSeen }) => usersSeen],
  },
};

/** An issue that a batch has begun, or that events may reopen: of a steady stream there is none. */
export interface TouchedIssue {
  readonly projectId: string;
  readonly id: string;
  readonly isNew: boolean;
}

/** What of the issue tells how urgent it is, as long as nobody said. */
const PRIORITY_BY_LEVEL = `
  case level when 'info' then 'low' when 'debug' then 'low' when 'warning' then 'medium' else 'high' end
`;
/** The same. */
const PRIORITIES: ReadonlyMap<string, string> = new Map([
  ["info", "low"],
  ["debug", "low"],
  ["warning", "medium"],
]);

/**
 * Creates the issues that are new and adds to the others: counters always, what lists show only from an event
 * newer than all before. What events do to the status of issues is decided afterwards, of the few that have one that
 * may change.
 *
 * @returns the issues that have no number yet, and those that are resolved or archived until something happens
 * @throws {IssuesGone} when one of them was merged or deleted since it was looked up
 */
export async function saveIssues(
  tx: Transaction,
  issues: readonly IssueTally[],
  users: readonly IssueUser[],
): Promise<TouchedIssue[]> {
  const touched = isByValue(tx)
    ? await saveByValue(tx, issues, users)
    : await saveTogether(tx, issues, users);
  const gone = touched.filter(({ isGone }) => isGone);
  if (gone.length > 0) throw new IssuesGone(gone);
  return touched;
}

type Touched = TouchedIssue & { readonly isGone: boolean };

async function saveTogether(
  tx: Transaction,
  issues: readonly IssueTally[],
  users: readonly IssueUser[],
): Promise<Touched[]> {
  return await tx<Touched[]>`
    with new_users as (
      ${upsert(tx, ISSUE_USERS, users)} returning project_id, issue_id
    ),
    saved as (
      insert into issues as known (
        project_id, id, type, title, culprit, level, platform, metadata, status_changed_at, substatus,
        substatus_since, priority, first_seen, last_seen, last_seen_on, last_event_id, first_release,
        last_release, times_seen, users_seen
      )
      select
        project_id, id, type, title, culprit, level, platform, metadata::jsonb, last_received, 'new',
        last_received, ${tx.unsafe(PRIORITY_BY_LEVEL)}, first_seen, last_seen,
        (last_seen at time zone 'UTC')::date, last_event_id, first_release, last_release, times_seen,
        coalesce(users_seen, 0)
      from ${incoming(tx, issues, ISSUE_COLUMNS)}
      left join (
        select project_id, issue_id as id, count(*) as users_seen from new_users group by 1, 2
      ) as users using (project_id, id)
      order by project_id, id
      on conflict (project_id, id) do update set${changesOf(tx)}
      returning project_id, id, number, status, snooze, merged_into
    )
    select project_id as "projectId", id, number is null as "isNew", merged_into is not null as "isGone"
    from saved
    where number is null or status = 'resolved' or snooze is not null or merged_into is not null
    order by project_id, id
  `;
}

/** What a batch changes of an issue that is there. */
function changesOf(tx: Transaction) {
  // In the order of all lists of events: by time, then by id.
  const isNewest = tx`
    (excluded.last_seen, excluded.last_event_id) >=
      (known.last_seen, coalesce(known.last_event_id, ${NO_EVENT}::uuid))
  `;
  return tx`
        title = case when ${isNewest} then excluded.title else known.title end,
        culprit = case when ${isNewest} then excluded.culprit else known.culprit end,
        level = case when ${isNewest} then excluded.level else known.level end,
        platform = case when ${isNewest} then excluded.platform else known.platform end,
        metadata = case when ${isNewest} then excluded.metadata else known.metadata end,
        first_seen = least(known.first_seen, excluded.first_seen),
        last_seen = greatest(known.last_seen, excluded.last_seen),
        last_event_id = case when ${isNewest} then excluded.last_event_id else known.last_event_id end,
        last_seen_on = greatest(known.last_seen_on, excluded.last_seen_on),
        first_release = case
          when excluded.first_release <> ''
            and (known.first_release = '' or excluded.first_seen < known.first_seen)
          then excluded.first_release else known.first_release end,
        last_release = case
          when excluded.last_release <> ''
            and (known.last_release = '' or ${isNewest})
          then excluded.last_release else known.last_release end,
        times_seen = known.times_seen + excluded.times_seen,
        users_seen = known.users_seen + excluded.users_seen`;
}

/** By statements that Citus sends to the shards as they are. */
async function saveByValue(
  tx: Transaction,
  issues: readonly IssueTally[],
  users: readonly IssueUser[],
): Promise<Touched[]> {
  const newUsers = await writeByValue<IssueUser, { projectId: string; issueId: string }>(
    tx,
    ISSUE_USERS,
    users,
    tx`
      on conflict (project_id, issue_id, user_key) do nothing
      returning project_id as "projectId", issue_id as "issueId"
    `,
  );
  const usersOf = Map.groupBy(newUsers, ({ projectId, issueId }) => `${projectId}/${issueId}`);
  const counted = issues.map((issue) => ({
    ...issue,
    usersSeen: usersOf.get(`${issue.projectId}/${issue.issueId}`)?.length ?? 0,
  }));
  const saved = await writeByValue<
    typeof counted[number],
    Touched & { readonly mayChange: boolean }
  >(
    tx,
    ISSUES,
    counted,
    tx`
      on conflict (project_id, id) do update set${changesOf(tx)}
      returning project_id as "projectId", id, number is null as "isNew", merged_into is not null as "isGone",
        number is null or status = 'resolved' or snooze is not null or merged_into is not null as "mayChange"
    `,
  );
  return saved.filter(({ mayChange }) => mayChange);
}

/**
 * Gives new issues their numbers, in the order of their ids. The row of a project's last number is the last lock of a
 * transaction: writers wait for each other there, and take their numbers one after the other.
 */
export async function numberIssues(
  tx: Transaction,
  issues: readonly { readonly projectId: string; readonly id: string }[],
): Promise<void> {
  if (issues.length === 0) return;
  await tx`
    with incoming as (
      select project_id, id, row_number() over (partition by project_id order by id) as place
      from ${incoming(tx, issues, NUMBERED)}
    ),
    taken as (
      insert into issue_numbers as known (project_id, last_number)
      select project_id, count(*) from incoming group by project_id order by project_id
      on conflict (project_id) do update set last_number = known.last_number + excluded.last_number
      returning project_id, last_number
    )
    update issues set number = taken.last_number - counted.size + incoming.place
    from incoming
    join taken using (project_id)
    join (select project_id, count(*) as size from incoming group by project_id) as counted
      using (project_id)
    where issues.project_id = incoming.project_id and issues.id = incoming.id
  `;
}

const NUMBERED: Columns<{ readonly projectId: string; readonly id: string }> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  id: ["bigint", ({ id }) => id],
};

const TIMES_SEEN: Columns<OccurrenceTally> = {
  environment: ["text", ({ environment }) => environment],
  release: ["text", ({ release }) => release],
  times_seen: ["integer", ({ timesSeen }) => timesSeen, "add"],
};

export const ISSUE_HOURS: Table<OccurrenceTally> = {
  name: "issue_hours",
  key: ["hour", "issue_id", "environment", "release"],
  columns: {
    hour: ["timestamptz", ({ time }) => time],
    issue_id: ["bigint", ({ issueId }) => issueId],
    ...TIMES_SEEN,
  },
};

export const ISSUE_DAYS: Table<OccurrenceTally> = {
  name: "issue_days",
  key: ["day", "issue_id", "environment", "release"],
  columns: {
    day: ["date", ({ time }) => time],
    issue_id: ["bigint", ({ issueId }) => issueId],
    ...TIMES_SEEN,
  },
};

export const PROJECT_HOURS: Table<OccurrenceTally> = {
  name: "project_hours",
  key: ["hour", "environment", "release"],
  columns: {
    hour: ["timestamptz", ({ time }) => time],
    ...TIMES_SEEN,
    last_seen: ["timestamptz", ({ lastSeen }) => lastSeen, "greatest"],
  },
};
