import {
  type LabelNames,
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
