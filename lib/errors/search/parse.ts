import type { SearchProblem } from "../../ui/search_grammar.ts";
import { parseSearchTree, type SearchNode } from "../../ui/search_tree.ts";
import { isIssueKey, type KeyContext, TAG_ALIASES, understandFilter } from "./keys.ts";
import {
  ALL_ISSUES,
  allOf,
  anyOf,
  conditionsOf,
  ISSUE_STATUSES,
  type IssueFilter,
  type IssueNode,
  type IssueStatus,
  not,
  termsOf,
} from "./terms.ts";
import { STATUS_OF } from "./team_keys.ts";

export interface IssueSearch {
  readonly filter: IssueFilter;
  /** What `is:` asks for; absent when the search leaves the status open. */
  readonly statuses?: readonly IssueStatus[];
  readonly problems: readonly SearchProblem[];
}

/**
 * Understands what was typed into the search box of issues: Sentry's grammar, with `OR`, `AND` and parentheses. Never
 * throws: parts that make no sense are named in `problems` and otherwise left out.
 *
 * @param now what relative times such as `firstSeen:-24h` count from
 */
export function parseIssueSearch(text: string, now: Date = new Date()): IssueSearch {
  const { node, problems } = parseSearchTree(text, isIssueKey);
  const understood = new Understanding({ now });
  const meant = understood.of(node) ?? ALL_ISSUES;
  const { filter, statuses } = withoutStatus(meant);
  const all = [...problems, ...understood.problems].sort((a, b) => a.start - b.start);
  return { filter, ...statuses === null ? {} : { statuses }, problems: all };
}

/** The tags that a search names by their own keys, of which there may be none: not those that only we call so. */
export function tagKeysIn(filter: IssueFilter): string[] {
  const ours = [...Object.values(TAG_ALIASES), "handled", "sdk", "release"];
  const keys = [...termsOf(filter)].flatMap((term) =>
    term.kind === "tag" && !ours.includes(term.key) ? [term.key] : []
  );
  return [...new Set(keys)];
}

class Understanding {
  readonly problems: (SearchProblem & { readonly start: number })[] = [];

  constructor(private readonly context: KeyContext) {}

  /** Null for what means nothing. */
  of(node: SearchNode): IssueNode | null {
    switch (node.kind) {
      case "text":
        return { kind: "text", pattern: node.value.parts, within: "anything" };
      case "not": {
        const meant = this.of(node.node);
        return meant && not(meant);
      }
      case "and":
      case "or": {
        const nodes = node.nodes.flatMap((each) => this.of(each) ?? []);
        if (nodes.length === 0) return null;
        return node.kind === "and" ? allOf(nodes) : anyOf(nodes);
      }
      case "filter": {
        const meaning = understandFilter(node, this.context);
        if (!("reason" in meaning)) return meaning;
        const { raw: part, start, end } = node;
        this.problems.push({ part, reason: meaning.reason, start, end });
        return null;
      }
    }
  }
}

/**
 * Takes the status out of a search that says it of all that it finds. Where it stands within an `OR`, the search has
 * its say about every status. Several `is:` mean any of them.
 */
function withoutStatus(
  node: IssueNode,
): { readonly filter: IssueFilter; readonly statuses: readonly IssueStatus[] | null } {
  const rest: IssueNode[] = [];
  const wanted = new Set<IssueStatus>();
  const unwanted = new Set<IssueStatus>();
  let isMentioned = false;
  for (const each of conditionsOf(node)) {
    const implied = impliedStatus(each);
    if (implied !== null) {
      wanted.add(implied);
      rest.push(each);
    } else if (each.kind === "status") { for (const status of each.statuses) wanted.add(status); }
    else if (each.kind === "not" && each.node.kind === "status") {
      for (const status of each.node.statuses) unwanted.add(status);
    } else {
      rest.push(each);
      // That something is not new says nothing of its status.
      const isAny = each.kind !== "not" || impliedStatus(each.node) === null;
      isMentioned ||= isAny &&
        [...termsOf(each)].some((term) => term.kind === "status" || impliedStatus(term) !== null);
    }
  }
  const filter = allOf(rest);
  if (wanted.size === 0 && unwanted.size === 0 && !isMentioned) return { filter, statuses: null };
  const statuses = wanted.size > 0 ? [...wanted] : ISSUE_STATUSES;
  return { filter, statuses: statuses.filter((status) => !unwanted.has(status)) };
}

/** The only status that fits a condition, or null. */
function impliedStatus(node: IssueNode): IssueStatus | null {
  if (node.kind === "for_review") return "unresolved";
  return node.kind === "substatus" ? STATUS_OF[node.substatus] : null;
}
