/** What the shop's people keep an eye on: alerts, and a dashboard of their own. */
import { api } from "../test/support/api_client.ts";

interface Query {
  readonly metric: string;
  readonly kind?: string;
  readonly unit?: string;
  readonly aggregation: string;
  readonly filter?: readonly Record<"label" | "operator" | "value", string>[];
  readonly groupBy?: readonly string[];
}

/** @param token of an administrator @param projectId of the shop */
export async function watch(url: string, token: string, projectId: string): Promise<void> {
  const place = await placeOf(url, token, projectId);
  const make = (what: string, body: unknown) =>
    api(url, token, `/projects/${place}/${what}/`, { method: "POST", body });
  for (const alert of ALERTS) await make("alerts", alert);
  await make("dashboards", { dashboard: DASHBOARD });
}

/** `<organization>/<project>` as the API's paths have it. */
async function placeOf(url: string, token: string, projectId: string): Promise<string> {
  for (const { slug } of await api<{ slug: string }[]>(url, token, "/organizations/")) {
    const projects = await api<{ id: string; slug: string }[]>(
      url,
      token,
      `/organizations/${slug}/projects/`,
    );
    const found = projects.find(({ id }) => id === projectId);
    if (found) return `${slug}/${found.slug}`;
  }
  throw new Error(`There is no project ${projectId}`);
}

const DURATION = { metric: "http.server.request.duration", kind: "histogram", unit: "s" } as const;
/** As is chosen above the panels. */
const PAID = { label: "payment.method", operator: "=", value: "$payment.method" } as const;
const FAILED = { label: "http.response.status_code", operator: "=~", value: "5.." } as const;

/** Named `a`, `b`, … in their order. */
function queries(...given: readonly Query[]) {
  return given.map((query, place) => ({ id: "abc"[place], ...query }));
}

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
    source: {
      kind: "metric",
      queries: queries(
        { ...DURATION, aggregation: "rate", filter: [FAILED] },
        { ...DURATION, aggregation: "rate" },
      ),
      formulas: [{ id: "f1", expression: "a / b * 100", unit: "%" }],
      judged: "f1",
    },
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

const size = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });

const DASHBOARD = {
  format: "watchpost-dashboard",
  version: 1,
  name: "The shop",
  description: "What the shop earns, and what keeps it from earning.",
  variables: [{ label: "payment.method", value: "" }],
  panels: [
    {
      id: "p1",
      kind: "text",
      title: "",
      place: size(0, 0, 12, 2),
      markdown:
        "**Orders down?** Look at *failed* and *slow* first, then at the issues on the right.",
    },
    {
      id: "p2",
      kind: "metrics",
      title: "Orders",
      place: size(0, 2, 6, 7),
      view: "bars",
      queries: queries({ metric: "shop.orders", aggregation: "increase", filter: [PAID] }),
    },
    {
      id: "p3",
      kind: "errors",
      title: "Errors",
      place: size(6, 2, 6, 7),
      search: "",
    },
    {
      id: "p4",
      kind: "metrics",
      title: "How long requests take",
      place: size(0, 9, 6, 7),
      view: "heatmap",
      queries: queries({ ...DURATION, aggregation: "p95" }),
    },
    {
      id: "p5",
      kind: "transactions",
      title: "",
      place: size(6, 9, 6, 7),
      measure: "p95",
      transaction: "",
    },
    {
      id: "p6",
      kind: "metrics",
      title: "Failed with 5xx",
      place: size(0, 16, 6, 7),
      view: "line",
      hidden: ["a", "b"],
      queries: queries(
        { ...DURATION, aggregation: "rate", filter: [FAILED] },
        { ...DURATION, aggregation: "rate" },
      ),
      formulas: [{ id: "f1", expression: "a / b * 100", unit: "%" }],
    },
    {
      id: "p7",
      kind: "metrics",
      title: "Open carts",
      place: size(6, 16, 6, 7),
      view: "area",
      queries: queries({
        metric: "shop.carts.open",
        aggregation: "avg",
        groupBy: ["environment"],
      }),
    },
  ],
};
