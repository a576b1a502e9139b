import assert from "node:assert/strict";
import { packChart, unpackChart } from "@/lib/ui/charts/packed_chart.ts";
import { valueRange } from "@/lib/ui/charts/axis.ts";
import { gzipSize, rendered } from "@/test/support/rendered.ts";
import { type ChartProps, Histogram, RatingBar, ShareBar, TimeChart } from "@/lib/ui/charts/mod.ts";

const START = Date.UTC(2026, 10, 21, 8);
const CHART: ChartProps = {
  id: "latency",
  title: "Latency",
  unit: "duration",
  times: [START, START + 300_000, START + 600_000],
  bucketMs: 300_000,
  series: [
    { label: "p50", values: [12.4, null, 20] },
    { label: "before", values: [10, 11, 12], color: "muted", isDashed: true },
  ],
  markers: [{ at: START + 400_000, label: "release web@1.4.0" }],
  threshold: { value: 40, label: "alert at 40 ms" },
};

function chart(changes: Partial<ChartProps> = {}): Promise<string> {
  return rendered(<TimeChart {...CHART} {...changes} />);
}

Deno.test("a chart has a title, its unit, and a legend with last values and averages", async () => {
  const html = await chart({ note: "Of sampled transactions." });
  assert.match(html, /id="latency-title"[^>]*>Latency</);
  assert.match(html, /duration · 5 minutes a point/);
  assert.match(html, /Of sampled transactions\./);
  assert.match(html, />p50<.*>last<.*data-chart-value="0"[^>]*>20 ms<.*>avg 16\.2 ms</s);
});

Deno.test("a chart says in words what its picture shows", async () => {
  assert.match(
    await chart(),
    /"Latency: p50 last 20 ms, average 16\.2 ms; before last 12 ms, average 11 ms; alert at 40 ms"/,
  );
});

