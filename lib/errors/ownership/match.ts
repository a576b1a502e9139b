/** Which rules match an event. The last one wins, and a line of CODEOWNERS only where no rule of the project matches. */
import { type GlobBudget, globBudget, globMatcher } from "../../core/matchers.ts";
import { plainPath } from "../code/source_link.ts";
import { indexPaths } from "./path_index.ts";
import type { OwnershipRule } from "./rules.ts";
import type { OwnedSubject } from "./subject.ts";

export interface MatchedRules {
  /** The one that wins first. */
  readonly rules: readonly OwnershipRule[];
  /** There was more to compare than one event may cost: rules far above may match as well. */
  readonly isCut: boolean;
}

export type RuleMatcher = (subject: OwnedSubject) => MatchedRules;

/** A tenth of a second for most rules, half of one for the worst; see `globBudget()`. */
const MAX_COMPARED = 20_000_000;

/** Prepares rules for many events. @param codeowners lines of that file, as rules */
export function ruleMatcher(
  rules: readonly OwnershipRule[],
  codeowners: readonly OwnershipRule[],
): RuleMatcher {
  const compiled = rules.map((rule) => ({
    rule,
    matches: globMatcher([
      rule.type === "path" ? rule.pattern.replaceAll("\\", "/") : rule.pattern,
    ]),
  })).reverse();
  const index = indexPaths(codeowners.map(({ pattern }) => pattern));
  return (subject) => {
    const budget = globBudget(MAX_COMPARED);
    const own = compiled.filter(({ rule, matches }) =>
      textsFor(rule.type, subject).some((text) => matches(text, budget))
    ).map(({ rule }) => rule);
    const lines = index.matching(placesOf(subject.paths), budget);
    return {
      rules: [...own, ...lines.flatMap((place) => codeowners[place] ?? [])],
      isCut: isSpent(budget),
    };
  };
}

function isSpent({ left }: GlobBudget): boolean {
  return left < 0;
}

function textsFor(type: string, { paths, modules, urls, tags }: OwnedSubject): readonly string[] {
  switch (type) {
    case "path":
      return [...new Set([...paths, ...placesOf(paths)])];
    case "module":
      return modules;
    case "url":
      return urls;
    default: {
      const name = type.slice("tags.".length);
      return tags.filter(([each]) => each === name).map(([, value]) => value);
    }
  }
}

/** As paths of a repository: without what bundlers put before them, an address, or the way up from a build. */
function placesOf(paths: readonly string[]): string[] {
  return [
    ...new Set(
      paths.map((path) =>
        plainPath(path).replace(/^[a-z]+:\/\/[^/]*\//i, "").replace(/^(?:\.\.?\/)+/, "")
      ),
    ),
  ];
}
