/** What an alert would have done. */
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { type Project, settingsOf } from "../../accounts/projects.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import { Deadline, runQueries } from "../../metrics/mod.ts";
import type { Sql } from "../../store/database.ts";
import { isByMinute } from "../../store/stats/periods.ts";
import { readStatsOverTime } from "../../store/stats/read_stats.ts";
import { isOfIssues } from "../check_input.ts";
import {
  type AlertInput,
  type AlertLevel,
  type AlertStatus,
  type ErrorSource,
  type MetricSource,
  newState,
  type TransactionSource,
} from "../rule.ts";
import { countOverTime, findChangedIssues, type Window } from "./error_queries.ts";
import { stepState } from "./group_states.ts";
import {
  groupOf,
  MAX_GROUPS,
  READ_LIMIT_MS,
  requestOf,
  selectionOf,
  spike,
  valueOf,
  type ValueServices,
  type Watched,
  withDaysBefore,
} from "./values.ts";

/** The values of an alert over time, and the states they would have brought about. */
export interface AlertPreview {
  /** Beginnings of the windows in ms, ascending. */
  readonly times: readonly number[];
  /** Length of a window in ms. */
  readonly stepMs: number;
  /** Those with the largest values first; one for an alert without groups. */
  readonly groups: readonly PreviewedGroup[];
}

export interface PreviewedGroup extends GroupOverTime {
  /** After each window. */
  readonly statuses: readonly AlertStatus[];
  /** While pending or firing. */
  readonly levels: readonly (AlertLevel | null)[];
}

/** What of an alert decides its values and states. */
export type Previewed = Pick<
  AlertInput,
  "source" | "environments" | "windowMinutes" | "forMinutes" | "noData" | "condition"
>;

/**
 * Judges the windows of an interval, one beside the other; the evaluation itself judges windows that overlap.
 *
 * @throws {InvalidQuery | QueryTooSlow | TimeLimitExceeded} as `valuesOverTime()`: their readers can act on the first
 */
export async function previewRule(
  services: ValueServices,
  project: Pick<Project, "id" | "settings">,
  input: Previewed,
  interval: Window,
): Promise<AlertPreview> {
  const watched: Watched = {
    ...input,
    projectId: project.id,
    ruleId: null,
    apdexMs: settingsOf(project).apdexMs,
  };
  const { times, stepMs, groups } = await valuesOverTime(services, watched, interval);
  return { times, stepMs, groups: groups.map((group) => withStates(input, group, times, stepMs)) };
}

function withStates(
  input: Previewed,
  group: GroupOverTime,
  times: readonly number[],
  stepMs: number,
): PreviewedGroup {
  let state = newState(group.group, new Date(times[0] ?? 0));
  const states = group.values.map((value, place) => {
    // Each issue fires by itself: here it is told how many began or came back.
    const judged = isOfIssues(input) && value === 0 ? null : value;
    const at = new Date((times[place] ?? 0) + stepMs);
    state = judged === null && isOfIssues(input)
      ? newState(group.group, at)
      : stepState(input, state, { at, value: judged, again: null }).state;
    return state;
  });
  return {
    ...group,
    statuses: states.map(({ status }) => status),
    levels: states.map(({ level }) => level),
  };
}

/** The values of a rule, one window beside the other. */
interface ValuesOverTime {
  /** Beginnings of the windows in ms, ascending. */
  readonly times: readonly number[];
  /** Length of a window; longer than the rule's where points come less often. */
  readonly stepMs: number;
  readonly groups: readonly GroupOverTime[];
}

interface GroupOverTime {
  /** As `AlertState.group`; issues are counted together. */
  readonly group: string;
  /** One a window; null without data. */
  readonly values: readonly (number | null)[];
}

/**
 * Reads what a rule would have been judged by over a stretch of time.
 *
 * @throws {InvalidQuery} for queries that make no sense
 * @throws {QueryTooSlow | TimeLimitExceeded} after ten seconds
 */
async function valuesOverTime(
  services: ValueServices,
  watched: Watched,
  interval: Window,
): Promise<ValuesOverTime> {
  const stepMs = watched.windowMinutes * MINUTE_MS;
  const steps = { ...wholeSteps(interval, stepMs), stepMs };
  const timed = { ...services, deadline: new Deadline(READ_LIMIT_MS) };
  return await withTimeLimit(readAll(timed, watched, steps), READ_LIMIT_MS);
}

interface Steps extends Window {
  readonly stepMs: number;
}

