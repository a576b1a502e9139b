import { message } from "../../core/language/translate.ts";
import {
  beside,
  calculated,
  type LabelNames,
  meanOf,
  one,
  panel,
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
  description: message("CPU, memory, disks and network of machines."),
  variable: ["host.name", "instance", "host"],
  panels: [
    panel("CPU busy", [
      busyOf("system.cpu.time"),
      busyOf("system_cpu_time_seconds_total"),
      busyOf("node_cpu_seconds_total"),
      percentOf("system.cpu.utilization", "avg", [CPU_STATE]),
    ]),
    panel("CPU by state", [
      coresOf("system.cpu.time"),
      coresOf("system_cpu_time_seconds_total"),
      coresOf("node_cpu_seconds_total"),
    ], { view: "area" }),
    panel("Load", [
      beside(
        ["system.cpu.load_average.1m", "avg"],
        ["system.cpu.load_average.5m", "avg"],
        ["system.cpu.load_average.15m", "avg"],
      ),
      one("system.cpu.load_average.1m", "avg"),
      one("node_load1", "avg"),
    ]),
    panel("Memory", [
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
    ], { view: "area" }),
    panel("Disk: bytes read and written", [
      one("system.disk.io", "rate", [DISK, DISK_DIRECTION]),
      one("system_disk_io_bytes_total", "rate", [DISK, DISK_DIRECTION]),
      beside(["node_disk_read_bytes_total", "rate"], ["node_disk_written_bytes_total", "rate"]),
    ]),
    panel("Network: bytes received and sent", [
      one("system.network.io", "rate", [NETWORK_DIRECTION]),
      one("system_network_io_bytes_total", "rate", [NETWORK_DIRECTION]),
      beside(
        ["node_network_receive_bytes_total", "rate"],
        ["node_network_transmit_bytes_total", "rate"],
      ),
    ]),
    panel("File systems", [
      fullOf("system.filesystem.usage"),
      fullOf("system_filesystem_usage_bytes"),
      calculated("100 - 100 * a / b", "%", [
        { metric: "node_filesystem_avail_bytes", aggregation: "last", groupBy: [MOUNT] },
        { metric: "node_filesystem_size_bytes", aggregation: "last", groupBy: [MOUNT] },
      ]),
    ], { view: "table" }),
    panel("Network errors", [
      one("system.network.errors", "rate", [NETWORK_DIRECTION]),
      one("system_network_errors_total", "rate", [NETWORK_DIRECTION]),
      one("node_network_receive_errs_total", "rate"),
    ], { view: "bars" }),
    panel("Processes", [
      one("system.processes.count", "sum", [["process.status", "status"]]),
      one("system.process.count", "sum", [["system.process.status", "status"]]),
      one("node_procs_running", "sum"),
    ]),
  ],
};

/** Percent of the time of all CPUs that is not idle. */
function busyOf(metric: string): ReadyVariant {
  const busy = { labels: CPU_STATE, operator: "!=", value: "idle" } as const;
  return calculated("100 * a / b", "%", [
    { metric, aggregation: "rate", filter: [busy] },
    { metric, aggregation: "rate" },
  ]);
}

/** How many CPUs are in each state: seconds a second. */
function coresOf(metric: string): ReadyVariant {
  return calculated("a", "{CPU}", [{ metric, aggregation: "rate", groupBy: [CPU_STATE] }]);
}

/** Percent of each file system that is used. */
function fullOf(metric: string): ReadyVariant {
  const used = { labels: FILESYSTEM_STATE, operator: "!=", value: "free" } as const;
  return calculated("100 * a / b", "%", [
    { metric, aggregation: "last", filter: [used], groupBy: [MOUNT] },
    { metric, aggregation: "last", groupBy: [MOUNT] },
  ]);
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
  description: message("How many requests there are, how long they take and how many fail."),
  variable: ROUTE,
  panels: [
    panel("Requests", [...DURATIONS, ...COUNTS].map((name) => one(name, "rate")), {
      view: "value",
      w: 3,
      h: 3,
    }),
    panel("Duration, p95", [
      ...DURATIONS.map((name) => one(name, "p95")),
      classicQuantiles(["p95"]),
      meanOf(`${CLASSIC}_sum`, `${CLASSIC}_count`, "s"),
    ], { view: "value", w: 3, h: 3 }),
    panel("Duration, average", averages(), { view: "value", w: 3, h: 3 }),
    panel("Failed with 5xx", [...DURATIONS, ...COUNTS].map((name) => allButGood(name)), {
      view: "value",
      w: 3,
      h: 3,
    }),
    panel("In progress", [
      one("http.server.active_requests", "sum"),
      one("http_server_active_requests", "sum"),
    ], { view: "value", w: 3, h: 3 }),
    panel(
      "Requests by route",
      [...DURATIONS, ...COUNTS].map((name) => one(name, "rate", [ROUTE])),
      { view: "area" },
    ),
    panel("Duration by route, p95", [
      ...DURATIONS.map((name) => one(name, "p95", [ROUTE])),
      classicQuantiles(["p95"], [ROUTE]),
      meanOf(`${CLASSIC}_sum`, `${CLASSIC}_count`, "s", [ROUTE]),
    ]),
    panel("Duration by route, average", averages([ROUTE])),
    panel(
      "Responses by status",
      [...DURATIONS, ...COUNTS].map((name) => one(name, "rate", [STATUS])),
      { view: "bars" },
    ),
    panel(
      "Failed with 5xx by route",
      [...DURATIONS, ...COUNTS].map((name) => shareOf5xx(name, [ROUTE])),
    ),
    panel("Duration: p50, p90, p99", [
      ...DURATIONS.map((name) => beside([name, "p50"], [name, "p90"], [name, "p99"])),
      classicQuantiles(["p50", "p90", "p99"]),
    ]),
    panel("Slowest routes, p99", [
      ...DURATIONS.map((name) => one(name, "p99", [ROUTE])),
      classicQuantiles(["p99"], [ROUTE]),
    ], { view: "table" }),
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
  return calculated("100 - 100 * a / b", "%", [
    { metric, aggregation: "rate", filter: [good] },
    { metric, aggregation: "rate" },
  ]);
}

/** Percent of the answers that say that the server failed. */
function shareOf5xx(metric: string, groupBy: readonly LabelNames[]): ReadyVariant {
  const failed = { labels: STATUS, operator: "=~", value: "5.." } as const;
  return calculated("100 * a / b", "%", [
    { metric, aggregation: "rate", filter: [failed], groupBy },
    { metric, aggregation: "rate", groupBy },
  ]);
}
