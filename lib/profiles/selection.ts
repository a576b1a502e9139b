import type { ProfileScope, ProfileSelection } from "./queries/profile_types.ts";
import { type Interval, intervalOf, type Scope } from "../ui/scope.ts";
import type { ProfileValueChoice, ProfilingParams } from "./params.ts";

const MINUTE_MS = 60_000;

/**
 * The interval of a scope; where that goes on with the time it is in whole minutes, so that a page and what it loads
 * afterwards ask for the same.
 */
export function steadyInterval(scope: Scope, now: Date): Interval {
  const { start, end } = intervalOf(scope, now);
  if (typeof scope.range !== "string" && scope.range.end !== null) return { start, end };
  return {
    start: new Date(Math.floor(start.getTime() / MINUTE_MS) * MINUTE_MS),
    end: new Date(Math.ceil(end.getTime() / MINUTE_MS) * MINUTE_MS),
  };
}

/** A scope whose time does not go on: links of a page mean what the page showed. */
export function frozen(scope: Scope, { start, end }: Interval): Scope {
  return { ...scope, range: { start, end } };
}

/** The profiles that a page is about, of whatever kind. */
export function profileScope(
  projectId: string,
  { environments, releases, services }: Scope,
  { start, end }: Interval,
  params: ProfilingParams,
): ProfileScope {
  const { transaction, labels, traceId, spanId, profilerId, threadId } = params;
  return {
    projectId,
    environments,
    releases,
    services,
    start,
    end,
    ...transaction !== "" && { transaction },
    ...labels.length > 0 && { labels },
    ...traceId !== null && { traceId },
    ...spanId !== null && { spanId },
    // Chunks of a continuous profiler go on before and after what is asked for.
    ...profilerId !== null && { profilerId, clip: true },
    ...threadId !== null && { threadId },
  };
}

/** The same with the values that are looked at; of time on the clock that of threads that served, unless all are asked for. */
export function profileSelection(
  scope: ProfileScope,
  { kind, type }: ProfileValueChoice,
  { allThreads }: Pick<ProfilingParams, "allThreads">,
): ProfileSelection {
  return { ...scope, kind, type, ...kind === "wall" && !allThreads && { servedOnly: true } };
}