function readAll(
  services: ValueServices,
  watched: Watched,
  steps: Steps,
): Promise<ValuesOverTime> {
  const { source } = watched;
  switch (source.kind) {
    case "metric":
      return metricOverTime(services, watched, source, steps);
    case "errors":
      return errorsOverTime(services, watched, source, steps);
    case "transactions":
      return transactionsOverTime(services.sql, watched, source, steps);
  }
}

/** The windows that lie wholly within an interval; one before its end if it is shorter. */
function wholeSteps({ start, end }: Window, stepMs: number): Window {
  const last = Math.floor(end.getTime() / stepMs) * stepMs;
  const first = Math.min(Math.ceil(start.getTime() / stepMs) * stepMs, last - stepMs);
  return { start: new Date(first), end: new Date(last) };
}

function timesOf({ start, end, stepMs }: Steps): number[] {
  const count = Math.round((end.getTime() - start.getTime()) / stepMs);
  return Array.from({ length: count }, (_, place) => start.getTime() + place * stepMs);
}

async function metricOverTime(
  services: ValueServices,
  watched: Watched,
  source: MetricSource,
  steps: Steps,
): Promise<ValuesOverTime> {
  const result = await runQueries(services, requestOf(watched, source, steps, steps.stepMs));
  const groups = result.series.filter(({ queryId }) => queryId === source.judged)
    .map(({ labels, values }) => ({ group: groupOf(labels), values }));
  return { times: result.times, stepMs: result.stepMs, groups };
}

async function errorsOverTime(
  { sql, kv }: ValueServices,
  { projectId, environments }: Watched,
  { measure, search }: ErrorSource,
  steps: Steps,
): Promise<ValuesOverTime> {
  const { stepMs } = steps;
  const times = timesOf(steps);
  const selection = { projectId, environments, search, searcher: { kv, userId: null } };
  const limits = { stepMs, timeoutMs: READ_LIMIT_MS };
  const whole = (values: readonly number[]) => ({ times, stepMs, groups: [{ group: "", values }] });
  if (measure === "events" || measure === "users") {
    const [counts = []] = await countOverTime(sql, { ...selection, measure }, [steps], limits);
    return whole(counts);
  }
  if (measure === "spike") {
    const windows = withDaysBefore(steps);
    const asked = { ...selection, measure: "events" } as const;
    const [counts = [], ...before] = await countOverTime(sql, asked, windows, limits);
    return whole(
      counts.map((count, place) => spike(count, before.map((day) => day[place] ?? 0))),
    );
  }
  const asked = { ...selection, measure, ruleId: null };
  const most = { limit: MAX_GROUPS, timeoutMs: READ_LIMIT_MS };
  const issues = await findChangedIssues(sql, asked, steps, most);
  const stepOf = (at: Date) => Math.floor((at.getTime() - steps.start.getTime()) / stepMs);
  const places = issues.map(({ changedAt }) => stepOf(changedAt));
  return whole(times.map((_, place) => places.filter((each) => each === place).length));
}

async function transactionsOverTime(
  sql: Sql,
  watched: Watched,
  source: TransactionSource,
  steps: Steps,
): Promise<ValuesOverTime> {
  const times = timesOf(steps);
  const { measure } = source;
  const parts = finePartsOf(steps);
  const read = await Promise.all(
    parts.map((part) =>
      readStatsOverTime(sql, selectionOf(watched, source, part), steps.stepMs, ["users"])
    ),
  );
  const found = read.flat();
  const byTime = new Map(found.map(({ time, stats }) => [time, stats]));
  const isCounted = (time: number) =>
    parts.some(({ start, end }) => time >= start.getTime() && time < end.getTime());
  const values = times.map((time) => {
    const stats = byTime.get(time);
    if (stats === undefined) return measure === "throughput" && isCounted(time) ? 0 : null;
    return valueOf(measure, stats, watched.apdexMs, steps.stepMs / MINUTE_MS);
  });
  return { times, stepMs: steps.stepMs, groups: [{ group: "", values }] };
}

/** Counts by the minute are read for so much time at once, in whole windows. */
const FINE_MS = 6 * HOUR_MS;

/**
 * The stretches of time that are counted finely enough for the windows. By the minute is only what is short and recent;
 * an hour's counts in a window of minutes would be many times what it has had.
 */
function finePartsOf({ start, end, stepMs }: Steps): Window[] {
  if (stepMs >= HOUR_MS) return [{ start, end }];
  const length = Math.floor(FINE_MS / stepMs) * stepMs;
  const count = Math.ceil((end.getTime() - start.getTime()) / length);
  return Array.from({ length: count }, (_, place) => ({
    start: new Date(start.getTime() + place * length),
    end: new Date(Math.min(start.getTime() + (place + 1) * length, end.getTime())),
  })).filter((part) => isByMinute(part));
}
