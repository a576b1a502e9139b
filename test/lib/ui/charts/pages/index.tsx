import { Histogram, RatingBar, ShareBar, TimeChart } from "@/lib/ui/charts/mod.ts";
import { define } from "@/lib/server/define.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 21, 8);
const SHARED = {
  times: [0, 1, 2, 3].map((count) => START + count * MINUTE),
  bucketMs: MINUTE,
  zoomHref: "/?environment=prod",
  syncKey: "page",
};

/** Every kind of chart once, with two that share their crosshair. */
export default define.page(() => (
  <main>
    <h1>Charts</h1>
    <TimeChart
      {...SHARED}
      id="latency"
      title="Latency"
      unit="duration"
      series={[
        { label: "p50", values: [10, null, 30, 40] },
        { label: "p95", kind: "area", values: [100, 200, 300, 400] },
      ]}
      markers={[{ at: START + 2.5 * MINUTE, label: "release web@2" }]}
      threshold={{ value: 300, label: "alert at 300 ms" }}
    />
    <TimeChart
      {...SHARED}
      id="status"
      title="Status"
      unit="count"
      series={[
        { label: "2xx", kind: "stacked", values: [1, 2, 3, 4] },
        { label: "5xx", kind: "stacked", color: "danger", values: [0, 0, 7, 0] },
      ]}
    />
    <Histogram
      id="histogram"
      title="Durations"
      unit="{n} transaction|{n} transactions"
      brushHref="/?name=a"
      buckets={[1, 10, 100, 1000].map((from) => ({ from, to: from * 10, count: from }))}
    />
    <ShareBar title="Time" shares={[{ label: "db", value: 750 }, { label: "http", value: 250 }]} />
    <RatingBar
      label="LCP"
      unit="{n} page load|{n} page loads"
      good={6}
      needsImprovement={3}
      poor={1}
    />
  </main>
));
