import { isOfIssues } from "../check_input.ts";
import type { StoredRule } from "../rules.ts";
import { issuePath } from "../../ui/links_issues.ts";

export interface GroupNameProps {
  readonly rule: StoredRule;
  readonly group: string;
}

/** A group of an alert: its labels, or the issue it is. */
export function GroupName({ rule, group }: GroupNameProps) {
  if (group === "") return <span class="text-muted">all</span>;
  if (!isOfIssues(rule)) return <bdi title={group} class="font-mono">{group}</bdi>;
  return <a class="link" href={issuePath(rule.projectId, group)}>Issue {group}</a>;
}
