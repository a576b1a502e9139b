import { beside, meanOf, one, percentOf, type ReadyDashboard } from "./ready_types.ts";

/** OpenTelemetry's runtime metrics of the JVM, of today and of before, else Micrometer's by OTLP or Prometheus. */
export const JVM: ReadyDashboard = {
  id: "jvm",
  name: "JVM runtime",
  description: "Memory, garbage collection, threads and CPU of the Java virtual machine.",
  variable: ["service.instance.id", "instance", "host.name"],
  panels: [
    {
      title: "Memory used",
      view: "area",
      variants: [
        one("jvm.memory.used", "sum", [["jvm.memory.type", "area"]]),
        one("process.runtime.jvm.memory.usage", "sum", [["type"]]),
        one("jvm_memory_used_bytes", "sum", [["area"]]),
      ],
    },
    {
      title: "Memory used by pool",
      variants: [
        one("jvm.memory.used", "sum", [["jvm.memory.pool.name", "id"]]),
        one("process.runtime.jvm.memory.usage", "sum", [["pool"]]),
        one("jvm_memory_used_bytes", "sum", [["id"]]),
      ],
    },
    {
      title: "Memory used after the last collection",
      variants: [
        one("jvm.memory.used_after_last_gc", "sum", [["jvm.memory.pool.name"]]),
        one("process.runtime.jvm.memory.usage_after_last_gc", "sum", [["pool"]]),
      ],
    },
    {
      title: "Memory committed",
      variants: [
        one("jvm.memory.committed", "sum", [["jvm.memory.type", "area"]]),
        one("process.runtime.jvm.memory.committed", "sum", [["type"]]),
        one("jvm_memory_committed_bytes", "sum", [["area"]]),
      ],
    },
    {
      title: "Time in garbage collection, p95",
      variants: [
        one("jvm.gc.duration", "p95", [["jvm.gc.name"]]),
        one("process.runtime.jvm.gc.duration", "p95", [["gc"]]),
      ],
    },
    {
      title: "Time in garbage collection, average",
      variants: [
        one("jvm.gc.pause", "avg", [["cause"]]),
        meanOf("jvm_gc_pause_seconds_sum", "jvm_gc_pause_seconds_count", "s", [["cause"]]),
      ],
    },
    {
      title: "Garbage collections",
      view: "bars",
      variants: [
        one("jvm.gc.duration", "rate", [["jvm.gc.name"]]),
        one("process.runtime.jvm.gc.duration", "rate", [["gc"]]),
        one("jvm.gc.pause", "rate", [["cause"]]),
        one("jvm_gc_pause_seconds_count", "rate", [["cause"]]),
      ],
    },
    {
      title: "Threads",
      view: "area",
      variants: [
        one("jvm.thread.count", "sum", [["jvm.thread.state"]]),
        one("process.runtime.jvm.threads.count", "sum", [["service"]]),
        one("jvm.threads.states", "sum", [["state"]]),
        one("jvm_threads_live_threads", "sum"),
      ],
    },
    {
      title: "CPU used",
      variants: [
        percentOf("jvm.cpu.recent_utilization", "avg", [["service"]]),
        percentOf("process.runtime.jvm.cpu.utilization", "avg", [["service"]]),
        percentOf("process.cpu.usage", "avg"),
        percentOf("process_cpu_usage", "avg"),
      ],
    },
    {
      title: "Classes loaded",
      variants: [
        one("jvm.class.count", "sum", [["service"]]),
        one("process.runtime.jvm.classes.current_loaded", "sum", [["service"]]),
        one("jvm.classes.loaded", "sum"),
        one("jvm_classes_loaded_classes", "sum"),
      ],
    },
  ],
};

/** OpenTelemetry's runtime metrics of Go, of today and of before, else those of Prometheus' client. */
export const GO: ReadyDashboard = {
  id: "go",
  name: "Go runtime",
  description: "Goroutines, memory and garbage collection of Go.",
  variable: ["service.instance.id", "instance", "host.name"],
  panels: [
    {
      title: "Goroutines",
      variants: [
        one("go.goroutine.count", "sum", [["service"]]),
        one("process.runtime.go.goroutines", "sum", [["service"]]),
        one("go_goroutines", "sum", [["job", "service"]]),
      ],
    },
    {
      title: "Memory used",
      view: "area",
      variants: [
        one("go.memory.used", "sum", [["go.memory.type"]]),
        one("process.runtime.go.mem.heap_alloc", "sum", [["service"]]),
        one("go_memstats_heap_alloc_bytes", "sum", [["job", "service"]]),
      ],
    },
    {
      title: "Memory allocated",
      variants: [
        one("go.memory.allocated", "rate", [["service"]]),
        one("go_memstats_alloc_bytes_total", "rate", [["job", "service"]]),
      ],
    },
    {
      title: "Heap objects allocated",
      variants: [
        one("go.memory.allocations", "rate", [["service"]]),
        one("process.runtime.go.mem.heap_objects", "sum", [["service"]]),
        one("go_memstats_mallocs_total", "rate", [["job", "service"]]),
      ],
    },
    {
      title: "Goal of the garbage collector",
      variants: [
        one("go.memory.gc.goal", "max", [["service"]]),
        one("go_memstats_next_gc_bytes", "max", [["job", "service"]]),
      ],
    },
    {
      title: "Pause of the garbage collector",
      variants: [
        one("process.runtime.go.gc.pause_ns", "p95", [["service"]]),
        meanOf("go_gc_duration_seconds_sum", "go_gc_duration_seconds_count", "s", [["job"]]),
      ],
    },
    {
      title: "Wait of goroutines to run, p95",
      variants: [one("go.schedule.duration", "p95", [["service"]])],
    },
    {
      title: "Threads that run goroutines",
      variants: [
        one("go.processor.limit", "sum", [["service"]]),
        one("go_threads", "sum", [["job", "service"]]),
      ],
    },
  ],
};

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
