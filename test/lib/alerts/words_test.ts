import assert from "node:assert/strict";
import type { MetricQuery } from "@/lib/metrics/query_types.ts";
import {
  conditionWords,
  formatAlertValue,
  minuteWords,
  scheduleWords,
  sourceWords,
  unitOfJudged,
  valueKindOf,
} from "@/lib/alerts/words.ts";
import { rangeFor, rangesFor } from "@/lib/alerts/pages/preview.tsx";
import { filterOf, NOT_JUDGED } from "@/lib/alerts/states.ts";
import { alertInput } from "../../support/alert_input.ts";

const QUERY: MetricQuery = {
  id: "a",
  metric: "http.requests",
  kind: "counter",
  unit: "{request}",
  aggregation: "rate",
  filter: [],
  groupBy: ["route"],
  top: 10,
};

Deno.test("what an alert watches is told in words", () => {
  const metric = { kind: "metric", queries: [QUERY], formulas: [], judged: "a" } as const;
  assert.equal(sourceWords(metric), "rate of http.requests by route");
  const formulas = [{ id: "f1", expression: "a * 60", unit: "" }];
  assert.equal(
    sourceWords({ ...metric, formulas, judged: "f1" }),
    "a * 60, a = rate of http.requests by route",
  );
  assert.equal(
    sourceWords({ kind: "errors", measure: "users", search: "level:fatal" }),
    "Users with errors matching level:fatal",
  );
  assert.equal(
    sourceWords({ kind: "transactions", measure: "apdex", transaction: null }),
    "Apdex of all transactions",
  );
});

Deno.test("a condition tells its level with the unit, its window, and for how long", () => {
  const source = { kind: "transactions", measure: "failure_rate", transaction: null } as const;
  const condition = { comparison: ">=", critical: 0.05, warning: null, recovery: null } as const;
  const words = conditionWords(
    alertInput({ source, condition, windowMinutes: 60, forMinutes: 10 }),
  );
  assert.equal(words, "at or above 5.0% over 1 h, for 10 min");
});

Deno.test("values of metric alerts have the unit of what is judged", () => {
  const source = (query: Partial<MetricQuery>) =>
    ({ kind: "metric", queries: [{ ...QUERY, ...query }], formulas: [], judged: "a" }) as const;
  assert.equal(unitOfJudged(source({})), "{request}/s");
  assert.equal(unitOfJudged(source({ aggregation: "increase" })), "{request}");
  assert.equal(unitOfJudged(source({ aggregation: "count" })), "");
  assert.equal(unitOfJudged(source({ kind: "histogram", unit: "s", aggregation: "p95" })), "s");
  assert.equal(unitOfJudged(source({ kind: "histogram", unit: "s", aggregation: "rate" })), "/s");
  const kind = valueKindOf(source({ kind: "gauge", unit: "s", aggregation: "avg" }));
  assert.equal(formatAlertValue(0.25, kind), "250 ms");
  assert.equal(formatAlertValue(null, kind), "–");
});

Deno.test("schedules are told with runs of days", () => {
  const schedule = { fromMinute: 540, toMinute: 1_020, timeZone: "UTC" };
  assert.equal(scheduleWords({ ...schedule, days: [1, 2, 3, 4, 5] }), "Mon–Fri 09:00–17:00, UTC");
  assert.equal(scheduleWords({ ...schedule, days: [0, 6] }), "Sat, Sun 09:00–17:00, UTC");
  const always = { days: [0, 1, 2, 3, 4, 5, 6], fromMinute: 0, toMinute: 1_440, timeZone: "UTC" };
  assert.equal(scheduleWords(always), "every day all day, UTC");
  assert.deepEqual([0, 90, 120, 1_440].map(minuteWords), ["0 min", "90 min", "2 h", "1 d"]);
});

Deno.test("a chart is offered only times with enough windows, and not too many", () => {
  assert.deepEqual(rangesFor(1), ["1h", "24h"]);
  assert.deepEqual(rangesFor(10), ["1h", "24h", "7d"]);
  assert.deepEqual(rangesFor(60), ["24h", "7d", "30d"]);
  assert.deepEqual(rangesFor(1_440), ["7d", "30d"]);
  for (const minutes of [1, 5, 60, 61, 360, 1_440]) {
    assert.ok(rangesFor(minutes).includes(rangeFor(minutes)), String(minutes));
  }
});

Deno.test("each alert stands in one part of the list", () => {
  const now = new Date("2026-11-22T12:00:00Z");
  assert.equal(filterOf({ isEnabled: true, mutedUntil: null }, NOT_JUDGED, now), "ok");
  const later = new Date(now.getTime() + 1);
  assert.equal(filterOf({ isEnabled: true, mutedUntil: later }, NOT_JUDGED, now), "muted");
  assert.equal(filterOf({ isEnabled: true, mutedUntil: now }, NOT_JUDGED, now), "ok");
  assert.equal(filterOf({ isEnabled: false, mutedUntil: later }, NOT_JUDGED, now), "off");
});
