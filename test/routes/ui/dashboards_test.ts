import assert from "node:assert/strict";
import { type MetricSeries } from "@/lib/records/mod.ts";
import { listDashboards } from "@/lib/dashboards/dashboards.ts";
import {
  contentOf,
  EVERYTHING,
  metricsPanel,
  place,
  query,
  textPanel,
} from "../../lib/dashboards/panels.ts";
import { dashboardSite, orders } from "../../support/dashboard_site.ts";
import { counterSeries, explicitBuckets, histogramSeries } from "../../support/metric_series.ts";
import { transactionRecord } from "../../support/records.ts";
import { textOf } from "../../support/ui_app.ts";

const MINUTE_MS = 60_000;

function durations(): MetricSeries {
  const labels = { "http.route": "/cart", "http.response.status_code": "200" };
  return histogramSeries("http.server.request.duration", labels, [
    [Date.now() - 2 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [10, 80, 9, 1])],
  ]);
}

Deno.test("a project without dashboards and metrics is told what would be here", async () => {
  await using app = await dashboardSite();
  assert.match(
    await app.text(""),
    /No dashboards of your own yet.*Ready-made ones appear here when metrics of HTTP servers/,
  );
  const viewer = await app.member("viewer");
  const { html } = await viewer.visitor.get(app.base);
  assert.match(textOf(html), /Members of the organization can make them/);
  assert.doesNotMatch(html, /New dashboard/);
});

Deno.test("a dashboard is made, gets a panel, and is listed with who made it", async () => {
  await using app = await dashboardSite(orders());
  const made = await app.owner.post(`${app.base}/new`, { from: "nothing", name: " Sales " });
  assert.equal(made.status, 303);
  const path = made.location?.split("?")[0] ?? "";
  const form = await app.owner.get(`${path}/panels/new?kind=metrics&a.metric=shop.orders`);
  assert.match(textOf(form.html), /As it would look/);
  const saved = await app.owner.post(`${path}/panels/new?range=1h`, {
    version: "1",
    kind: "metrics",
    title: "Orders",
    "a.metric": "shop.orders",
    "a.agg": "increase",
    "a.by": "way",
    view: "table",
    w: "4",
    h: "5",
    save: "1",
  });
  assert.equal(saved.location, `${path}?range=1h&edit=1#panel-p1`);
  const page = await app.owner.get(`${path}?range=1h`);
  assert.match(textOf(page.html), /Sales.*Orders.*Series Last Min Avg Max card 60 requests/);
  assert.match(await app.text(""), /Sales 1 \S+ .*Olga Owner/);
});

Deno.test("panels of every kind stand on the page, and each leads to its source", async () => {
  await using app = await dashboardSite(orders());
  await app.store({ group: "fire", level: "fatal" });
  await app.services.writer.commit(app.projectId, {
    records: [transactionRecord({ name: "POST /checkout", durationMs: 100 })],
    outcomes: [],
  });
  const id = await app.make(contentOf([
    ...EVERYTHING.panels.slice(1),
    metricsPanel({
      id: "p9",
      title: "Orders",
      queries: [
        query({
          metric: "shop.orders",
          kind: "counter",
          unit: null,
          aggregation: "rate",
          filter: [],
          groupBy: [],
        }),
      ],
      formulas: [],
      hidden: [],
      view: "value",
    }),
  ]));
  const { status, html } = await app.owner.get(`${app.base}/${id}?range=1h`);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(text, /Errors: level:fatal.*errorstotal1/);
  assert.match(text, /Checkout.*score.*Apdexlast1/);
  assert.match(text, /Who to call Runbook/);
  assert.match(text, /Orders .* requests\/s avg/);
  assert.match(html, /href="\/projects\/\d+\/issues\?range=1h&amp;query=level%3Afatal"/);
  assert.match(html, /transactions\/summary\?range=1h&amp;name=POST\+%2Fcheckout/);
  assert.match(html, /metrics\/explore\?range=1h&amp;a\.metric=shop\.orders/);
});

