import type { EventRow } from "./event_row.ts";
import type { FiledEvent } from "./insert_events.ts";
import type { ErrorEvent } from "../../records/mod.ts";

/** What a batch adds to one issue. */
export interface IssueTally {
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
export interface OccurrenceTally {
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

export interface Occurrences {
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
