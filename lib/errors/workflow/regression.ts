/** Whether an event reopens a resolved issue: releases decide, not the time at which old clients happen to send. */
import { compareReleases } from "../../records/version.ts";
import { isMadeUp, type ReleaseTimes } from "./releases.ts";
import type { Resolution } from "./state.ts";

/** What the decision needs of a resolved issue. */
export interface Resolved {
  /** Null: resolved as it is, whatever runs. */
  readonly resolution: Resolution | null;
  readonly resolvedAt: Date;
}

/** What it needs of an event. */
export interface Arrival {
  /** `""`: it named none. */
  readonly release: string;
  readonly receivedAt: Date;
}

/**
 * Whether an event is a regression. Versions are compared wherever both are some of one package; elsewhere it is told by
 * when the releases began. Of a release that was deleted the text is left, and still compares.
 */
export function isRegression(
  { resolution, resolvedAt }: Resolved,
  { release, receivedAt }: Arrival,
  times: ReleaseTimes,
): boolean {
  if (receivedAt <= resolvedAt) return false;
  if (resolution === null) return true;
  // As long as no release has the commit, nobody runs it.
  if (resolution.kind === "commit" || release === "" || isMadeUp(release)) return false;
  const against = resolution.kind === "next" ? resolution.after : resolution.version;
  if (release === against) return resolution.kind === "release";
  const order = compareReleases(release, against);
  if (order === 0) return resolution.kind === "release";
  if (order !== null) return order > 0;
  const began = times.get(release) ?? receivedAt;
  return began > (times.get(against) ?? resolvedAt);
}
