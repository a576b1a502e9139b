/** Panels for tests. */
import type {
  DashboardContent,
  MetricsPanel,
  Panel,
  Place,
  TextPanel,
} from "@/lib/dashboards/content.ts";
import type { MetricQuery } from "@/lib/metrics/query_types.ts";

export function place(x: number, y: number, w: number, h: number): Place {
  return { x, y, w, h };
}

export function textPanel(id: string, at: Place, markdown = "Hello"): TextPanel {
  return { kind: "text", id, title: "", place: at, markdown };
}

export function query(changes: Partial<MetricQuery> = {}): MetricQuery {
  return {
    id: "a",
    metric: "http.server.request.duration",
    kind: "histogram",
    unit: "s",
    aggregation: "p95",
    filter: [{ label: "http.route", operator: "=", value: "$http.route" }],
    groupBy: ["http.route"],
    top: 10,
    ...changes,
  };
}

export function metricsPanel(changes: Partial<MetricsPanel> = {}): MetricsPanel {
  return {
    kind: "metrics",
    id: "p1",
    title: "Slow routes",
    place: place(0, 0, 6, 7),
    queries: [query()],
    formulas: [{ id: "f1", expression: "a * 1000", unit: "ms" }],
    hidden: ["a"],
    view: "area",
    stepMs: 60_000,
    comparesPrevious: true,
    ...changes,
  };
}

export function contentOf(panels: readonly Panel[]): DashboardContent {
  return { description: "", variables: [], panels };
}

/** One panel of each kind, and variables. */
export const EVERYTHING: DashboardContent = {
  description: "All there is",
  variables: [{ label: "http.route", value: "" }, { label: "host.name", value: "web-1" }],
  panels: [
    metricsPanel(),
    {
      kind: "errors",
      id: "p2",
      title: "",
      place: place(6, 0, 6, 7),
      search: "level:fatal",
    },
    {
      kind: "transactions",
      id: "p3",
      title: "Checkout",
      place: place(0, 7, 6, 7),
      measure: "apdex",
      transaction: "POST /checkout",
    },
    textPanel("p4", place(6, 7, 6, 2), "# Who to call\n\n[Runbook](https://example.org)"),
  ],
};
