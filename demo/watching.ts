/** What the shop's people keep an eye on: alerts, and a dashboard of their own. */
import { api } from "../test/support/api_client.ts";

interface Project {
  readonly id: string;
  readonly slug: string;
  readonly organization: { readonly slug: string };
}

/** @param token of an administrator @param projectId of the shop */
export async function watch(url: string, token: string, projectId: string): Promise<void> {
  const projects = await api<Project[]>(url, token, "/projects/");
  const project = projects.find(({ id }) => id === projectId);
  const path = `/projects/${project?.organization.slug}/${project?.slug}`;
  const make = (what: string, body: unknown) =>
    api(url, token, `${path}/${what}/`, { method: "POST", body });
  for (const alert of ALERTS) await make("alerts", alert);
  await make("dashboards", { dashboard: DASHBOARD });
}

const DURATION = { metric: "http.server.request.duration", kind: "histogram", unit: "s" } as const;
/** As is chosen above the panels. */
const PAID = { label: "payment.method", operator: "=", value: "$payment.method" } as const;
const FAILED = { label: "http.response.status_code", operator: "=~", value: "5.." } as const;

/** Named `a`, `b`, … in their order. */
function queries(...given: readonly object[]) {
  return given.map((query, place) => ({ id: "abc"[place], ...query }));
}

/** Of all requests, in percent. */
const FAILED_SHARE = {
  queries: queries(
    { ...DURATION, aggregation: "rate", filter: [FAILED] },
    { ...DURATION, aggregation: "rate" },
  ),
  formulas: [{ id: "f1", expression: "a / b * 100", unit: "%" }],
};

/** Windows are so long that the evening's shortage of connections still lies in one of them. */
const ALERTS = [
  {
    name: "Slow routes",
    source: {
      kind: "metric",
      queries: queries({ ...DURATION, aggregation: "p99", groupBy: ["http.route"] }),
      judged: "a",
    },
    environments: ["production"],
    condition: { comparison: ">", warning: 3, critical: 5, recovery: 2.5 },
    windowMinutes: 360,
  },
  {
    name: "Failing requests",
    source: { kind: "metric", ...FAILED_SHARE, judged: "f1" },
    environments: ["production"],
    condition: { comparison: ">", warning: 5, critical: 10 },
    windowMinutes: 30,
    forMinutes: 5,
  },
  {
    name: "New issues",
    source: { kind: "errors", measure: "new_issue" },
    environments: ["production"],
    windowMinutes: 60,
  },
];

/** A panel of half the width but for texts. */
const panel = (column: 0 | 6, y: number, kind: string, title: string, more: object) => {
  const isText = kind === "text";
  const place = { x: column, y, w: isText ? 12 : 6, h: isText ? 2 : 7 };
  return { kind, title, place, ...more };
};

const DASHBOARD = {
  format: "watchpost-dashboard",
  version: 1,
  name: "The shop",
  description: "What the shop earns, and what keeps it from earning.",
  variables: [{ label: "payment.method", value: "" }],
  panels: [
    panel(0, 0, "text", "", {
      markdown:
        "**Orders down?** Look at *failed* and *slow* first, then at the issues on the right.",
    }),
    panel(0, 2, "metrics", "Orders", {
      view: "bars",
      queries: queries({ metric: "shop.orders", aggregation: "increase", filter: [PAID] }),
    }),
    panel(6, 2, "errors", "Errors", { search: "" }),
    panel(0, 9, "metrics", "How long requests take", {
      view: "heatmap",
      queries: queries({ ...DURATION, aggregation: "p95" }),
    }),
    panel(6, 9, "transactions", "", { measure: "p95", transaction: "" }),
    panel(0, 16, "metrics", "Failed with 5xx", {
      view: "line",
      hidden: ["a", "b"],
      ...FAILED_SHARE,
    }),
    panel(6, 16, "metrics", "Open carts", {
      view: "area",
      queries: queries({ metric: "shop.carts.open", aggregation: "avg", groupBy: ["environment"] }),
    }),
  ].map((each, index) => ({ id: `p${index + 1}`, ...each })),
};
