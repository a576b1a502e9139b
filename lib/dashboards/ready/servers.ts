import {
  beside,
  type LabelNames,
  meanOf,
  one,
  percentOf,
  type ReadyDashboard,
  type ReadyVariant,
} from "./ready_types.ts";

const CPU_STATE: LabelNames = ["cpu.mode", "system.cpu.state", "state", "mode"];
const MEMORY_STATE: LabelNames = ["system.memory.state", "state"];
const DISK: LabelNames = ["system.device", "device"];
const DISK_DIRECTION: LabelNames = [
  "disk.io.direction",
  "system.disk.direction",
  "direction",
];
const NETWORK_DIRECTION: LabelNames = [
  "network.io.direction",
  "system.network.direction",
  "direction",
];
const MOUNT: LabelNames = ["system.filesystem.mountpoint", "mountpoint"];
const FILESYSTEM_STATE: LabelNames = ["system.filesystem.state", "state"];

/** The Collector's hostmetrics and the semantic conventions, else Prometheus' node exporter. */
export const HOST: ReadyDashboard = {
  id: "host",
  name: "Host",
  description: "CPU, memory, disks and network of machines.",
  variable: ["host.name", "instance", "host"],
  panels: [
    {
      title: "CPU busy",
      variants: [
        busyOf("system.cpu.time"),
        busyOf("system_cpu_time_seconds_total"),
        busyOf("node_cpu_seconds_total"),
        percentOf("system.cpu.utilization", "avg", [CPU_STATE]),
      ],
    },
    {
      title: "CPU by state",
      view: "area",
      variants: [
        coresOf("system.cpu.time"),
        coresOf("system_cpu_time_seconds_total"),
        coresOf("node_cpu_seconds_total"),
      ],
    },
    {
      title: "Load",
      variants: [
        {
          queries: [
            { id: "a", metric: "system.cpu.load_average.1m", aggregation: "avg" },
            { id: "b", metric: "system.cpu.load_average.5m", aggregation: "avg" },
            { id: "c", metric: "system.cpu.load_average.15m", aggregation: "avg" },
          ],
        },
        one("system.cpu.load_average.1m", "avg"),
        one("node_load1", "avg"),
      ],
    },
    {
      title: "Memory",
      view: "area",
      variants: [
        one("system.memory.usage", "sum", [MEMORY_STATE]),
        one("system_memory_usage_bytes", "sum", [MEMORY_STATE]),
        {
          queries: [
            { id: "a", metric: "node_memory_MemTotal_bytes", aggregation: "sum" },
            { id: "b", metric: "node_memory_MemAvailable_bytes", aggregation: "sum" },
          ],
          formulas: [{ id: "f1", expression: "a - b", unit: "By" }],
          hidden: ["a"],
        },
      ],
    },
    {
      title: "Disk: bytes read and written",
      variants: [
        one("system.disk.io", "rate", [DISK, DISK_DIRECTION]),
        one("system_disk_io_bytes_total", "rate", [DISK, DISK_DIRECTION]),
        {
          queries: [
            { id: "a", metric: "node_disk_read_bytes_total", aggregation: "rate" },
            { id: "b", metric: "node_disk_written_bytes_total", aggregation: "rate" },
          ],
        },
      ],
    },
    {
      title: "Network: bytes received and sent",
      variants: [
        one("system.network.io", "rate", [NETWORK_DIRECTION]),
        one("system_network_io_bytes_total", "rate", [NETWORK_DIRECTION]),
        {
          queries: [
            { id: "a", metric: "node_network_receive_bytes_total", aggregation: "rate" },
            { id: "b", metric: "node_network_transmit_bytes_total", aggregation: "rate" },
          ],
        },
      ],
    },
    {
      title: "File systems",
      view: "table",
      variants: [
        fullOf("system.filesystem.usage"),
        fullOf("system_filesystem_usage_bytes"),
        {
          queries: [
            {
              id: "a",
              metric: "node_filesystem_avail_bytes",
              aggregation: "last",
              groupBy: [MOUNT],
            },
            {
              id: "b",
              metric: "node_filesystem_size_bytes",
              aggregation: "last",
              groupBy: [MOUNT],
            },
          ],
          formulas: [{ id: "f1", expression: "100 - 100 * a / b", unit: "%" }],
          hidden: ["a", "b"],
        },
      ],
    },
    {
      title: "Network errors",
      view: "bars",
      variants: [
        one("system.network.errors", "rate", [NETWORK_DIRECTION]),
        one("system_network_errors_total", "rate", [NETWORK_DIRECTION]),
        one("node_network_receive_errs_total", "rate"),
      ],
    },
    {
      title: "Processes",
      variants: [
        one("system.processes.count", "sum", [["process.status", "status"]]),
        one("system.process.count", "sum", [["system.process.status", "status"]]),
        one("node_procs_running", "sum"),
      ],
    },
  ],
};

/** Percent of the time of all CPUs that is not idle. */
function busyOf(metric: string): ReadyVariant {
  return {
    queries: [
      {
        id: "a",
        metric,
        aggregation: "rate",
        filter: [{ labels: CPU_STATE, operator: "!=", value: "idle" }],
      },
      { id: "b", metric, aggregation: "rate" },
    ],
    formulas: [{ id: "f1", expression: "100 * a / b", unit: "%" }],
    hidden: ["a", "b"],
  };
}

/** How many CPUs are in each state: seconds a second. */
function coresOf(metric: string): ReadyVariant {
  return {
    queries: [{ id: "a", metric, aggregation: "rate", groupBy: [CPU_STATE] }],
    formulas: [{ id: "f1", expression: "a", unit: "{CPU}" }],
    hidden: ["a"],
  };
}

/** Percent of each file system that is used. */
function fullOf(metric: string): ReadyVariant {
  return {
    queries: [
      {
        id: "a",
        metric,
        aggregation: "last",
        filter: [{ labels: FILESYSTEM_STATE, operator: "!=", value: "free" }],
        groupBy: [MOUNT],
      },
      { id: "b", metric, aggregation: "last", groupBy: [MOUNT] },
    ],
    formulas: [{ id: "f1", expression: "100 * a / b", unit: "%" }],
    hidden: ["a", "b"],
  };
}

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
