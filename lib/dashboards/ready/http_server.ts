import {
  beside,
  type LabelNames,
  meanOf,
  one,
  type ReadyDashboard,
  type ReadyVariant,
} from "./ready_types.ts";

/** Of today in seconds, of before in milliseconds. */
const DURATIONS = ["http.server.request.duration", "http.server.duration"] as const;
/** As Prometheus writes them. */
const CLASSIC = "http_server_request_duration_seconds";
/** Micrometer's, which have no buckets unless somebody asked for them; and as Prometheus writes them. */
const MICROMETER = "http.server.requests";
const MICROMETER_CLASSIC = "http_server_requests_seconds";
const ROUTE: LabelNames = ["http.route", "http_route", "http.target", "route", "uri"];
const STATUS: LabelNames = [
  "http.response.status_code",
  "http_response_status_code",
  "http.status_code",
  "http_status_code",
  "status",
];

/** Counters of requests, where there is no histogram of {@linkcode DURATIONS}. */
const COUNTS = [MICROMETER, `${CLASSIC}_count`, `${MICROMETER_CLASSIC}_count`] as const;

/** Requests of HTTP servers by the semantic conventions of OpenTelemetry, or as Micrometer counts them. */
export const HTTP_SERVER: ReadyDashboard = {
  id: "http-server",
  name: "HTTP server",
  description: "How many requests there are, how long they take and how many fail.",
  variable: ROUTE,
  panels: [
    {
      title: "Requests",
      view: "value",
      w: 3,
      h: 3,
      variants: [...DURATIONS, ...COUNTS].map((name) => one(name, "rate")),
    },
    {
      title: "Duration, p95",
      view: "value",
      w: 3,
      h: 3,
      variants: [
        ...DURATIONS.map((name) => one(name, "p95")),
        classicQuantiles(["p95"]),
        meanOf(`${CLASSIC}_sum`, `${CLASSIC}_count`, "s"),
      ],
    },
    { title: "Duration, average", view: "value", w: 3, h: 3, variants: averages() },
    {
      title: "Failed with 5xx",
      view: "value",
      w: 3,
      h: 3,
      variants: [...DURATIONS, ...COUNTS].map((name) => allButGood(name)),
    },
    {
      title: "In progress",
      view: "value",
      w: 3,
      h: 3,
      variants: [
        one("http.server.active_requests", "sum"),
        one("http_server_active_requests", "sum"),
      ],
    },
    {
      title: "Requests by route",
      view: "area",
      variants: [...DURATIONS, ...COUNTS].map((name) => one(name, "rate", [ROUTE])),
    },
    {
      title: "Duration by route, p95",
      variants: [
        ...DURATIONS.map((name) => one(name, "p95", [ROUTE])),
        classicQuantiles(["p95"], [ROUTE]),
        meanOf(`${CLASSIC}_sum`, `${CLASSIC}_count`, "s", [ROUTE]),
      ],
    },
    { title: "Duration by route, average", variants: averages([ROUTE]) },
    {
      title: "Answers by status",
      view: "bars",
      variants: [...DURATIONS, ...COUNTS].map((name) => one(name, "rate", [STATUS])),
    },
    {
      title: "Failed with 5xx by route",
      variants: [...DURATIONS, ...COUNTS].map((name) => shareOf5xx(name, [ROUTE])),
    },
    {
      title: "Duration: p50, p90, p99",
      variants: [
        ...DURATIONS.map((name) => beside([name, "p50"], [name, "p90"], [name, "p99"])),
        classicQuantiles(["p50", "p90", "p99"]),
      ],
    },
    {
      title: "Slowest routes, p99",
      view: "table",
      variants: [
        ...DURATIONS.map((name) => one(name, "p99", [ROUTE])),
        classicQuantiles(["p99"], [ROUTE]),
      ],
    },
  ],
};

/** Of what may have no buckets. */
function averages(groupBy: readonly LabelNames[] = []): ReadyVariant[] {
  const [sum, count] = [`${MICROMETER_CLASSIC}_sum`, `${MICROMETER_CLASSIC}_count`];
  return [one(MICROMETER, "avg", groupBy), meanOf(sum, count, "s", groupBy)];
}

/** Quantiles of Prometheus' counters of buckets, whose seconds only their name tells. */
function classicQuantiles(
  quantiles: readonly ("p50" | "p90" | "p95" | "p99")[],
  groupBy: readonly LabelNames[] = [],
): ReadyVariant {
  const ids = quantiles.map((_, index) => "abc".charAt(index));
  return {
    queries: quantiles.map((aggregation, index) => ({
      id: "abc".charAt(index),
      metric: `${CLASSIC}_bucket`,
      aggregation,
      groupBy,
    })),
    formulas: ids.map((id, index) => ({ id: `f${index + 1}`, expression: id, unit: "s" })),
    hidden: ids,
  };
}

/** The same of all answers together: where none failed, there are no series of failures to divide. */
function allButGood(metric: string): ReadyVariant {
  const good = { labels: STATUS, operator: "!~", value: "5.." } as const;
  return {
    queries: [
      { id: "a", metric, aggregation: "rate", filter: [good] },
      { id: "b", metric, aggregation: "rate" },
    ],
    formulas: [{ id: "f1", expression: "100 - 100 * a / b", unit: "%" }],
    hidden: ["a", "b"],
  };
}

/** Percent of the answers that say that the server failed. */
function shareOf5xx(metric: string, groupBy: readonly LabelNames[] = []): ReadyVariant {
  const failed = { labels: STATUS, operator: "=~", value: "5.." } as const;
  return {
    queries: [
      { id: "a", metric, aggregation: "rate", filter: [failed], groupBy },
      { id: "b", metric, aggregation: "rate", groupBy },
    ],
    formulas: [{ id: "f1", expression: "100 * a / b", unit: "%" }],
    hidden: ["a", "b"],
  };
}
