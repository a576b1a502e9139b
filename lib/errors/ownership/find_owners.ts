/** The owners of one issue: found by its newest event, kept, and given the issue where the project wants that. */
import type { Sql } from "../../store/database.ts";
import { suspectsOfEvent } from "../code/suspects.ts";
import { findEventOfIssue, type StoredEvent } from "../events.ts";
import { changeIn } from "../workflow/change.ts";
import type { Owner } from "./directory.ts";
import { type NewOwner, type OwnerSource, replaceOwners } from "./issue_owners.ts";
import { ownersOfRule, type ProjectRules } from "./load_rules.ts";
import { ruleText } from "./rules.ts";
import { subjectOf } from "./subject.ts";

export interface UnownedIssue {
  readonly id: string;
  readonly firstRelease: string;
  /** It has just come, so its owners are to hear of it. */
  readonly isNew: boolean;
  /** A person has taken it from somebody: no rule gives it to anybody again. */
  readonly isTakenBack: boolean;
}

export interface FoundOwner {
  readonly owner: Owner;
  readonly source: OwnerSource;
  readonly reason: string;
}

/** Of the rules, and of the suspect commits. */
const MAX_OWNERS = 2;
/** A rule may have a hundred owners. */
const MAX_REASON = 500;

/**
 * Finds and keeps the owners of an issue, and assigns it.
 *
 * @returns false when it has no event to judge by
 */
export async function settleOwners(
  sql: Sql,
  projectId: string,
  issue: UnownedIssue,
  rules: ProjectRules,
  now: Date,
): Promise<boolean> {
  const event = await findEventOfIssue(sql, projectId, issue.id, "latest");
  if (event === null) return false;
  const { autoAssignment } = rules.settings;
  const named = namedOwners(rules, event);
  const suspected = await suspectedOwners(sql, projectId, issue.firstRelease, rules, event);
  const found = autoAssignment === "suspect" ? [...suspected, ...named] : [...named, ...suspected];
  const [chosen] = autoAssignment === "off" || issue.isTakenBack
    ? []
    : autoAssignment === "suspect"
    ? found
    : named;
  await sql.begin(async (tx) => {
    // The assignment locks the issue first, as all who change one do.
    if (chosen !== undefined) {
      const actor = { kind: "rule", id: chosen.reason } as const;
      await changeIn(tx, projectId, [issue.id], { assignee: chosen.owner }, actor, now);
    }
    await replaceOwners(tx, projectId, issue.id, distinctOwners(found, issue, chosen), now);
  });
  return true;
}

function distinctOwners(
  found: readonly FoundOwner[],
  { isNew }: UnownedIssue,
  chosen: FoundOwner | undefined,
): NewOwner[] {
  const byKey = new Map(found.toReversed().map((each) => [keyOf(each.owner), each]));
  return found.filter((each) => byKey.get(keyOf(each.owner)) === each).map((
    { owner: { kind, id }, source, reason },
  ) => ({
    kind,
    id,
    source,
    reason,
    // Whom it was assigned to is told of that.
    isTold: !isNew || (chosen?.owner.kind === kind && chosen.owner.id === id),
  }));
}

function keyOf({ kind, id }: Owner): string {
  return `${kind}:${id}`;
}

/** Of the rule that wins, its last owner first; then of the rule that would win without it. */
export function namedOwners(
  { matcher, directory }: ProjectRules,
  { payload }: Pick<StoredEvent, "payload">,
): FoundOwner[] {
  const found = new Map<string, FoundOwner>();
  for (const rule of matcher(subjectOf(JSON.parse(payload))).rules) {
    const source = rule.type === "codeowners" ? "codeowners" : "rule";
    for (const owner of ownersOfRule(directory, rule).toReversed()) {
      if (found.size >= MAX_OWNERS) return [...found.values()];
      if (found.has(keyOf(owner))) continue;
      found.set(keyOf(owner), { owner, source, reason: ruleText(rule).slice(0, MAX_REASON) });
    }
  }
  return [...found.values()];
}

async function suspectedOwners(
  sql: Sql,
  projectId: string,
  firstRelease: string,
  { directory }: ProjectRules,
  event: StoredEvent,
): Promise<FoundOwner[]> {
  const suspects = await suspectsOfEvent(sql, projectId, firstRelease, event);
  const found = new Map<string, FoundOwner>();
  for (const { authorEmail, commitId } of suspects) {
    const owner = directory.find({ type: "user", identifier: authorEmail.toLowerCase() });
    if (owner === null || found.has(keyOf(owner)) || found.size >= MAX_OWNERS) continue;
    found.set(keyOf(owner), { owner, source: "suspect", reason: commitId });
  }
  return [...found.values()];
}
