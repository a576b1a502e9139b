/** All types of trackers. A new one is an entry here, with its file beside. */
import { custom } from "./trackers/custom.ts";
import { gitea, github } from "./trackers/forge.ts";
import { gitlab } from "./trackers/gitlab.ts";
import { jira } from "./trackers/jira.ts";
import { youtrack } from "./trackers/youtrack.ts";
import type { TrackerKind } from "./tracker.ts";

/** In the order in which they are offered. */
const KINDS = { github, gitlab, gitea, jira, youtrack, custom };

export type TrackerType = keyof typeof KINDS;

export const TRACKER_KINDS: Readonly<Record<TrackerType, TrackerKind>> = KINDS;
export const TRACKER_TYPES = Object.keys(KINDS) as TrackerType[];

/** The type that a text names, or null. */
export function readTrackerType(text: string | null): TrackerType | null {
  return TRACKER_TYPES.find((type) => type === text) ?? null;
}
