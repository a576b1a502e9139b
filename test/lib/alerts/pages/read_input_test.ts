import assert from "node:assert/strict";
import type { AlertInput, AlertSource } from "@/lib/alerts/rule.ts";
import type { StoredMetric } from "@/lib/metrics/catalog.ts";
import { paramsOfInput, paramsOfLink } from "@/lib/alerts/pages/form_params.ts";
import { readInput } from "@/lib/alerts/pages/read_form.ts";
import type { QueryForm } from "@/lib/metrics/query_form/load_query_form.ts";
import { readQueries } from "@/lib/metrics/exploration.ts";
import { alertInput } from "@/test/support/alert_input.ts";

/** As `loadQueryForm()` where no metric is known but one. */
function queriesOf(params: URLSearchParams): QueryForm {
  const memory: StoredMetric = {
    metricId: "1",
    name: "memory",
    kind: "gauge",
    unit: "By",
    description: "",
    firstSeen: new Date(),
    seenOn: "2026-11-22",
    usualIntervalMs: 15_000,
  };
  return { ...readQueries(params), known: { memory: [memory] } };
}

function read(fields: Readonly<Record<string, string>> | [string, string][]) {
  const params = paramsOfLink(new URLSearchParams(fields));
  return readInput(params, queriesOf(params));
}

const SOURCES: readonly AlertSource[] = [
  { kind: "errors", measure: "spike", search: "level:fatal !browser:Firefox*" },
  { kind: "transactions", measure: "failure_rate", transaction: "GET /cart" },
  { kind: "transactions", measure: "lcp", transaction: null },
  {
    kind: "metric",
    judged: "f1",
    queries: [
      {
        id: "a",
        metric: "memory",
        kind: "gauge",
        unit: "By",
        aggregation: "avg",
        filter: [{ label: "host", operator: "=~", value: "web-.*" }],
        groupBy: ["host"],
        top: 100,
      },
      {
        id: "b",
        metric: "limit",
        kind: null,
        unit: null,
        aggregation: "max",
        filter: [],
        groupBy: [],
        top: 5,
      },
    ],
    formulas: [{ id: "f1", expression: "a / b * 100", unit: "%" }],
  },
];

Deno.test("an alert comes out of its form as it went in", () => {
  for (const source of SOURCES) {
    const input: AlertInput = alertInput({
      source,
      environments: ["production", "staging"],
      condition: { comparison: "<=", critical: 0.07, warning: 0.1, recovery: 0.2 },
      windowMinutes: 7,
      forMinutes: 3,
      noData: "keep",
      channelIds: ["0c7e1ad0-52f4-4f1c-9d0b-0d9d0e4f0001"],
      schedule: { days: [0, 5, 6], fromMinute: 1_320, toMinute: 360, timeZone: "Europe/Berlin" },
      mutedUntil: new Date("2026-12-24T00:00:00Z"),
      isEnabled: false,
    });
    const params = paramsOfInput(input);
    const result = readInput(params, queriesOf(params), input);
    assert.deepEqual(result.errors, {});
    assert.deepEqual(result.input, input);
  }
});

Deno.test("a whole day ends at midnight", () => {
  const schedule = { days: [1], fromMinute: 0, toMinute: 1_440, timeZone: "UTC" };
  const params = paramsOfInput(alertInput({ schedule }));
  assert.deepEqual(readInput(params, queriesOf(params)).input?.schedule, schedule);
});

Deno.test("an exploration makes a metric alert that looks at all groups, pinned to the metric", () => {
  const { input } = read({
    "a.metric": "memory",
    "a.by": "host",
    "a.agg": "max",
    critical: "1 GiB",
  });
  assert.equal(input?.source.kind, "metric");
  if (input?.source.kind !== "metric") return;
  const [query] = input.source.queries;
  assert.deepEqual([query?.kind, query?.unit, query?.top], ["gauge", "By", 100]);
  assert.equal(input.source.judged, "a");
  assert.equal(input.condition.critical, 1024 ** 3);
});

Deno.test("an alert without a name is called by what it watches", () => {
  const { input } = read({
    source: "transactions",
    transaction: "GET /cart",
    critical: "1.5 s",
  });
  assert.equal(input?.name, "p95 duration of GET /cart > 1.5 s");
  const { input: long } = read({
    source: "transactions",
    transaction: "x".repeat(200),
    critical: "1",
  });
  assert.equal(long?.name.length, 100);
});

Deno.test("issues that are new need no level", () => {
  const { input, errors } = read({ source: "errors", errorMeasure: "new_issue" });
  assert.deepEqual(errors, {});
  assert.equal(input?.condition.critical, 1);
});

Deno.test("everything that is wrong is named at its field, at once", () => {
  const { input, source, errors } = read([
    ["source", "errors"],
    ["search", "level:nope"],
    ["critical", "many"],
    ["warning", "5 apples"],
    ["window", "0"],
    ["for", "abc"],
    ["noData", "explode"],
    ["scheduled", "on"],
    ["day", "9"],
    ["from", "25:00"],
    ["to", "17:00"],
    ["timeZone", "Mars/Olympus"],
    ["channel", "not-a-uuid"],
  ]);
  assert.equal(input, null);
  assert.equal(source, null);
  const fields = "channel critical day for from noData search timeZone warning window";
  assert.deepEqual(Object.keys(errors).sort(), fields.split(" "));
  for (const sentence of Object.values(errors)) assert.match(sentence, /\.$/);
});

Deno.test("levels in the wrong order are named, and what is watched can still be looked at", () => {
  const { errors, source, input } = read({ source: "errors", critical: "5", warning: "10" });
  assert.deepEqual(Object.keys(errors), ["warning"]);
  assert.equal(source?.kind, "errors");
  assert.equal(input, null);
});

Deno.test("a metric alert without a metric, or with a filter that cannot be read, says so", () => {
  assert.ok(read({ source: "metric", critical: "1" }).errors["a.metric"]);
  const { errors } = read({ "a.metric": "memory", "a.filter": "host=", critical: "1" });
  assert.ok(errors["a.filter"]);
  const pattern = read({ "a.metric": "memory", "a.filter": 'host=~"("', critical: "1" });
  assert.ok(pattern.errors["a.filter"]);
});
