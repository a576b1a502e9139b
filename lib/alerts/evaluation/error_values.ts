import type { Window } from "./alerting_events.ts";
import { findChangedIssues } from "./alerting_issues.ts";
import { countEvents, countUsers } from "./error_counts.ts";
import type { ErrorSource } from "../rule.ts";
import type { Sql } from "../../store/database.ts";
import { DAY_MS } from "../../store/scope_filter.ts";
import { type GroupValue, MAX_GROUPS } from "./group_value.ts";
import { READ_LIMIT_MS, type Watched } from "./read_values.ts";

/** What a spike is compared with: the same time of so many days. */
export const DAYS_BEFORE = 7;

/** Counts errors. Nothing counted is 0, never "no data". */
export async function errorValues(
  sql: Sql,
  { projectId, ruleId, environments }: Watched,
  { measure, search }: ErrorSource,
  window: Window,
): Promise<GroupValue[]> {
  const selection = { projectId, environments, search };
  switch (measure) {
    case "events": {
      const [count = 0] = await countEvents(sql, selection, [window], READ_LIMIT_MS);
      return [whole(count)];
    }
    case "users":
      return [whole(await countUsers(sql, selection, window, READ_LIMIT_MS))];
    case "spike": {
      const windows = [window, ...daysBefore(window)];
      const [count = 0, ...before] = await countEvents(sql, selection, windows, READ_LIMIT_MS);
      return [whole(spike(count, before))];
    }
    case "new_issue":
    case "regression": {
      const limits = { limit: MAX_GROUPS, timeoutMs: READ_LIMIT_MS };
      const asked = { ...selection, measure, ruleId };
      const issues = await findChangedIssues(sql, asked, window, limits);
      return issues.map(({ issueId, title, timesSeen }) => ({
        group: issueId,
        words: title,
        value: timesSeen,
      }));
    }
  }
}

/**
 * How many times as many events as usual. Where less than one event is usual, one counts as usual: two events are no
 * spike for having been preceded by silence.
 *
 * @param before counts of the days before
 */
export function spike(count: number, before: readonly number[]): number {
  const mean = before.reduce((sum, each) => sum + each, 0) / Math.max(1, before.length);
  return count / Math.max(1, mean);
}

function daysBefore({ start, end }: Window): Window[] {
  return Array.from({ length: DAYS_BEFORE }, (_, day) => {
    const shift = (day + 1) * DAY_MS;
    return { start: new Date(start.getTime() - shift), end: new Date(end.getTime() - shift) };
  });
}

function whole(value: number): GroupValue {
  return { group: "", words: "", value };
}
