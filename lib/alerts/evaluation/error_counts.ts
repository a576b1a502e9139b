/** Errors within windows: how many, and of how many users. */
import type postgres from "postgres";
import type { Queryable, Sql } from "../../store/database.ts";
import { ceilTo, floorTo, HOUR_MS, inScope } from "../../store/scope_filter.ts";
import { withinTime } from "../../store/statement_timeout.ts";
import { type ErrorSelection, eventsIn, type Window } from "./alerting_events.ts";

/** From here on whole hours are read as such. */
const MIN_HOURS_MS = 6 * HOUR_MS;
/**
 * Counts the events of each window.
 *
 * @param windows at least one
 * @returns as many counts
 * @throws {QueryTooSlow} when it takes longer than `timeoutMs`
 */
export async function countEvents(
  sql: Sql,
  selection: ErrorSelection,
  windows: readonly Window[],
  timeoutMs: number,
): Promise<number[]> {
  const rows = await withinTime(sql, timeoutMs, (tx) =>
    tx<{ place: number; count: string }[]>`
      select place, sum(times_seen) as count
      from (${
      windows.map((window, place) => countsIn(tx, selection, window, place))
        .reduce((all, part) => tx`${all} union all ${part}`)
    }) as counted
      group by place
    `);
  const counts = new Map(rows.map(({ place, count }) => [place, Number(count)]));
  return windows.map((_, place) => counts.get(place) ?? 0);
}

/**
 * Counts the events, or their different users, of stretches of time that are divided into steps.
 *
 * @param windows at least one, each a whole number of steps long
 * @returns for each of them a count for each step
 * @throws {QueryTooSlow} as `countEvents()`
 */
export async function countOverTime(
  sql: Sql,
  selection: ErrorSelection & { readonly measure: "events" | "users" },
  windows: readonly Window[],
  { stepMs, timeoutMs }: { readonly stepMs: number; readonly timeoutMs: number },
): Promise<number[][]> {
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<{ place: number; step: number; count: string }[]>`
      select place, step, ${
        selection.measure === "users" ? tx`count(distinct user_key)` : tx`count(*)`
      } as count
      from (${
        windows.map((window, place) => {
          const since = tx`extract(epoch from events."timestamp" - ${window.start}::timestamptz)`;
          const step = tx`floor(${since} * 1000 / ${stepMs}::float8)::int as step`;
          return eventsIn(tx, selection, window, tx`${place}::int as place, ${step}, user_key`);
        }).reduce((all, part) => tx`${all} union all ${part}`)
      }) as seen
      group by place, step
    `,
  );
  const counts = windows.map(({ start, end }) =>
    Array.from({ length: Math.round((end.getTime() - start.getTime()) / stepMs) }, () => 0)
  );
  for (const { place, step, count } of rows) {
    const line = counts[place];
    if (line !== undefined && step < line.length) line[step] = Number(count);
  }
  return counts;
}

/** Counts the different users of the events of a window. @throws {QueryTooSlow} as `countEvents()` */
export async function countUsers(
  sql: Sql,
  selection: ErrorSelection,
  window: Window,
  timeoutMs: number,
): Promise<number> {
  const [row] = await withinTime(sql, timeoutMs, (tx) =>
    tx<{ count: string }[]>`
      select count(distinct user_key) as count from (
        ${eventsIn(tx, selection, window, tx`events.user_key`)}
      ) as seen
    `);
  return Number(row?.count ?? 0);
}

/** Rows of `(place, times_seen)`. */
function countsIn(
  sql: Queryable,
  selection: ErrorSelection,
  window: Window,
  place: number,
): postgres.Fragment {
  const one = sql`${place}::int as place, 1 as times_seen`;
  const first = ceilTo(HOUR_MS, window.start);
  const last = floorTo(HOUR_MS, window.end);
  const isShort = window.end.getTime() - window.start.getTime() < MIN_HOURS_MS;
  if (isShort || selection.search !== "") return eventsIn(sql, selection, window, one);
  return sql`
    ${eventsIn(sql, selection, { start: window.start, end: first }, one)}
    union all
    select ${place}::int, times_seen from issue_hours
    where project_id = ${selection.projectId} and hour >= ${first} and hour < ${last}
      ${inScope(sql, { environments: selection.environments, releases: [] })}
    union all
    ${eventsIn(sql, selection, { start: last, end: window.end }, one)}
  `;
}