Deno.test("a panel that fails says why in its place, and the others are there", async () => {
  await using app = await dashboardSite(orders());
  const broken = query({
    metric: "shop.orders",
    kind: "counter",
    unit: null,
    aggregation: "rate",
    filter: [{ label: "way", operator: "=~", value: "(" }],
  });
  const id = await app.make(contentOf([
    metricsPanel({ queries: [broken], formulas: [], hidden: [] }),
    textPanel("p2", place(0, 9, 12, 2), "Still here"),
  ]));
  const { status, html } = await app.owner.get(`${app.base}/${id}?range=1h`);
  assert.equal(status, 200);
  assert.match(textOf(html), /Slow routes.*\(.*Still here/);
  assert.match(html, /bg-warning-soft/);
});

Deno.test("variables offer real values, and what is chosen narrows the panels", async () => {
  const now = Date.now();
  const of = (route: string, value: number) =>
    counterSeries("hits", { route }, [[now - 2 * MINUTE_MS, 0], [now - MINUTE_MS, value]]);
  await using app = await dashboardSite(of("/cart", 6), of("/pay", 12));
  const hits = query({
    metric: "hits",
    kind: null,
    unit: null,
    aggregation: "increase",
    filter: [{ label: "route", operator: "=", value: "$route" }],
    groupBy: ["route"],
  });
  const panel = metricsPanel({ queries: [hits], formulas: [], hidden: [], view: "table" });
  const id = await app.make({
    ...contentOf([{ ...panel, comparesPrevious: false }]),
    variables: [{ label: "route", value: "" }],
  });
  const all = await app.owner.get(`${app.base}/${id}?range=1h`);
  assert.match(all.html, /<select[^>]*name="var.route"/);
  assert.match(textOf(all.html), /All \/cart \/pay.*Series.*\/pay .*\/cart /);
  const one = await app.owner.get(`${app.base}/${id}?range=1h&var.route=%2Fcart`);
  const table = textOf(one.html).split("Series")[1] ?? "";
  assert.match(table, /\/cart/);
  assert.doesNotMatch(table, /\/pay/);
  assert.match(one.html, /a\.filter=route%3D%22%2Fcart%22/, "the explorer gets the value");
  assert.match(one.html, /name="var.route" value="\/cart"/, "the scope's forms keep it");
});

Deno.test("a ready-made dashboard opens once its metrics arrive, and a copy can be kept", async () => {
  await using app = await dashboardSite(durations());
  assert.match(await app.text(""), /Ready-made.*HTTP server/);
  const ready = await app.text("/ready/http-server?range=1h");
  assert.match(
    ready,
    /Save a copy.*http\.route All \/cart.*Requests .*\/s.*Duration, p95 .*\d+ ms.*Failed with 5xx .*0\.0%/,
  );
  const copied = await app.owner.post(`${app.base}/ready/http-server?range=1h`);
  assert.equal(copied.status, 303);
  assert.match(await app.text(copied.location?.slice(app.base.length) ?? ""), /HTTP server.*Edit/);
  assert.equal((await app.owner.get(`${app.base}/ready/nothing`)).status, 404);
  await app.owner.post(`${app.base}/ready/jvm`);
  assert.equal((await listDashboards(app.services.sql, app.projectId)).length, 1);
});

Deno.test("a view is refreshed as often as its address says, with script and without", async () => {
  await using app = await dashboardSite();
  const id = await app.make(contentOf([textPanel("p1", place(0, 0, 6, 2))]));
  const every = async (query: string) => {
    const { html } = await app.owner.get(`${app.base}/${id}${query}`);
    return /<noscript><meta http-equiv="refresh" content="(\d+)"/.exec(html)?.[1] ?? null;
  };
  assert.equal(await every("?refresh=30"), "30");
  assert.equal(await every(""), null);
  assert.equal(await every("?refresh=1"), null);
  assert.equal(await every("?refresh=30&edit=1"), null);
});

Deno.test("viewers see dashboards and no way to change them", async () => {
  await using app = await dashboardSite();
  const id = await app.make(contentOf([textPanel("p1", place(0, 0, 6, 2))]));
  const { visitor } = await app.member("viewer");
  const { status, html } = await visitor.get(`${app.base}/${id}?edit=1`);
  assert.equal(status, 200);
  assert.doesNotMatch(html, /Edit|remove-panel|Duplicate/);
  assert.match(html, /Export as JSON/);
});

Deno.test("a heat map shows how a histogram is spread; without one the panel says so", async () => {
  const spread = histogramSeries("http.server.request.duration", {}, [
    [Date.now() - 3 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [10, 10, 10, 10])],
    [Date.now() - 2 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [20, 90, 19, 11])],
  ]);
  await using app = await dashboardSite(spread, orders());
  const heat = (id: string, metric: string, y: number) =>
    metricsPanel({
      id,
      title: metric,
      place: place(0, y, 6, 7),
      queries: [query({ metric, kind: null, unit: null, filter: [], groupBy: [] })],
      formulas: [],
      hidden: [],
      view: "heatmap",
    });
  const id = await app.make(
    contentOf([heat("p1", "http.server.request.duration", 0), heat("p2", "shop.orders", 7)]),
  );
  const text = await app.text(`/${id}?range=1h`);
  assert.match(text, /100 ms to 500 ms 100 55\.6%/);
  assert.match(text, /A heat map needs a histogram, and none of the queries asks for one\./);
});
