import assert from "node:assert/strict";
import { checkContent } from "@/lib/dashboards/document.ts";
import {
  makeReady,
  offered,
  READY_DASHBOARDS,
  wantedMetrics,
} from "@/lib/dashboards/ready/make_ready.ts";
import { HOST, HTTP_SERVER } from "@/lib/dashboards/ready/servers.ts";
import { JVM } from "@/lib/dashboards/ready/runtimes.ts";
import type { ReadyDashboard } from "@/lib/dashboards/ready/ready_types.ts";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { aggregationsOf } from "@/lib/metrics/query_types.ts";
import type { MetricKind } from "@/lib/records/mod.ts";
import { decodeWith, recordsOf } from "../formats/otlp/decode_request.ts";

function known(metrics: Record<string, MetricKind>): Map<string, MetricKind[]> {
  return new Map(Object.entries(metrics).map(([name, kind]) => [name, [kind]]));
}

Deno.test("a dashboard is offered once enough of its metrics have arrived", () => {
  assert.deepEqual(offered(known({})), []);
  assert.deepEqual(offered(known({ "system.cpu.time": "counter" })).map((each) => each.panels), [
    2,
  ]);
  const names = offered(known({
    "http.server.request.duration": "histogram",
    "nodejs.eventloop.utilization": "gauge",
    "v8js.gc.duration": "histogram",
    "go_goroutines": "gauge",
  })).map(({ dashboard }) => dashboard.id);
  assert.deepEqual(names, ["http-server", "node"]);
});

Deno.test("a runtime's dashboard is not offered for what any process reports", () => {
  const ids = (metrics: Record<string, MetricKind>) =>
    offered(known(metrics)).map(({ dashboard }) => dashboard.id);
  assert.deepEqual(
    ids({ "process.cpu.utilization": "gauge", "process.memory.usage": "gauge" }),
    [],
  );
  const python = {
    "process_cpu_seconds_total": "counter",
    "process_resident_memory_bytes": "gauge",
    "python_gc_collections_total": "counter",
  } as const;
  assert.deepEqual(ids(python), []);
  assert.deepEqual(ids({ ...python, "nodejs_eventloop_lag_seconds": "gauge" }), ["node"]);
});

Deno.test("panels ask for the names and labels that are there", () => {
  const content = makeReady(
    HTTP_SERVER,
    known({ "http.server.duration": "histogram" }),
    new Map([["http.server.duration", ["http.method", "http.status_code", "http.target"]]]),
  );
  const titles = content.panels.map(({ title }) => title);
  assert.ok(!titles.includes("In progress") && titles.includes("Duration by route, p95"));
  const byRoute = content.panels.find(({ title }) => title === "Failed with 5xx by route");
  assert.ok(byRoute?.kind === "metrics");
  assert.deepEqual(byRoute.queries[0]?.filter, [
    { label: "http.status_code", operator: "=~", value: "5.." },
    { label: "http.target", operator: "=", value: "$http.target" },
  ]);
  assert.deepEqual(byRoute.queries[0]?.groupBy, ["http.target"]);
  assert.deepEqual(content.variables, [{ label: "http.target", value: "" }]);
});

Deno.test("what Spring's Micrometer sends by OTLP fills the dashboards of HTTP servers and the JVM", () => {
  const body = Deno.readFileSync("test/fixtures/otlp/micrometer-1.14.2/metrics.binpb");
  const batch = decodeWith(otlpMetrics, body, {
    contentType: "application/x-protobuf",
    receivedAt: new Date("2026-11-22T22:00:00Z"),
  });
  const [kinds, labels] = [new Map<string, MetricKind[]>(), new Map<string, string[]>()];
  for (const { series } of recordsOf(batch, "metrics")) {
    for (const { metric: { name, kind }, labels: own } of series) {
      kinds.set(name, [kind]);
      labels.set(name, own.map(([key]) => key));
    }
  }
  const groupsOf = (dashboard: ReadyDashboard) =>
    makeReady(dashboard, kinds, labels).panels.map((panel) =>
      panel.kind === "metrics" ? [panel.title, panel.queries[0]?.groupBy.join()] : []
    );
  assert.deepEqual(groupsOf(HTTP_SERVER), [
    ["Requests", ""],
    ["Duration, average", ""],
    ["Failed with 5xx", ""],
    ["Requests by route", "uri"],
    ["Duration by route, average", "uri"],
    ["Responses by status", "status"],
    ["Failed with 5xx by route", "uri"],
  ]);
  assert.deepEqual(groupsOf(JVM), [
    ["Memory used", "area"],
    ["Memory used by pool", "id"],
    ["Memory committed", "area"],
    ["Time in garbage collection, average", "cause"],
    ["Garbage collections", "cause"],
    ["Threads", "state"],
    ["CPU used", ""],
    ["Classes loaded", ""],
  ]);
});

Deno.test("a metric of another kind than expected is passed over", () => {
  const content = makeReady(HOST, known({ "system.cpu.time": "gauge" }), new Map());
  assert.deepEqual(content.panels, []);
});

Deno.test("every variant of every ready-made dashboard makes a dashboard that can be kept", () => {
  for (const dashboard of READY_DASHBOARDS) {
    const aggregations = new Map<string, string[]>();
    for (const { queries } of dashboard.panels.flatMap(({ variants }) => variants)) {
      for (const { metric, aggregation } of queries) {
        aggregations.set(metric, [...aggregations.get(metric) ?? [], aggregation]);
      }
    }
    // A kind that has all that is asked of the metric: else two panels contradict each other.
    const kinds = new Map([...aggregations].map(([metric, asked]) => {
      const fitting = (["counter", "gauge", "histogram"] as const).filter((kind) =>
        asked.every((one) => aggregationsOf({ name: metric, kind }).some((each) => each === one))
      );
      assert.ok(fitting.length > 0, `${metric}: ${asked}`);
      return [metric, fitting];
    }));
    assert.deepEqual([...kinds.keys()].sort(), wantedMetrics([dashboard]).sort());
    for (const [index, { variants }] of dashboard.panels.entries()) {
      for (const variant of variants) {
        const panel = {
          ...dashboard.panels[index],
          title: "One profile." as const,
          variants: [variant],
        };
        const content = makeReady({ ...dashboard, panels: [panel] }, kinds, new Map());
        assert.equal(checkContent(content).panels.length, 1);
      }
    }
    const whole = makeReady(dashboard, kinds, new Map());
    assert.deepEqual(checkContent(whole), whole);
    assert.equal(whole.panels.length, dashboard.panels.length);
  }
});
