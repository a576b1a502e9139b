import type { AlertRule, TransactionSource } from "./rule.ts";
import { exploreHref } from "../metrics/paths.ts";
import { type Scope, scopedHref } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import { transactionHref } from "../ui/tracing_paths.ts";
import { pageVitalsHref } from "../ui/vitals_paths.ts";
import { explorationOf } from "./pages/form_params.ts";

const VITALS: readonly string[] = ["lcp", "inp", "cls", "fcp", "ttfb"];

/** The page that shows what an alert watches. */
export function sourceHref({ projectId, source, environments }: AlertRule): string {
  const scope: Scope = { environments, releases: [], services: [], range: "24h" };
  switch (source.kind) {
    case "metric":
      return exploreHref(projectId, explorationOf(source), scope);
    case "errors":
      return scopedHref(sectionPath(projectId, "issues"), scope, { query: source.search });
    case "transactions":
      return transactionsHref(projectId, scope, source);
  }
}

function transactionsHref(
  projectId: string,
  scope: Scope,
  { measure, transaction }: TransactionSource,
): string {
  if (VITALS.includes(measure)) {
    return transaction === null
      ? scopedHref(sectionPath(projectId, "web-vitals"), scope)
      : pageVitalsHref(projectId, scope, transaction);
  }
  return transaction === null
    ? scopedHref(sectionPath(projectId, "performance"), scope)
    : transactionHref(projectId, scope, transaction);
}
