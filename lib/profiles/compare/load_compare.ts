import type { Logger } from "../../core/log.ts";
import type { DiffScale } from "../trees/diff_trees.ts";
import type { Merged } from "../merge/merge.ts";
import type { ProfileSelection } from "../queries/profile_types.ts";
import { readProfiledServices } from "../queries/services.ts";
import {
  type ProfiledVersion,
  readProfiledVersions,
} from "../queries/versions.ts";
import { intervalOf } from "../../ui/scope.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { type MergeServices, sharedMerge, type Waited, waitedWithin } from "../load_selection.ts";
import { platformOf } from "../overview/load_overview.ts";
import { type ProfileValueChoice, type ProfilingParams, readProfilingParams } from "../params.ts";
import { profileScope, profileSelection, steadyInterval } from "../selection.ts";
import { bestValue, valuesOf } from "../value_picker.tsx";
import { withProfiled } from "../with_profiled.ts";
import { type Ends, readEnds } from "./ends.ts";

export const COMPARE_VIEWS = ["diff", "both"] as const;
export type CompareView = (typeof COMPARE_VIEWS)[number];

export interface BothMerged {
  readonly before: Merged;
  readonly after: Merged;
}

export interface Comparison {
  readonly tracing: Tracing;
  readonly params: ProfilingParams;
  readonly view: CompareView;
  readonly scale: DiffScale;
  readonly ends: Ends;
  readonly versions: readonly ProfiledVersion[];
  readonly values: readonly ProfileValueChoice[];
  /** Null: there are no profiles in this time at all. */
  readonly looked: {
    readonly value: ProfileValueChoice;
    readonly before: ProfileSelection;
    readonly after: ProfileSelection;
    readonly platform: string | undefined;
    readonly reading: Waited<BothMerged>;
  } | null;
}

/** So long a page can wait for both graphs. */
const PAGE_WAIT_MS = 600;

/** Reads how two ends are laid over one another. */
export function readScale(query: URLSearchParams): DiffScale {
  return query.get("scale") === "none" ? "none" : "total";
}

/** Reads all that the comparison of two selections shows. */
export async function loadCompare(
  services: MergeServices & { readonly log: Logger },
  opened: Tracing,
  query: URLSearchParams,
): Promise<Comparison> {
  const { sql, log } = services;
  const { project, scope, now } = opened;
  const params = readProfilingParams(query);
  const where = profileScope(project.id, scope, steadyInterval(scope, now), params);
  const anyVersion = { ...where, environments: [], releases: [] };
  const profiled = await readProfiledServices(sql, anyVersion);
  const value = params.value ?? bestValue(profiled);
  // A release that sent other types of profiles has nothing to compare.
  const versions = await readProfiledVersions(sql, {
    ...anyVersion,
    ...longer(opened),
    ...value !== null && { kind: value.kind, type: value.type },
  });
  const ends = readEnds(query, versions, now);
  const common = {
    tracing: {
      ...withProfiled(opened, profiled, versions),
      interval: ends.after.interval,
    },
    params,
    view: COMPARE_VIEWS.find((view) => view === query.get("view")) ?? "diff",
    scale: readScale(query),
    ends,
    versions,
    values: valuesOf(profiled),
  };
  if (value === null) return { ...common, looked: null };
  const [before, after] = endSelections(project.id, ends, params, value);
  const reading = await waitedWithin(
    mergeBoth(services, before, after),
    query.get("wait") === "1" ? Infinity : PAGE_WAIT_MS,
  );
  if (reading.kind === "failed") {
    log.error("cannot merge profiles", { project: project.id, error: String(reading.error) });
  }
  const platform = platformOf(profiled, value);
  return { ...common, looked: { value, before, after, platform, reading } };
}

/** What each end asks for. */
export function endSelections(
  projectId: string,
  { before, after }: Pick<Ends, "before" | "after">,
  params: ProfilingParams,
  value: ProfileValueChoice,
): [before: ProfileSelection, after: ProfileSelection] {
  const of = (end: Ends["before"]) =>
    profileSelection(profileScope(projectId, end.scope, end.interval, params), value, params);
  return [of(before), of(after)];
}

/** Merges both ends. @throws as {@linkcode sharedMerge} */
export async function mergeBoth(
  services: MergeServices,
  before: ProfileSelection,
  after: ProfileSelection,
): Promise<BothMerged> {
  const [one, other] = await Promise.all([
    sharedMerge(services, before),
    sharedMerge(services, after),
  ]);
  return { before: one, after: other };
}

/** The release before may have ended before the page's time began. */
function longer({ scope, now }: Tracing) {
  const { start, end } = intervalOf(scope, now);
  return { start: new Date(2 * start.getTime() - end.getTime()), end };
}
