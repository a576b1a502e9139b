import { meanOf, one, type ReadyDashboard } from "./ready_types.ts";

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
