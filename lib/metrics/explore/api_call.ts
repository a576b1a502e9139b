import { formatFilter } from "../filter_text.ts";
import { type Scope, scopeParams } from "../../ui/scope.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { EXPLORE_DEFAULTS } from "../paths.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";

type Asked = Pick<QueryForm, "queries" | "formulas" | "stepMs" | "comparesPrevious">;

/**
 * A command that asks the API the same: one query in the address, several or formulas as JSON.
 *
 * @param baseUrl of the service, without a slash at its end
 */
export function apiCall(
  baseUrl: string,
  { project, scope, interval }: Pick<Tracing, "project" | "scope" | "interval">,
  asked: Asked,
): string {
  const address =
    `${baseUrl}/api/0/projects/${project.organizationId}/${project.id}/metrics/query/`;
  const [query] = asked.queries;
  const isOne = asked.queries.length === 1 && asked.formulas.length === 0;
  const time = { start: isoSeconds(interval.start), end: isoSeconds(interval.end) };
  if (query === undefined || !isOne) {
    const { environments, releases, services } = scope;
    const body = {
      ...time,
      ...asked.stepMs !== null && { step: asked.stepMs / 1000 },
      ...environments.length > 0 && { environment: environments },
      ...releases.length > 0 && { release: releases },
      ...services.length > 0 && { service: services },
      queries: asked.queries.map((one) => ({
        id: one.id,
        metric: one.metric,
        ...one.kind !== null && { kind: one.kind },
        ...one.unit !== null && { unit: one.unit },
        aggregation: one.aggregation,
        filter: formatFilter(one.filter),
        groupBy: one.groupBy,
        top: one.top,
      })),
      formulas: asked.formulas,
      ...asked.comparesPrevious && { compare: true },
    };
    return `curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}' \\
  '${address}'`;
  }
  const params = new URLSearchParams([
    ["metric", query.metric],
    ...query.kind === null ? [] : [["kind", query.kind]],
    ...query.unit === null ? [] : [["unit", query.unit]],
    ["aggregation", query.aggregation],
    ...query.filter.length === 0 ? [] : [["filter", formatFilter(query.filter)]],
    ...query.groupBy.map((label) => ["groupBy", label]),
    ...query.top === EXPLORE_DEFAULTS.top ? [] : [["top", String(query.top)]],
    ...scopeWithoutTime(scope),
    ...Object.entries(time),
    ...asked.stepMs === null ? [] : [["step", String(asked.stepMs / 1000)]],
    ...asked.comparesPrevious ? [["compare", "1"]] : [],
  ]);
  return `curl -H "Authorization: Bearer $TOKEN" \\
  '${address}?${params}'`;
}

function scopeWithoutTime(scope: Scope): [string, string][] {
  return scopeParams(scope).filter(([name]) => !["range", "start", "end"].includes(name));
}

function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
