/** What an alert would have done. */
import type { Project } from "../../accounts/projects.ts";
import { settingsOf } from "../../accounts/project_settings.ts";
import { isOfIssues } from "../check_input.ts";
import type { Window } from "./alerting_events.ts";
import { newState } from "../group_state.ts";
import type { AlertInput, AlertLevel, AlertStatus } from "../rule.ts";
import { stepState } from "./step_state.ts";
import type { ValueServices, Watched } from "./read_values.ts";
import { type GroupOverTime, valuesOverTime } from "./values_over_time.ts";

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
