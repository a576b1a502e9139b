import assert from "node:assert/strict";
import { type ChartProps, TimeChart } from "@/lib/ui/charts/mod.ts";
import { valueRange } from "@/lib/ui/charts/axis.ts";
import { rendered } from "@/test/support/rendered.ts";

const MINUTE_MS = 60_000;
const CHART: ChartProps = {
  id: "marks",
  title: "Errors",
  unit: "count",
  times: [0, 1, 2, 3].map((minute) => minute * MINUTE_MS),
  bucketMs: MINUTE_MS,
  series: [{ label: "errors", values: [1, 2, 30, 4] }],
  levels: [
    { value: 20, label: "critical > 20", tone: "danger" },
    { value: 10, label: "warning > 10", tone: "warning" },
  ],
  bands: [
    { from: -5 * MINUTE_MS, to: MINUTE_MS, label: "critical", tone: "danger" },
    { from: 2 * MINUTE_MS, to: 3 * MINUTE_MS, label: "critical", tone: "danger" },
    { from: 9 * MINUTE_MS, to: 10 * MINUTE_MS, label: "no data", tone: "muted" },
  ],
};

Deno.test("levels are lines with their labels, in the picture and in its words", async () => {
  const html = await rendered(<TimeChart {...CHART} />);
  assert.equal(html.match(/<text[^>]*fill-danger[^>]*>critical > 20</g)?.length, 1);
  assert.match(html, /stroke-warning/);
  assert.match(html, /aria-label="[^"]*critical > 20; warning > 10"/);
});

Deno.test("a level above all values is within the plot", () => {
  const levels = [{ value: 500, label: "critical > 500", tone: "danger" }] as const;
  assert.ok(valueRange({ ...CHART, levels }).high > 500);
  const below = [{ value: -5, label: "critical < -5", tone: "danger" }] as const;
  assert.ok(valueRange({ ...CHART, levels: below }).low <= -5);
});

Deno.test("shaded times are cut to the chart, named once in the legend, and listed below the table", async () => {
  const html = await rendered(<TimeChart {...CHART} />);
  const text = html.replace(/<[^>]*>/g, "\n");
  assert.equal(text.match(/^critical$/gm)?.length, 1);
  assert.match(text, /1970-01-01 00:00:00 UTC – 1970-01-01 00:01:00 UTC: critical/);
  assert.match(text, /1970-01-01 00:02:00 UTC – 1970-01-01 00:03:00 UTC: critical/);
  assert.doesNotMatch(text, /no data/i);
});
