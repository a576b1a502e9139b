/** Who is told of what was done with an issue, and why. */
import type { Preferences } from "./preferences.ts";

/** What was done with an issue, as it is kept. */
export interface Activity {
  readonly id: string;
  readonly projectId: string;
  readonly issueId: string;
  /** As Sentry names it: `assigned`, `note`, `set_resolved`, … */
  readonly type: string;
  readonly actorKind: string;
  readonly actorId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** What was done at once has one number; null: it stands alone. */
  readonly changeId: string | null;
}

/** Whom an issue concerns. */
export interface Concerned {
  /** Ids of the people who take part in it. */
  readonly subscribers: readonly string[];
  /** Ids of those who want to hear nothing of it. */
  readonly deaf: readonly string[];
  /** Ids of the people whom it is assigned to: one, or those of a team. */
  readonly assignees: readonly string[];
  /** Ids of the people whom rules and commits suggest. */
  readonly owners: readonly string[];
}

/** Of a new issue: what its owners are told, and nobody else. */
export const FIRST_SEEN = "first_seen";

export type Reason = "assigned" | "mentioned" | "owned" | "returned" | "participating";

/** Nobody needs a mail for these. */
const SILENT: ReadonlySet<string> = new Set([
  "mark_reviewed",
  "set_public",
  "set_private",
  "auto_set_ongoing",
  "referenced_in_commit",
]);
const RETURNED: ReadonlySet<string> = new Set(["set_regression", "set_escalating"]);

/**
 * Who could be told of an activity, each for the strongest reason; preferences are not looked at yet.
 *
 * @param named ids of the people whom it assigns the issue to, whom it mentions, and whose a new issue is
 */
export function candidates(
  activity: Activity,
  { subscribers, deaf, assignees, owners }: Concerned,
  named: {
    readonly assigned: readonly string[];
    readonly mentioned: readonly string[];
    readonly owned: readonly string[];
  },
): Map<string, Reason> {
  const reasons = new Map<string, Reason>();
  if (SILENT.has(activity.type)) return reasons;
  const isReturn = RETURNED.has(activity.type);
  const general = isReturn ? "returned" : "participating";
  const concerned = activity.type === FIRST_SEEN ? [] : [...subscribers, ...assignees];
  for (const userId of named.owned) reasons.set(userId, "owned");
  for (const userId of [...concerned, ...isReturn ? owners : []]) reasons.set(userId, general);
  // Who has been named is asked, whatever else they want to hear of the issue.
  for (const userId of deaf) reasons.delete(userId);
  for (const userId of named.assigned) reasons.set(userId, "assigned");
  for (const userId of named.mentioned) reasons.set(userId, "mentioned");
  return reasons;
}

/** Whether somebody wants to hear of an activity. */
export function wants(
  preferences: Preferences,
  userId: string,
  activity: Activity,
  reason: Reason,
): boolean {
  const isOwn = activity.actorKind === "user" && activity.actorId === userId;
  return preferences[reason] && (preferences.own || !isOwn) &&
    !preferences.mutedProjects.includes(activity.projectId);
}
