import { meanOf, one, percentOf, type ReadyDashboard } from "./ready_types.ts";

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