Deno.test("what is no mean of the buckets is told for the whole time", async () => {
  const html = await chart({
    series: [{ label: "p95", values: [10, null, 30], whole: 28 }],
    goal: { value: 15, label: "good up to 15 ms" },
  });
  assert.match(html, />p95<.*>last<.*title="Over the whole time"[^>]*>all 28 ms</s);
  assert.match(html, /"Latency: p95 last 30 ms, over the whole time 28 ms; good up to 15 ms;/);
  assert.match(html, />good up to 15 ms<\/text>/);
});

Deno.test("a chart draws lines, dashes, its threshold and its markers without script", async () => {
  const html = await chart();
  assert.equal(html.match(/<path d="M[^"]+" fill="none"/g)?.length, 2);
  assert.match(html, /stroke-line-strong" stroke-width="1.5"[^>]*stroke-dasharray="5 4"/);
  assert.match(html, /<title>release web@1\.4\.0, 2026-11-21 08:06:40 UTC<\/title>/);
  assert.match(html, />alert at 40 ms</);
  assert.match(html, />20 ms<\/text>/, "a tick");
  assert.match(html, />08:05<\/text>/, "a tick of time");
});

Deno.test("a chart has the same data in a table, gaps as dashes, releases below it", async () => {
  const html = await chart();
  assert.equal(html.match(/<td/g)?.length, 6);
  assert.match(
    html,
    /<th scope="row">2026-11-21 08:05 UTC<\/th><td>–<\/td><td>11 ms<\/td>/,
  );
  assert.match(html, /<li>2026-11-21 08:06:40 UTC: release web@1\.4\.0<\/li>/);
});

function dotsOf(values: readonly number[]) {
  return values.map((value, place) => ({
    at: START + place,
    value,
    href: `/traces/${place}`,
    label: "a trace",
  }));
}

Deno.test("an axis reaches up to dots near its series, and is the same in the browser", async () => {
  const dots = dotsOf([70, 35, 0.7]);
  const html = await chart({ dots });
  const heights = [...html.matchAll(/<circle[^>]* cy="([\d.]+)"/g)].map(([, cy]) => Number(cy));
  const [top = 0, middle = 0] = heights;
  assert.equal(heights.length, 3);
  assert.ok(top > 0 && middle > 5 * top, `heights ${heights}: none is pinned to the edge`);
  const sent = { ...CHART, dots };
  assert.deepEqual(valueRange(unpackChart(packChart(sent))), valueRange(sent));
});

Deno.test("dots far beyond the series do not flatten them: arrows at the edge say that there are some", async () => {
  const dots = dotsOf([13_000, -5_000, 70, 35]);
  const html = await chart({ dots });
  assert.equal(html.match(/<circle/g)?.length, 2);
  assert.equal(html.match(/class="chart-dot"/g)?.length, 4, "each is a link all the same");
  assert.match(html, /<svg[^>]* y="0"[^>]*><path d="M-5 8/);
  const sent = { ...CHART, dots };
  assert.equal(valueRange(sent).high, 70 * 1.06);
  assert.deepEqual(valueRange(unpackChart(packChart(sent))), valueRange(sent));
  const alone = { ...sent, series: [], dots: dotsOf([13_000]) };
  const { threshold: _, ...free } = alone;
  assert.ok(valueRange(free).high > 13_000, "where nothing else is drawn they are the axis");
});

Deno.test("a chart without a value says so in its plot and needs neither table nor script", async () => {
  for (const changes of [{ series: [{ label: "p50", values: [null] }] }, { times: [] }]) {
    const html = await chart(changes);
    assert.match(html, /No data in this time/);
    assert.doesNotMatch(html, /<table|data-chart-value|NaN/);
  }
});

Deno.test("zeros are drawn as data", async () => {
  const html = await chart({ series: [{ label: "p50", values: [0, 0, 0] }] });
  assert.doesNotMatch(html, /No data|NaN/);
  assert.match(html, />0 ms</);
});

Deno.test("charts get by without inline styles, which the page's policy forbids", async () => {
  const bars = (
    <Histogram
      id="histogram"
      title="D"
      buckets={BUCKETS}
      brushHref="/t"
      unit="{n} transaction|{n} transactions"
    />
  );
  for (const html of [await chart(), await rendered(bars)]) assert.doesNotMatch(html, / style=/);
});

Deno.test("ten charts of three series and a hundred points fit a page's budget", async () => {
  const times = Array.from({ length: 100 }, (_, index) => START + index * 300_000);
  const wild = (seed: number) => times.map((_, i) => 50 + 40 * Math.sin(i * i * 7.3 + seed));
  const charts = Array.from({ length: 10 }, (_, position): ChartProps => ({
    ...CHART,
    id: `c${position}`,
    times,
    series: [1, 2, 3].map((n) => ({ label: `p${n}`, values: wild(position + n / 4) })),
  }));
  const html = await rendered(
    <div>{charts.map((one) => <TimeChart key={one.id} {...one} />)}</div>,
  );
  // No build is in use here, which would put the islands' props into the page.
  const size = await gzipSize(html + JSON.stringify(charts.map(packChart)));
  assert.ok(size < 45_000, `${size} bytes`);
});

const BUCKETS = [
  { from: 10, to: 20, count: 5 },
  { from: 20, to: 40, count: 0 },
  { from: 40, to: 80, count: 15 },
];

Deno.test("every bar of a histogram that is not empty leads to its range", async () => {
  const html = await rendered(
    <Histogram
      id="histogram"
      title="Durations"
      buckets={BUCKETS}
      brushHref="/t?name=a"
      unit="{n} transaction|{n} transactions"
    />,
  );
  assert.match(html, />20 transactions</);
  assert.equal(html.match(/href="\/t\?name=a&amp;min=40&amp;max=80"/g)?.length, 2, "bar and table");
  assert.doesNotMatch(html, /min=20/);
  assert.match(html, /<title>40 ms to 80 ms: 15 transactions<\/title>/);
  assert.match(html, /<td>15<\/td><td>75\.0%<\/td>/);
});

Deno.test("a histogram tells the chosen range by colour and word, and the way back", async () => {
  const html = await rendered(
    <Histogram
      id="histogram"
      title="Durations"
      buckets={BUCKETS}
      brushHref="/t?name=a"
      unit="{n} transaction|{n} transactions"
      selection={{ min: 40, max: 80 }}
    />,
  );
  assert.match(html, /chosen 40 ms to 80 ms/);
  assert.match(html, /href="\/t\?name=a"[^>]*>Show all</);
  assert.equal(html.match(/<rect[^>]*class="fill-series-1"/g)?.length, 1);
});

Deno.test("a histogram without a count says so", async () => {
  for (const buckets of [[], [{ from: 1, to: 2, count: 0 }]]) {
    const html = await rendered(
      <Histogram
        id="histogram"
        title="Durations"
        buckets={buckets}
        brushHref="/t"
        unit="{n} transaction|{n} transactions"
      />,
    );
    assert.match(html, /No data in this time/);
    assert.doesNotMatch(html, /<table|NaN/);
  }
});

Deno.test("a share bar has every share with value and percentage", async () => {
  const html = await rendered(
    <ShareBar title="Time" shares={[{ label: "db", value: 750 }, { label: "http", value: 250 }]} />,
  );
  assert.match(html, />1 s in all</);
  assert.match(html, /<rect x="75%" width="25%"/);
  assert.match(html, />db<.*>750 ms<.*>75\.0%</s);
  assert.match(await rendered(<ShareBar title="Time" shares={[]} />), /No data in this time/);
});

Deno.test("ratings are told in words, and a dash stands for none", async () => {
  const html = await rendered(
    <RatingBar
      label="LCP"
      unit="{n} page load|{n} page loads"
      good={6}
      needsImprovement={3}
      poor={1}
    />,
  );
  assert.match(html, /aria-label="LCP: 10 page loads"/);
  assert.match(html, /Good<.*60\.0%.*Needs improvement<.*30\.0%.*Poor<.*10\.0%/s);
  const none = await rendered(
    <RatingBar
      label="LCP"
      unit="{n} page load|{n} page loads"
      good={0}
      needsImprovement={0}
      poor={0}
    />,
  );
  assert.equal(none.match(/>–</g)?.length, 3);
});
