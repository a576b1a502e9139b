import type { Sql } from "../../store/database.ts";
import { matching } from "../../errors/issue_conditions.ts";
import { parseIssueSearch } from "../../errors/issue_search.ts";
import { DAY_MS, HOUR_MS } from "../../store/scope_filter.ts";
import { withinTime } from "../../store/statement_timeout.ts";
import type { ErrorSelection, Window } from "./alerting_events.ts";

/** An issue that began or came back. */
export interface AlertingIssue {
  readonly issueId: string;
  readonly title: string;
  readonly timesSeen: number;
  /** When it began or came back. */
  readonly changedAt: Date;
}

/** Events that a client kept while it was offline begin issues that are new all the same. */
const LATE_MS = DAY_MS;

/**
 * The issues that began, or came back after they had been resolved, within the window, by the time at which that was
 * received. New ones that the rule has alerted of before the window are left out, since a person may reopen one.
 *
 * @throws {QueryTooSlow} as `countEvents()`
 */
export async function findChangedIssues(
  sql: Sql,
  selection: ErrorSelection & {
    readonly measure: "new_issue" | "regression";
    /** Null: a rule that is still being written. */
    readonly ruleId: string | null;
  },
  window: Window,
  { limit, timeoutMs }: { readonly limit: number; readonly timeoutMs: number },
): Promise<AlertingIssue[]> {
  const { projectId, environments, search, measure, ruleId } = selection;
  const late = new Date(window.start.getTime() - LATE_MS);
  const range = { start: late, end: new Date(window.end.getTime() + HOUR_MS) };
  const { filter } = parseIssueSearch(search, window.end);
  const isNew = measure === "new_issue";
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<(Omit<AlertingIssue, "timesSeen"> & { timesSeen: string })[]>`
      select i.id::text as "issueId", i.title, i.times_seen as "timesSeen", i.status_changed_at as "changedAt" from issues as i
      where ${
        matching(tx, {
          projectId,
          environments,
          releases: [],
          ...range,
          filter,
          statuses: ["unresolved"],
        }, window.end)
      }
        and i.status_changed_at >= ${window.start} and i.status_changed_at < ${window.end}
        and ${isNew ? tx`not i.is_regressed and i.first_seen >= ${late}` : tx`i.is_regressed`}
        ${
        ruleId === null || !isNew ? tx`` : tx`
        and i.id::text not in (
          select "group" from alert_history
          where project_id = ${projectId} and rule_id = ${ruleId}
            and "at" >= ${late} and "at" < ${window.start} and to_status = 'firing'
        )
      `
      }
      order by i.status_changed_at, i.id
      limit ${limit}
    `,
  );
  return rows.map(({ timesSeen, ...issue }) => ({ ...issue, timesSeen: Number(timesSeen) }));
}
