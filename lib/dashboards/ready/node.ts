import { beside, meanOf, one, percentOf, type ReadyDashboard } from "./ready_types.ts";

/** OpenTelemetry's runtime metrics of Node.js, else those of `prom-client`. */
export const NODE: ReadyDashboard = {
  id: "node",
  name: "Node.js runtime",
  description: "Event loop, garbage collection and memory of Node.js.",
  variable: ["service.instance.id", "instance", "host.name"],
  panels: [
    {
      title: "Event loop delay",
      variants: [
        beside(
          ["nodejs.eventloop.delay.p50", "max"],
          ["nodejs.eventloop.delay.p90", "max"],
          ["nodejs.eventloop.delay.p99", "max"],
        ),
        one("nodejs.eventloop.delay.p99", "max"),
        beside(["nodejs_eventloop_lag_p50_seconds", "max"], [
          "nodejs_eventloop_lag_p99_seconds",
          "max",
        ]),
        one("nodejs_eventloop_lag_seconds", "max"),
      ],
    },
    {
      title: "Event loop utilization",
      variants: [
        percentOf("nodejs.eventloop.utilization", "avg", [["service"]]),
        one("nodejs.eventloop.time", "rate", [["nodejs.eventloop.state"]]),
      ],
    },
    {
      title: "Heap used",
      view: "area",
      variants: [
        one("v8js.memory.heap.used", "sum", [["v8js.heap.space.name"]]),
        beside(["nodejs_heap_size_used_bytes", "sum"], ["nodejs_heap_size_total_bytes", "sum"]),
      ],
    },
    {
      title: "Heap limit",
      variants: [one("v8js.memory.heap.limit", "max"), one("nodejs_external_memory_bytes", "sum")],
    },
    {
      title: "Time in garbage collection, p95",
      variants: [
        one("v8js.gc.duration", "p95", [["v8js.gc.type"]]),
        meanOf("nodejs_gc_duration_seconds_sum", "nodejs_gc_duration_seconds_count", "s", [[
          "kind",
        ]]),
      ],
    },
    {
      title: "Garbage collections",
      view: "bars",
      variants: [
        one("v8js.gc.duration", "rate", [["v8js.gc.type"]]),
        one("nodejs_gc_duration_seconds_count", "rate", [["kind"]]),
      ],
    },
    {
      title: "CPU of the process",
      variants: [
        percentOf("process.cpu.utilization", "sum", [["process.cpu.state", "cpu.mode", "state"]]),
        one("process_cpu_seconds_total", "rate"),
      ],
    },
    {
      title: "Memory of the process",
      variants: [
        one("process.memory.usage", "sum", [["service"]]),
        one("process_resident_memory_bytes", "sum"),
      ],
    },
  ],
};
