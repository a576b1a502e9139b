/** Makes dashboards of what there is. */
import { t } from "../../core/language/translate.ts";
import {
  aggregationsOf,
  labelKeys,
  type LabelMatcher,
  type MetricQuery,
} from "../../metrics/mod.ts";
import type { MetricKind } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import { COLUMNS, type DashboardContent, type MetricsPanel, usualSize } from "../content.ts";
import { settle } from "../layout.ts";
import { GO, JVM, NODE } from "./runtimes.ts";
import { HOST, HTTP_SERVER } from "./servers.ts";
import type {
  LabelNames,
  ReadyDashboard,
  ReadyPanel,
  ReadyQuery,
  ReadyVariant,
} from "./ready_types.ts";

export const READY_DASHBOARDS: readonly ReadyDashboard[] = [HTTP_SERVER, NODE, GO, JVM, HOST];

/** Fewer panels than this are no dashboard. */
const LEAST_PANELS = 2;
const TOP = 10;

/** Kinds of the metrics that a project has, by name. */
type KnownMetrics = ReadonlyMap<string, readonly MetricKind[]>;
/** Labels of their series, by name of the metric. */
type KnownLabels = ReadonlyMap<string, readonly string[]>;

/** Names of all metrics that ready-made dashboards look for. */
export function wantedMetrics(dashboards = READY_DASHBOARDS): string[] {
  const names = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ variants }) =>
      variants.flatMap(({ queries }) => queries.map(({ metric }) => metric))
    )
  );
  return [...new Set(names)];
}

/** What processes of any kind report: it tells nothing of what they run on. */
const OF_ANY_PROCESS = /^process(?:_|\.(?!runtime\.))/;

/**
 * The ready-made dashboards of which enough has arrived, with how many panels each would have. What any process reports
 * fills panels, but makes no program one of Node.js.
 */
export function offered(
  known: KnownMetrics,
): { readonly dashboard: ReadyDashboard; readonly panels: number }[] {
  return READY_DASHBOARDS.flatMap((dashboard) => {
    const chosen = dashboard.panels.flatMap((panel) => chosenVariant(panel, known) ?? []);
    const hasOwn = chosen.some(({ queries }) =>
      queries.some(({ metric }) => !OF_ANY_PROCESS.test(metric))
    );
    return hasOwn && chosen.length >= LEAST_PANELS ? [{ dashboard, panels: chosen.length }] : [];
  });
}

/** Makes a ready-made dashboard of the metrics that are there; panels without any are left out. */
export function makeReady(
  { description, variable, panels }: ReadyDashboard,
  known: KnownMetrics,
  labels: KnownLabels,
): DashboardContent {
  const metrics = [...labels.keys()];
  const label = variable.find((name) =>
    metrics.some((metric) => labels.get(metric)?.includes(name))
  );
  const made = panels.flatMap((panel, index): MetricsPanel[] => {
    const variant = chosenVariant(panel, known);
    return variant === null ? [] : [panelOf(panel, variant, `p${index + 1}`, known, labels, label)];
  });
  return {
    description: t(description),
    variables: label === undefined ? [] : [{ label, value: "" }],
    panels: flow(made),
  };
}

function chosenVariant({ variants }: ReadyPanel, known: KnownMetrics): ReadyVariant | null {
  return variants.find(({ queries }) => queries.every((query) => kindFor(query, known) !== null)) ??
    null;
}

/** The kind of a metric that can be asked for so; null when there is none. */
function kindFor({ metric, aggregation }: ReadyQuery, known: KnownMetrics): MetricKind | null {
  return known.get(metric)?.find((kind) =>
    aggregationsOf({ name: metric, kind }).includes(aggregation)
  ) ?? null;
}

function panelOf(
  { title, view = "line", w, h }: ReadyPanel,
  { queries, formulas = [], hidden = [] }: ReadyVariant,
  id: string,
  known: KnownMetrics,
  labels: KnownLabels,
  variable: string | undefined,
): MetricsPanel {
  const size = usualSize("metrics", view);
  return {
    kind: "metrics",
    id,
    title: t(title),
    place: { x: 0, y: 0, w: w ?? size.w, h: h ?? size.h },
    queries: queries.map((query) => queryOf(query, known, labels, variable)),
    formulas,
    hidden,
    view,
    stepMs: null,
    comparesPrevious: false,
  };
}

function queryOf(
  query: ReadyQuery,
  known: KnownMetrics,
  labels: KnownLabels,
  variable: string | undefined,
): MetricQuery {
  const { id, metric, aggregation, filter = [], groupBy = [] } = query;
  const there = labels.get(metric) ?? [];
  const nameOf = (names: LabelNames) => names.find((name) => there.includes(name));
  const matchers = filter.flatMap(({ labels: names, operator, value }): LabelMatcher[] => {
    const label = nameOf(names);
    return label === undefined ? [] : [{ label, operator, value }];
  });
  const narrowed: LabelMatcher[] = variable !== undefined && there.includes(variable)
    ? [{ label: variable, operator: "=", value: `$${variable}` }]
    : [];
  return {
    id,
    metric,
    kind: kindFor(query, known),
    unit: null,
    aggregation,
    filter: [...matchers, ...narrowed],
    groupBy: groupBy.flatMap((names) => nameOf(names) ?? []),
    top: TOP,
  };
}

/** One after the other, from the left to the right. */
function flow(panels: readonly MetricsPanel[]): MetricsPanel[] {
  let x = 0;
  let row = 0;
  const placed = panels.map((panel) => {
    const { w } = panel.place;
    if (x + w > COLUMNS) [x, row] = [0, row + 1];
    const place = { ...panel.place, x, y: row };
    x += w;
    return { ...panel, place };
  });
  return settle(placed);
}

/** What was not seen for longer is no longer offered. */
const SEEN_SINCE = "30 days";

/** Which of these metrics a project has sent lately, with their kinds, the one seen last first. */
export async function knownMetrics(
  sql: Sql,
  projectId: string,
  names: readonly string[],
): Promise<KnownMetrics> {
  const rows = await sql<{ name: string; kind: MetricKind }[]>`
    select name, kind from metrics
    where project_id = ${projectId} and name = any (${[...names]}::text[])
      and seen_on > now() - ${SEEN_SINCE}::interval
    order by seen_on desc, metric_id
  `;
  const byName = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byName].map(([name, found]) => [name, found.map(({ kind }) => kind)]));
}

/** The labels that series of these metrics have. */
export async function knownLabels(
  sql: Sql,
  projectId: string,
  metrics: readonly string[],
): Promise<KnownLabels> {
  return new Map(
    await Promise.all(metrics.map(async (metric): Promise<[string, string[]]> => [
      metric,
      await labelKeys(sql, projectId, metric),
    ])),
  );
}
