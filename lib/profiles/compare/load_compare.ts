import { t } from "../../core/language/translate.ts";
import type { Params } from "../../ui/links.ts";
import type { Logger } from "../../core/log.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { before as periodBefore } from "../../store/stats/steps.ts";
import { type Interval, intervalOf, parseScope, type Scope, scopeParams } from "../../ui/scope.ts";
import type { Merged } from "../merge/merge.ts";
import {
  type ProfileValueChoice,
  type ProfilingParams,
  readProfilingParams,
  type Shape,
  shaped,
  type Side,
} from "../params.ts";
import type { ProfileSelection } from "../queries/profile_query.ts";
import {
  type ProfiledVersion,
  readProfiledServices,
  readProfiledVersions,
  releasesByAge,
} from "../queries/profiled_services.ts";
import {
  frozen,
  type MergeServices,
  PAGE_WAIT_MS,
  profileScope,
  profileSelection,
  readGraphRequest,
  sharedMerge,
  steadyInterval,
  type Waited,
  waitedWithin,
} from "../selection.ts";
import { bestValue, platformOf, valuesOf, withProfiled } from "../services.tsx";
import { callTree } from "../trees/call_tree.ts";
import { type DiffScale, diffTrees } from "../trees/diff_trees.ts";
import type { DiffTree } from "../trees/stacks.ts";
import { typeName } from "../words.ts";

const COMPARE_VIEWS = ["diff", "both"] as const;
type CompareView = (typeof COMPARE_VIEWS)[number];

export interface BothMerged {
  readonly before: Merged;
  readonly after: Merged;
}

