/** What a search of issues means: a tree of conditions. */
import type { USER_FACTS } from "../../records/error_event.ts";
import type { Assignee, Priority, Substatus } from "../workflow/state.ts";

export type IssueNode =
  /** Without nodes, an `and` holds for all issues. */
  | { readonly kind: "and"; readonly nodes: readonly IssueNode[] }
  | { readonly kind: "or"; readonly nodes: readonly IssueNode[] }
  | { readonly kind: "not"; readonly node: IssueNode }
  | IssueTerm;

/** What the search box asks for, understood. */
export type IssueFilter = IssueNode;

export const ALL_ISSUES: IssueFilter = { kind: "and", nodes: [] };
export const NO_ISSUE: IssueFilter = { kind: "not", node: ALL_ISSUES };

export function isAllIssues(filter: IssueFilter): boolean {
  return filter.kind === "and" && filter.nodes.length === 0;
}

export const ISSUE_STATUSES = ["unresolved", "resolved", "ignored"] as const;
export type IssueStatus = (typeof ISSUE_STATUSES)[number];

/**
 * A text with stars: the parts between which anything may stand. One part alone is compared exactly, several ignore
 * case.
 */
export type Pattern = readonly string[];
/** Any of these; at least one. */
export type Match = readonly Pattern[];

export type UserField = keyof typeof USER_FACTS;

/** From the first time, included, to the second, excluded; null leaves that side open. */
export interface TimeRange {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Of the frames of stacks. */
export const STACK_FIELDS = ["function", "filename", "module", "abs_path", "package"] as const;
export type StackField = (typeof STACK_FIELDS)[number];

export const COMPARISONS = [">=", "<=", "!=", ">", "<", "="] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** One condition. A `match` that is null asks for any value at all. */
export type IssueTerm =
  /** Within the issue's title, culprit, messages and stacks, in either case; `message`: without culprit and stacks. */
  | { readonly kind: "text"; readonly pattern: Pattern; readonly within: "anything" | "message" }
  | {
    readonly kind: "column";
    readonly column: "level" | "platform" | "type" | "title" | "culprit";
    readonly match: Match | null;
  }
  | {
    readonly kind: "release";
    readonly column: "first_release" | "last_release";
    readonly match: Match | null;
  }
  | { readonly kind: "tag"; readonly key: string; readonly match: Match | null }
  /** The issue happened to somebody of such an id, name or address; of any of them when no field is told. */
  | { readonly kind: "user"; readonly field: UserField | null; readonly match: Match | null }
  /** Some event of the issue belongs to one of the traces: 32 lower-case hex digits each. */
  | { readonly kind: "trace"; readonly traceIds: readonly string[] }
  /** The issue has one of these events: 32 lower-case hex digits each. */
  | { readonly kind: "event"; readonly eventIds: readonly string[] }
  /** Some exception of the issue. */
  | { readonly kind: "error"; readonly field: "type" | "value"; readonly match: Match | null }
  /** Some frame of the issue's stacks. */
  | { readonly kind: "stack"; readonly field: StackField | "lineno"; readonly match: Match | null }
  | { readonly kind: "issue"; readonly ids: readonly string[] }
  /** The issue of a short id. */
  | { readonly kind: "number"; readonly slug: string; readonly number: number }
  /** The project, by id or slug. */
  | { readonly kind: "project"; readonly names: readonly string[] }
  | { readonly kind: "status"; readonly statuses: readonly IssueStatus[] }
  | { readonly kind: "substatus"; readonly substatus: Substatus }
  | { readonly kind: "priority"; readonly priorities: readonly Priority[] }
  /** Open, and nobody has reviewed it since it got its substatus. */
  | { readonly kind: "for_review" }
  /** An issue of a tracker is linked to it. */
  | { readonly kind: "linked" }
  /** It came back with an event of such a release. */
  | { readonly kind: "regressed_in"; readonly match: Match }
  | ({
    readonly kind: "time";
    readonly column: "first_seen" | "last_seen" | "status_changed_at";
  } & TimeRange)
  /** Some event of the issue happened in that time. */
  | ({ readonly kind: "seen" } & TimeRange)
  | {
    readonly kind: "count";
    readonly column: "times_seen" | "users_seen";
    readonly operator: Comparison;
    readonly value: number;
  }
  | VersionTerm
  | PeopleTerm
  /** Somebody or a team has it; of these assignees, when named. */
  | { readonly kind: "assigned"; readonly to: readonly Assignee[] | null }
  /** Nobody has it, and rules or commits suggest somebody or a team; one of these, when named. */
  | { readonly kind: "suggested"; readonly to: readonly Assignee[] | null }
  /** One of these people has marked it, or hears of it. */
  | { readonly kind: "marked"; readonly as: PersonalMark; readonly by: readonly string[] };

export type PersonalMark = "bookmarked" | "subscribed";

/**
 * About people and teams by the names that they are called by, `me` and `my_teams` among them: known only after they
 * were looked up (`settle()`). A name that nobody has finds nothing.
 */
export interface PeopleTerm {
  readonly kind: "people";
  readonly about: "assigned" | "assigned_or_suggested" | PersonalMark;
  readonly names: readonly string[];
}

/** About the versions of releases: known only after the project's releases were read (`settle()`). */
export type VersionTerm = { readonly kind: "version" } & VersionQuestion;

export type VersionQuestion =
  | {
    readonly part: "version";
    readonly operator: Comparison;
    /** As written, perhaps with its package. */
    readonly version: string;
  }
  | { readonly part: "package" | "build" | "version_text"; readonly match: Match }
  /** How many use it: many, few, or few after it had many. */
  | { readonly part: "stage"; readonly stage: "adopted" | "low_adoption" | "replaced" }
  /** The newest release of the project. */
  | {
    readonly part: "latest";
    readonly of: "release" | "first_release" | "last_release" | "regressed_in";
  };

/** The search as a list of what must all hold. */
export function conditionsOf(filter: IssueFilter): readonly IssueNode[] {
  return filter.kind === "and" ? filter.nodes : [filter];
}

export function allOf(nodes: readonly IssueNode[]): IssueNode {
  const flat = nodes.flatMap(conditionsOf);
  const [only] = flat;
  return only !== undefined && flat.length === 1 ? only : { kind: "and", nodes: flat };
}

export function anyOf(nodes: readonly IssueNode[]): IssueNode {
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : { kind: "or", nodes };
}

export function not(node: IssueNode): IssueNode {
  return node.kind === "not" ? node.node : { kind: "not", node };
}

/** All terms of a search, wherever they stand. */
export function* termsOf(node: IssueNode): Generator<IssueTerm> {
  if (node.kind === "and" || node.kind === "or") {
    for (const each of node.nodes) yield* termsOf(each);
  } else if (node.kind === "not") yield* termsOf(node.node);
  else yield node;
}

/** The same search with some of its terms replaced. */
export function mapTerms(
  node: IssueNode,
  change: (term: IssueTerm) => IssueNode,
): IssueNode {
  if (node.kind === "and" || node.kind === "or") {
    return { kind: node.kind, nodes: node.nodes.map((each) => mapTerms(each, change)) };
  }
  return node.kind === "not" ? { kind: "not", node: mapTerms(node.node, change) } : change(node);
}
