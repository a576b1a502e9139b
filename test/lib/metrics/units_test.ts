import assert from "node:assert/strict";
import { formatMetric, unitName } from "@/lib/metrics/units.ts";

Deno.test("durations and sizes of any unit are written as the rest of the pages write them", () => {
  assert.equal(formatMetric(0.0124, "s"), "12.4 ms");
  assert.equal(formatMetric(1.32, "s"), "1.32 s");
  assert.equal(formatMetric(830, "us"), "830 µs");
  assert.equal(formatMetric(125, "seconds"), "2 m 05 s");
  assert.equal(formatMetric(1536, "By"), "1.5 KiB");
  assert.equal(formatMetric(2, "GiBy"), "2 GiB");
  assert.equal(formatMetric(12.5, "%"), "12.5%");
});

Deno.test("rates say what they are per second of", () => {
  assert.equal(formatMetric(1024, "By/s"), "1 KiB/s");
  assert.equal(formatMetric(0.25, "By/s"), "0.25 B/s");
  assert.equal(formatMetric(12_345, "{request}/s"), "12.3k requests/s");
  assert.equal(formatMetric(0.5, "1/s"), "0.5/s");
  assert.equal(formatMetric(0.85, "s/s"), "0.85 s/s");
});

Deno.test("other units stand behind the number, and plain numbers have none", () => {
  assert.equal(formatMetric(21.54, "Cel"), "21.54 °C");
  assert.equal(formatMetric(1234, "{thread}"), "1,234 threads");
  assert.equal(formatMetric(3, "{query}"), "3 queries");
  assert.equal(formatMetric(0.00042, "1"), "0.00042");
  assert.equal(formatMetric(0.1 + 0.2, ""), "0.3");
  assert.equal(formatMetric(0, "{thread}"), "0 threads");
  assert.equal(formatMetric(5, "constructor"), "5 constructor", "no property of objects");
});

Deno.test("nothing is a dash", () => {
  assert.equal(formatMetric(null, "s"), "–");
  assert.equal(formatMetric(undefined, ""), "–");
  assert.equal(formatMetric(NaN, "By"), "–");
});

Deno.test("axes and lists name the unit", () => {
  assert.equal(unitName("{request}"), "requests");
  assert.equal(unitName("1"), "");
  assert.equal(unitName("By"), "bytes");
});

Deno.test("what happens seldom is told by the minute or the hour", () => {
  assert.equal(formatMetric(0.05, "{order}/s"), "3 orders/min");
  assert.equal(formatMetric(0.0001, "{order}/s"), "0.36 orders/h");
  assert.equal(formatMetric(-0.05, "1/s"), "-3/min");
  assert.equal(formatMetric(0, "{order}/s"), "0 orders/s");
  assert.equal(formatMetric(0.5, "{order}/s"), "0.5 orders/s");
});
