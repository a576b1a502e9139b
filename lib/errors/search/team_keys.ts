/** Keys about what a team makes of issues: their state, who has them, who has marked them, how urgent they are. */
import { type SearchFilter, textOf } from "../../ui/search_tree.ts";
import { PRIORITIES, type Substatus, SUBSTATUSES } from "../workflow/state.ts";
import {
  ALL_ISSUES,
  anyOf,
  ISSUE_STATUSES,
  type IssueNode,
  type IssueStatus,
  NO_ISSUE,
  not,
  type PeopleTerm,
} from "./terms.ts";
import type { Unclear } from "./values.ts";
import { t } from "../../core/language/translate.ts";

export const ASSIGNED: IssueNode = { kind: "assigned", to: null };
const SUGGESTED: IssueNode = { kind: "suggested", to: null };
export const ASSIGNED_OR_SUGGESTED: IssueNode = anyOf([ASSIGNED, SUGGESTED]);
/** Every issue has one. */
export const PRIORITY: IssueNode = ALL_ISSUES;

/** A substatus is of one status only. */
export const STATUS_OF: Readonly<Record<Substatus, IssueStatus>> = {
  new: "unresolved",
  ongoing: "unresolved",
  regressed: "unresolved",
  escalating: "unresolved",
  archived_until_escalating: "ignored",
  archived_until_condition_met: "ignored",
  archived_forever: "ignored",
};

const WORDS: ReadonlyMap<string, IssueNode> = new Map<string, IssueNode>([
  ...ISSUE_STATUSES.map((status): [string, IssueNode] => [status, ofStatus(status)]),
  ["archived", ofStatus("ignored")],
  ["assigned", ASSIGNED],
  ["unassigned", not(ASSIGNED)],
  ["for_review", { kind: "for_review" }],
  ["linked", { kind: "linked" }],
  ["unlinked", not({ kind: "linked" })],
  ...SUBSTATUSES.map((substatus): [string, IssueNode] => [
    substatus,
    { kind: "substatus", substatus },
  ]),
]);

/** Sentry's other words. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["muted", "archived"],
  ["until_escalating", "archived_until_escalating"],
  ["until_condition_met", "archived_until_condition_met"],
  ["forever", "archived_forever"],
]);

/** What `is:` may be, for the help and for completion. */
export const IS_WORDS: readonly string[] = [...WORDS.keys(), "handled", "unhandled"];

/** What `is:` asks for about the state of an issue, or null. @param word in lower case */
export function readIs(word: string): IssueNode | null {
  // Issues are not reprocessed here.
  if (word === "reprocessing") return NO_ISSUE;
  return WORDS.get(OTHER_WORDS.get(word) ?? word) ?? null;
}

function ofStatus(status: IssueStatus): IssueNode {
  return { kind: "status", statuses: [status] };
}

/** What `assigned:`, `bookmarks:` and `subscribed:` ask for. */
export function readPeople(
  about: PeopleTerm["about"],
  { values }: SearchFilter,
): IssueNode {
  return { kind: "people", about, names: values.map(textOf) };
}

/** What a value of `issue.priority:` asks for. */
export function readPriority(value: string): IssueNode | Unclear {
  const priority = PRIORITIES.find((one) => one === value.toLowerCase());
  return priority === undefined
    ? { reason: t("A priority is {priorities}", { priorities: PRIORITIES.join(", ") }) }
    : { kind: "priority", priorities: [priority] };
}
