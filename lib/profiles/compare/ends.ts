/** The two ends of a comparison, as they stand in the address. */
import { type ProfiledVersion, releasesByAge } from "../queries/versions.ts";
import { type Interval, parseScope, type Scope, scopeParams } from "../../ui/scope.ts";
import { before as periodBefore } from "../../store/stats/steps.ts";
import type { Params } from "../params.ts";
import { frozen, steadyInterval } from "../selection.ts";

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
export function baseParams(scope: Scope): Params {
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
  return { before: "before", after: "after" };
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
      problem:
        "Of this time and scope there are no profiles of this type of two releases, one before the other.",
    };
  }
  return { base, after: to(after, newest), before: to(after, older), problem: null };
}
