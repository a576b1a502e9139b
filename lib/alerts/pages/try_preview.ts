import type { Project } from "../../accounts/projects.ts";
import type { Services } from "../../server/services.ts";
import type { AlertState } from "../rule.ts";
import { InvalidQuery } from "../../metrics/invalid_query.ts";
import { QueryTooSlow } from "../../store/statement_timeout.ts";
import { TimeLimitExceeded } from "../../core/time_limit.ts";
import {
  type AlertPreview,
  type Previewed,
  type PreviewedGroup,
  previewRule,
} from "../evaluation/preview.ts";
import type { Interval } from "../../ui/scope.ts";
import type { ChartedValues } from "./alert_chart.tsx";
import { isTooLong } from "./ranges.ts";

export type TriedPreview =
  | { readonly ok: true; readonly preview: AlertPreview }
  | { readonly ok: false; readonly reason: string };

/** As many lines as can be told apart. */
const MAX_DRAWN = 8;

/** The values and states that an alert would have had in a stretch of time, or a sentence why not. */
export async function tryPreview(
  services: Pick<Services, "sql" | "log">,
  project: Project,
  previewed: Previewed,
  interval: Interval,
): Promise<TriedPreview> {
  if (isTooLong(interval.end.getTime() - interval.start.getTime(), previewed.windowMinutes)) {
    return { ok: false, reason: "This time has too many windows: choose a shorter one." };
  }
  try {
    return { ok: true, preview: await previewRule(services, project, previewed, interval) };
  } catch (error) {
    if (error instanceof InvalidQuery) return { ok: false, reason: error.message };
    if (error instanceof QueryTooSlow || error instanceof TimeLimitExceeded) {
      return {
        ok: false,
        reason: "Reading the values took too long. Narrow what is watched, or choose less time.",
      };
    }
    throw error;
  }
}

/** The groups to draw: those that would have fired, then those with the largest values. */
export function chartedValues({ times, stepMs, groups }: AlertPreview): ChartedValues {
  const drawn = groups.toSorted((a, b) => Number(hasFired(b)) - Number(hasFired(a)))
    .slice(0, MAX_DRAWN);
  return { times, stepMs, groups: drawn, groupCount: groups.length };
}

/** The same with what was found last as one step more: the windows before are whole ones, and end earlier. */
export function untilNow(
  charted: ChartedValues,
  states: readonly AlertState[],
  now: Date,
): ChartedValues {
  const { times, stepMs, groups } = charted;
  const next = (times.at(-1) ?? Infinity) + stepMs;
  // What is drawn ended long ago: somebody looks at another time.
  if (next > now.getTime() || next + stepMs < now.getTime()) return charted;
  const current = new Map(states.map(({ group, value }) => [group, value]));
  return {
    ...charted,
    times: [...times, next],
    groups: groups.map(({ group, values }) => ({
      group,
      values: [...values, current.get(group) ?? null],
    })),
  };
}

function hasFired({ statuses }: PreviewedGroup): boolean {
  return statuses.includes("firing");
}
