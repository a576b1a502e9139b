/** The choices above the panels of a dashboard, and what they put into filters. */
import type { LabelMatcher } from "../metrics/query_types.ts";
import type { DashboardContent, MetricsPanel, Variable } from "./content.ts";
import { LIMITS } from "./limits.ts";

/** The chosen value by label; `""`: all. */
export type Choices = ReadonlyMap<string, string>;

/** How an address says "all values": an empty parameter would be left out of links. */
export const ALL_VALUES = "*";

/** Name of the parameter that carries the choice of a variable. */
export function parameterOf(label: string): string {
  return `var.${label}`;
}

/** What an address chooses; variables that it does not name have their own value. */
export function readChoices(variables: readonly Variable[], search: URLSearchParams): Choices {
  return new Map(variables.map(({ label, value }) => {
    const asked = search.get(parameterOf(label));
    if (asked === ALL_VALUES) return [label, ""];
    return [label, asked === null ? value : asked.slice(0, LIMITS.labelValue)];
  }));
}

/** The choices as parameters of an address; those that are as the dashboard has them are left out. */
export function choiceParams(
  variables: readonly Variable[],
  choices: Choices,
): Record<string, string> {
  const changed = variables.filter(({ label, value }) => (choices.get(label) ?? value) !== value);
  return Object.fromEntries(
    changed.map(({ label }) => [parameterOf(label), choices.get(label) || ALL_VALUES]),
  );
}

/** A panel with the chosen values in its filters. Where all values are chosen, a filter asks for nothing. */
export function withChoices(panel: MetricsPanel, choices: Choices): MetricsPanel {
  return {
    ...panel,
    queries: panel.queries.map((query) => ({
      ...query,
      filter: query.filter.flatMap((matcher) => chosen(matcher, choices)),
    })),
  };
}

/** Names of metrics whose values a variable offers: of queries that ask for it, else of all. */
export function metricsOf({ panels }: DashboardContent, label: string): string[] {
  const queries = panels.flatMap((panel) => panel.kind === "metrics" ? panel.queries : []);
  const asking = queries.filter(({ filter }) => filter.some(({ value }) => value === `$${label}`));
  return [...new Set((asking.length > 0 ? asking : queries).map(({ metric }) => metric))];
}

function chosen(matcher: LabelMatcher, choices: Choices): LabelMatcher[] {
  const { operator, value } = matcher;
  const choice = value.startsWith("$") ? choices.get(value.slice(1)) : undefined;
  if (choice === undefined) return [matcher];
  if (choice === "") return [];
  const isPattern = operator === "=~" || operator === "!~";
  return [{ ...matcher, value: isPattern ? literal(choice) : choice }];
}

/** A pattern that matches the text alone. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