export interface Comparison {
  readonly pageScope: PageScope;
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

/** Reads how two ends are laid over one another. */
function readScale(query: URLSearchParams): DiffScale {
  return query.get("scale") === "none" ? "none" : "total";
}

/** Reads all that the comparison of two selections shows. */
export async function loadCompare(
  services: MergeServices & { readonly log: Logger },
  opened: PageScope,
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
    pageScope: {
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
  const platform = platformOf(profiled, value.kind);
  return { ...common, looked: { value, before, after, platform, reading } };
}

/** What each end asks for. */
function endSelections(
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
async function mergeBoth(
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
function longer({ scope, now }: PageScope) {
  const { start, end } = intervalOf(scope, now);
  return { start: new Date(2 * start.getTime() - end.getTime()), end };
}

/** What is compared with: the time before, the release before, or what is chosen by hand. */
export const BASES = ["previous-period", "previous-release", "custom"] as const;
export type Base = (typeof BASES)[number];

/** One end: which profiles it is made of. */
export interface End {
  /** Its time does not go on. */
  readonly scope: Scope;
  readonly interval: Interval;
}

export interface Ends {
  readonly base: Base;
  readonly before: End;
  readonly after: End;
  /** Why there is nothing to compare with, in a sentence; null: there may be. */
  readonly problem: string | null;
}

const PREFIX = "base_";
/** What of the scope an end has of its own. */
const NAMES = ["range", "start", "end", "environment", "release"];

/**
 * Reads both ends: the later one is the page's scope, the other one is told by `base`.
 *
 * @param versions releases of the project's profiles, for the release before
 */
export function readEnds(
  query: URLSearchParams,
  versions: readonly ProfiledVersion[],
  now: Date,
): Ends {
  const scope = parseScope(query);
  const interval = steadyInterval(scope, now);
  const after = endOf(scope, interval);
  const base = BASES.find((each) => each === query.get("base")) ?? "previous-period";
  if (base === "custom") {
    return { base, after, before: customEnd(query, after, now), problem: null };
  }
  if (base === "previous-release") return withReleaseBefore(after, versions);
  return { base, after, before: endOf(scope, periodBefore(interval)), problem: null };
}

/** Parameters that mean these ends, whatever time it is. */
export function endParams({ before, after }: Pick<Ends, "before" | "after">): Params {
  return [
    ...scopeParams(after.scope),
    ["base", "custom"],
    ...baseParams(before.scope),
  ];
}

/** The parameters of the end that is compared with. */
function baseParams(scope: Scope): Params {
  return scopeParams({ ...scope, services: [] }).map(([name, value]) => [PREFIX + name, value]);
}

/** Parameters of an address that tell the end to compare with, as they stand there. */
export function keptBase(query: URLSearchParams): Params {
  return [...query].filter(([name]) =>
    name === "base" || (name.startsWith(PREFIX) && NAMES.includes(name.slice(PREFIX.length)))
  );
}

/** Words for an end beside the other: what tells them apart. */
export function endNames({ before, after }: Pick<Ends, "before" | "after">): {
  before: string;
  after: string;
} {
  for (const field of ["releases", "environments"] as const) {
    const [one, other] = [before.scope[field].join(", "), after.scope[field].join(", ")];
    if (one !== other && one !== "" && other !== "") return { before: one, after: other };
  }
  return { before: t("before@@side"), after: t("after@@side") };
}

function endOf(scope: Scope, interval: Interval): End {
  return { scope: frozen(scope, interval), interval };
}

/** Of the page's services; without a time of its own it has that of the other end. */
function customEnd(query: URLSearchParams, after: End, now: Date): End {
  const own = new URLSearchParams(
    [...query].flatMap(([name, value]) =>
      name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : []
    ),
  );
  const scope: Scope = { ...parseScope(own), services: after.scope.services };
  const hasTime = own.has("range") || own.has("start");
  return endOf(scope, hasTime ? steadyInterval(scope, now) : after.interval);
}

/** The release that was chosen, else the newest, against the one that began before it, over the same time. */
function withReleaseBefore(after: End, versions: readonly ProfiledVersion[]): Ends {
  const releases = releasesByAge(versions);
  const { releases: chosen } = after.scope;
  const newest = chosen.length === 1 ? chosen[0] : releases[0];
  const place = newest === undefined ? -1 : releases.indexOf(newest);
  const older = place < 0 ? undefined : releases[place + 1];
  const to = (end: End, release: string): End => ({
    ...end,
    scope: { ...end.scope, releases: [release] },
  });
  const base = "previous-release" as const;
  if (newest === undefined || older === undefined) {
    return {
      base,
      after,
      before: after,
      problem: t(
        "Of this time and scope there are no profiles of this type of two releases, one before the other.",
      ),
    };
  }
  return { base, after: to(after, newest), before: to(after, older), problem: null };
}

interface ReadComparison {
  readonly tree: DiffTree;
  /** As `CPU time, what changed`. */
  readonly title: string;
}

/**
 * Compares the two ends that an address tells, both of them in full.
 *
 * @returns or what is wrong, in a sentence
 * @throws as `sharedMerge()`
 */
export async function readComparison(
  services: MergeServices,
  projectId: string,
  query: URLSearchParams,
): Promise<ReadComparison | string> {
  const asked = await readGraphRequest(services, projectId, query);
  if (typeof asked === "string") return asked;
  const { params, selection: { kind, type }, side } = asked;
  const ends = readEnds(query, [], new Date());
  if (ends.problem !== null) return `base: ${ends.problem}`;
  const [before, after] = endSelections(projectId, ends, params, { kind, type });
  const both = await mergeBoth(services, before, after);
  return {
    tree: comparedTree(both, type, readScale(query), params.shape, side),
    title: t("{values}, what changed", { values: typeName(type) }),
  };
}

/**
 * Two merges laid over one another as a shape wants it. They are scaled before anything is left out, so that shares are
 * those of everything.
 *
 * @throws {RangeError} when their units cannot be compared
 */
export function comparedTree(
  { before, after }: BothMerged,
  type: ValueType,
  scale: DiffScale,
  shape: Shape,
  side: Side,
): DiffTree {
  const tree = diffTrees(
    callTree(before.stacks, type, before.average),
    callTree(after.stacks, type, after.average),
    scale,
  );
  return shaped(tree, shape, side);
}
