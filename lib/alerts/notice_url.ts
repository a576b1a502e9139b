import { isOfIssues } from "./check_input.ts";
import type { AlertRule } from "./rule.ts";
import { explorationOf } from "./pages/form_params.ts";
import { exploreHref } from "../metrics/paths.ts";
import { issuePath, issuesPath } from "../ui/links_issues.ts";
import { type Scope, scopedHref } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import { transactionHref } from "../ui/tracing_paths.ts";
import { pageVitalsHref } from "../ui/vitals_paths.ts";

const MINUTE_MS = 60_000;
const LEAST_SHOWN_MS = 60 * MINUTE_MS;
/** How much of the time shown lies before the window. */
const WINDOWS_SHOWN = 6;

type Watched = Pick<AlertRule, "projectId" | "source" | "environments" | "windowMinutes">;

/**
 * Path of what a notice is about: the issue, or the page that shows the same values around that time.
 *
 * @param group of the state: of rules of issues the issue's id
 */
export function noticePath(rule: Watched, group: string, at: Date): string {
  const { projectId, source } = rule;
  const scope = scopeAt(rule, at);
  switch (source.kind) {
    case "metric":
      return exploreHref(projectId, explorationOf(source), scope);
    case "errors":
      return isOfIssues(rule)
        ? issuePath(projectId, group)
        : scopedHref(issuesPath(projectId), scope, { query: source.search });
    case "transactions":
      return transactionPath(projectId, source, scope);
  }
}

const VITALS = new Set(["lcp", "inp", "cls", "fcp", "ttfb"]);

function transactionPath(
  projectId: string,
  { measure, transaction }: Extract<AlertRule["source"], { kind: "transactions" }>,
  scope: Scope,
): string {
  const isVital = VITALS.has(measure);
  if (transaction === null) {
    return scopedHref(sectionPath(projectId, isVital ? "web-vitals" : "performance"), scope);
  }
  return isVital
    ? pageVitalsHref(projectId, scope, transaction)
    : transactionHref(projectId, scope, transaction);
}

/** Some windows before a time, and a little after it, in whole minutes. */
function scopeAt({ environments, windowMinutes }: Watched, at: Date): Scope {
  const end = (Math.floor(at.getTime() / MINUTE_MS) + 5) * MINUTE_MS;
  const shownMs = Math.max(LEAST_SHOWN_MS, windowMinutes * WINDOWS_SHOWN * MINUTE_MS);
  return {
    environments: [...environments].sort(),
    releases: [],
    services: [],
    range: { start: new Date(end - shownMs), end: new Date(end) },
  };
}
