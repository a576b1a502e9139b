import { message } from "../../core/language/translate.ts";
import { beside, meanOf, one, panel, percentOf, type ReadyDashboard } from "./ready_types.ts";

/** OpenTelemetry's runtime metrics of the JVM, of today and of before, else Micrometer's by OTLP or Prometheus. */
export const JVM: ReadyDashboard = {
  id: "jvm",
  name: "JVM runtime",
  description: message("Memory, garbage collection, threads and CPU of the Java virtual machine."),
  variable: ["service.instance.id", "instance", "host.name"],
  panels: [
    panel("Memory used", [
      one("jvm.memory.used", "sum", [["jvm.memory.type", "area"]]),
      one("process.runtime.jvm.memory.usage", "sum", [["type"]]),
      one("jvm_memory_used_bytes", "sum", [["area"]]),
    ], { view: "area" }),
    panel("Memory used by pool", [
      one("jvm.memory.used", "sum", [["jvm.memory.pool.name", "id"]]),
      one("process.runtime.jvm.memory.usage", "sum", [["pool"]]),
      one("jvm_memory_used_bytes", "sum", [["id"]]),
    ]),
    panel("Memory used after the last collection", [
      one("jvm.memory.used_after_last_gc", "sum", [["jvm.memory.pool.name"]]),
      one("process.runtime.jvm.memory.usage_after_last_gc", "sum", [["pool"]]),
    ]),
    panel("Memory committed", [
      one("jvm.memory.committed", "sum", [["jvm.memory.type", "area"]]),
      one("process.runtime.jvm.memory.committed", "sum", [["type"]]),
      one("jvm_memory_committed_bytes", "sum", [["area"]]),
    ]),
    panel("Time in garbage collection, p95", [
      one("jvm.gc.duration", "p95", [["jvm.gc.name"]]),
      one("process.runtime.jvm.gc.duration", "p95", [["gc"]]),
    ]),
    panel("Time in garbage collection, average", [
      one("jvm.gc.pause", "avg", [["cause"]]),
      meanOf("jvm_gc_pause_seconds_sum", "jvm_gc_pause_seconds_count", "s", [["cause"]]),
    ]),
    panel("Garbage collections", [
      one("jvm.gc.duration", "rate", [["jvm.gc.name"]]),
      one("process.runtime.jvm.gc.duration", "rate", [["gc"]]),
      one("jvm.gc.pause", "rate", [["cause"]]),
      one("jvm_gc_pause_seconds_count", "rate", [["cause"]]),
    ], { view: "bars" }),
    panel("Threads", [
      one("jvm.thread.count", "sum", [["jvm.thread.state"]]),
      one("process.runtime.jvm.threads.count", "sum", [["service"]]),
      one("jvm.threads.states", "sum", [["state"]]),
      one("jvm_threads_live_threads", "sum"),
    ], { view: "area" }),
    panel("CPU used", [
      percentOf("jvm.cpu.recent_utilization", "avg", [["service"]]),
      percentOf("process.runtime.jvm.cpu.utilization", "avg", [["service"]]),
      percentOf("process.cpu.usage", "avg"),
      percentOf("process_cpu_usage", "avg"),
    ]),
    panel("Classes loaded", [
      one("jvm.class.count", "sum", [["service"]]),
      one("process.runtime.jvm.classes.current_loaded", "sum", [["service"]]),
      one("jvm.classes.loaded", "sum"),
      one("jvm_classes_loaded_classes", "sum"),
    ]),
  ],
};

/** OpenTelemetry's runtime metrics of Go, of today and of before, else those of Prometheus' client. */
export const GO: ReadyDashboard = {
  id: "go",
  name: "Go runtime",
  description: message("Goroutines, memory and garbage collection of Go."),
  variable: ["service.instance.id", "instance", "host.name"],
  panels: [
    panel("Goroutines", [
      one("go.goroutine.count", "sum", [["service"]]),
      one("process.runtime.go.goroutines", "sum", [["service"]]),
      one("go_goroutines", "sum", [["job", "service"]]),
    ]),
    panel("Memory used", [
      one("go.memory.used", "sum", [["go.memory.type"]]),
      one("process.runtime.go.mem.heap_alloc", "sum", [["service"]]),
      one("go_memstats_heap_alloc_bytes", "sum", [["job", "service"]]),
    ], { view: "area" }),
    panel("Memory allocated", [
      one("go.memory.allocated", "rate", [["service"]]),
      one("go_memstats_alloc_bytes_total", "rate", [["job", "service"]]),
    ]),
    panel("Heap objects allocated", [
      one("go.memory.allocations", "rate", [["service"]]),
      one("process.runtime.go.mem.heap_objects", "sum", [["service"]]),
      one("go_memstats_mallocs_total", "rate", [["job", "service"]]),
    ]),
    panel("Goal of the garbage collector", [
      one("go.memory.gc.goal", "max", [["service"]]),
      one("go_memstats_next_gc_bytes", "max", [["job", "service"]]),
    ]),
    panel("Pause of the garbage collector", [
      one("process.runtime.go.gc.pause_ns", "p95", [["service"]]),
      meanOf("go_gc_duration_seconds_sum", "go_gc_duration_seconds_count", "s", [["job"]]),
    ]),
    panel("Wait of goroutines to run, p95", [one("go.schedule.duration", "p95", [["service"]])]),
    panel("Threads that run goroutines", [
      one("go.processor.limit", "sum", [["service"]]),
      one("go_threads", "sum", [["job", "service"]]),
    ]),
  ],
};

/** OpenTelemetry's runtime metrics of Node.js, else those of `prom-client`. */
export const NODE: ReadyDashboard = {
  id: "node",
  name: "Node.js runtime",
  description: message("Event loop, garbage collection and memory of Node.js."),
  variable: ["service.instance.id", "instance", "host.name"],
  panels: [
    panel("Event loop delay", [
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
    ]),
    panel("Event loop utilization", [
      percentOf("nodejs.eventloop.utilization", "avg", [["service"]]),
      one("nodejs.eventloop.time", "rate", [["nodejs.eventloop.state"]]),
    ]),
    panel("Heap used", [
      one("v8js.memory.heap.used", "sum", [["v8js.heap.space.name"]]),
      beside(["nodejs_heap_size_used_bytes", "sum"], ["nodejs_heap_size_total_bytes", "sum"]),
    ], { view: "area" }),
    panel("Heap limit", [
      one("v8js.memory.heap.limit", "max"),
      one("nodejs_external_memory_bytes", "sum"),
    ]),
    panel("Time in garbage collection, p95", [
      one("v8js.gc.duration", "p95", [["v8js.gc.type"]]),
      meanOf("nodejs_gc_duration_seconds_sum", "nodejs_gc_duration_seconds_count", "s", [[
        "kind",
      ]]),
    ]),
    panel("Garbage collections", [
      one("v8js.gc.duration", "rate", [["v8js.gc.type"]]),
      one("nodejs_gc_duration_seconds_count", "rate", [["kind"]]),
    ], { view: "bars" }),
    panel("CPU of the process", [
      percentOf("process.cpu.utilization", "sum", [["process.cpu.state", "cpu.mode", "state"]]),
      one("process_cpu_seconds_total", "rate"),
    ]),
    panel("Memory of the process", [
      one("process.memory.usage", "sum", [["service"]]),
      one("process_resident_memory_bytes", "sum"),
    ]),
  ],
};
