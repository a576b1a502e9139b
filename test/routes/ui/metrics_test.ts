import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  metricBatch,
  type TimedValue,
} from "../../support/metric_series.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";
import { waitFor } from "../../support/wait_for.ts";

const MINUTE_MS = 60_000;
const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";

async function app(...series: MetricSeries[]) {
  const made = await shop();
  const base = `/projects/${made.projectId}/metrics`;
  const commit = (projectId: string, all: readonly MetricSeries[]) =>
    made.services.writer.commit(projectId, { records: [metricBatch(all)], outcomes: [] });
  if (series.length > 0) await commit(made.projectId, series);
  const get = (path: string) => made.owner.get(base + path);
  const text = async (path: string) => textOf((await get(path)).html);
  /** The list once the course of all its metrics was read. */
  const list = (query = "") =>
    waitFor("all trends", async () => {
      const found = await text(query);
      return found.includes("…") ? null : found;
    });
  return { ...made, base, commit, get, text, list };
}

/** A value a minute, the last one a minute ago. */
function timed(values: readonly number[]): TimedValue[] {
  const now = Date.now();
  return values.map((value, index) => [now - (values.length - index) * MINUTE_MS, value]);
}

const ORDERS = () =>
  counterSeries("shop.orders", { service: "api", way: "card" }, timed([0, 60, 120]));
const MEMORY = () => gaugeSeries("memory.used", { host: "h1" }, timed([1024, 1536]));
const DURATIONS = () => {
  const series = histogramSeries("request.duration", { route: "/cart" }, [
    [Date.now() - 2 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [10, 80, 9, 1])],
  ]);
  const timeMs = Date.now() - 2 * MINUTE_MS;
  return { ...series, exemplars: [{ timeMs, value: 0.75, traceId: TRACE, spanId: null }] };
};

Deno.test("metrics are listed with kind, unit, last value, series and services", async () => {
  await using site = await app(ORDERS(), MEMORY(), DURATIONS());
  const text = await site.list();
  assert.match(text, /memory\.used.*gauge bytes 1\.\d+ KiB ?avg/);
  assert.match(text, /shop\.orders.*counter requests .*requests\/\w+ ?rate.* 1 api today/);
  assert.match(text, /request\.duration.*histogram s \d+ ms ?p95/);
});

Deno.test("the list is searched by name and narrowed by kind", async () => {
  await using site = await app(ORDERS(), MEMORY());
  const found = async (query: string) => {
    const text = await site.list(query);
    return [/shop\.orders/.test(text), /memory\.used/.test(text)];
  };
  assert.deepEqual(await found("?query=ORD"), [true, false]);
  assert.deepEqual(await found("?kind=gauge"), [false, true]);
  assert.deepEqual(await found("?service=api"), [true, false]);
  assert.match(await site.text("?query=nothing"), /No metrics match/);
});

Deno.test("a project without metrics is told three ways to send them, with its key", async () => {
  await using site = await app();
  const { html } = await site.get("");
  const text = textOf(html);
  assert.match(text, /No metrics yet.*OTEL_METRICS_EXPORTER=otlp.*hostmetrics.*remote_write/);
  assert.doesNotMatch(text, /0{32}/);
});

Deno.test("what another project sends is neither listed nor completed nor answered", async () => {
  await using site = await app();
  const other = await createProject(site.services.kv, {
    organizationId: site.organization.id,
    name: "Other",
    platform: "node",
  });
  await site.commit(other.id, [MEMORY()]);
  assert.match(await site.text(""), /No metrics yet/);
  assert.match(await site.text("/explore?a.metric=memory.used"), /No data in this time/);
  assert.equal((await site.get("/completions?what=metric&prefix=")).html, "[]");
});

Deno.test("names and labels that are markup stay text", async () => {
  const evil = "<script>alert(1)</script>";
  await using site = await app(gaugeSeries(evil, { host: evil }, timed([1, 2])));
  const params = new URLSearchParams({ "a.metric": evil, "a.by": "host" });
  await site.list();
  for (const path of ["", `/explore?${params}`, `/explore?${params}&view=table`]) {
    const { html } = await site.get(path);
    // In the script of its islands it is a part of a string, which upstream Fresh ends in "<\\/script>".
    const markup = html.replaceAll(/<script [^>]*>.*?<\/script>/gs, "");
    assert.doesNotMatch(markup, /<script>alert/, path);
    assert.match(textOf(html), /<script>alert\(1\)<\/script>/, path);
  }
});

Deno.test("a metric alone is answered in the usual way of its kind", async () => {
  await using site = await app(ORDERS(), MEMORY(), DURATIONS());
  assert.match(await site.text("/explore?a.metric=shop.orders"), /rate of shop\.orders/);
  assert.match(await site.text("/explore?a.metric=memory.used"), /avg of memory\.used/);
  assert.match(await site.text("/explore?a.metric=request.duration"), /p95 of request\.duration/);
});

Deno.test("a histogram without buckets says why it has no quantiles, and shows average and count", async () => {
  const series = histogramSeries("http.server.requests", {}, [
    [Date.now() - 2 * MINUTE_MS, explicitBuckets([], [8]), { sum: 2 }],
  ]);
  await using site = await app(series);
  const text = await site.text("/explore?a.metric=http.server.requests&range=1h");
  assert.match(text, /Query a: http\.server\.requests came without buckets, so it has no p95/);
  assert.match(text, /avg of http\.server\.requests.*250 ms/);
  assert.match(text, /count of http\.server\.requests.*\b8\b/);
});

Deno.test("every view answers, with figures of the whole time", async () => {
  await using site = await app(MEMORY(), DURATIONS());
  for (const view of ["line", "area", "bars", "table", "value"]) {
    const text = await site.text(`/explore?a.metric=memory.used&a.agg=max&a.by=host&view=${view}`);
    assert.match(text, /h1.*1\.5 KiB/, view);
  }
  const heat = await site.text("/explore?a.metric=request.duration&view=heatmap&range=1h");
  assert.match(heat, /100 ms to 500 ms 80 80\.0%/);
  assert.match(
    await site.text("/explore?a.metric=memory.used&view=heatmap"),
    /none of these queries asks for one/,
  );
});

Deno.test("queries and formulas can be hidden and brought back by links", async () => {
  await using site = await app(MEMORY());
  const path = "/explore?a.metric=memory.used&a.agg=max&f1=a*2&f1.unit=By";
  const { html } = await site.get(path);
  assert.match(textOf(html), /f1: a\*2.*3 KiB/);
  assert.match(html, /href="[^"]*hide=f1[^"]*"/);
  const hidden = await site.text(`${path}&hide=f1`);
  assert.match(hidden, /Hidden: ?show f1/);
  assert.doesNotMatch(hidden, /3 KiB/);
});

Deno.test("what cannot be answered is said in the page, beside what was typed", async () => {
  await using site = await app(ORDERS());
  const unreadable = await site.get("/explore?a.metric=shop.orders&a.filter=way%3D");
  assert.equal(unreadable.status, 200);
  assert.match(
    unreadable.html,
    /aria-invalid="true"[^>]*value="way="|value="way="[^>]*aria-invalid="true"/,
  );
  const foreign = await site.get("/explore?a.metric=shop.orders&a.agg=p95");
  assert.equal(foreign.status, 200);
  assert.match(textOf(foreign.html), /This query cannot be run.*p95/);
  for (const bad of ["f1=a%2B", "f1=z", "a.filter=way%3D~%22(%22", "step=1&range=30d", "a.top=0"]) {
    assert.equal((await site.get(`/explore?a.metric=shop.orders&${bad}`)).status, 200, bad);
  }
  const nul = await site.get("/explore?a.metric=%00&a.filter=a%3D%22%00%22&b.metric=shop.orders");
  assert.equal(nul.status, 200);
});

Deno.test("the form's address becomes the short one, and its buttons add and remove rows", async () => {
  await using site = await app(ORDERS());
  const sent =
    "form=1&a.metric=shop.orders&a.of=shop.orders&a.agg=increase&a.filter=&a.by=way&a.top=10&step=";
  const { location } = await site.get(`/explore?${sent}`);
  assert.ok(location);
  assert.equal(
    new URL(location, "http://x").search,
    "?a.metric=shop.orders&a.agg=increase&a.by=way",
  );
  const added = await site.get(`/explore?${sent}&add=query`);
  assert.match(added.html, /name="b\.metric"/);
  const removed = await site.get(`/explore?${sent}&b.metric=x&remove=a`);
  assert.equal(new URL(removed.location ?? "", "http://x").search, "?b.metric=x&b.agg=avg");
});

Deno.test("exemplars lead to their traces", async () => {
  await using site = await app(DURATIONS());
  const { html } = await site.get("/explore?a.metric=request.duration&range=1h");
  assert.match(html, new RegExp(`href="/projects/${site.projectId}/traces/${TRACE}`));
  assert.match(textOf(html), /Traces of 1 observation.*750 ms, trace 5f2a1c3d/);
  const other = await site.get("/explore?a.metric=request.duration&a.filter=route%3D%22/x%22");
  assert.doesNotMatch(other.html, new RegExp(TRACE), "the filter holds for them as well");
});

Deno.test("the past is drawn beside the present", async () => {
  const now = Date.now();
  const before: TimedValue[] = [[now - 90 * MINUTE_MS, 4096], [now - 30 * MINUTE_MS, 1024]];
  await using site = await app(gaugeSeries("memory.used", { host: "h1" }, before));
  const path = "/explore?a.metric=memory.used&a.agg=max&a.by=host&range=1h&view=table";
  assert.match(await site.text(path), /h1 ?1 KiB/);
  assert.doesNotMatch(await site.text(path), /\(before\)/);
  assert.match(await site.text(`${path}&compare=1`), /h1 ?1 KiB.*h1 \(before\) ?4 KiB/);
});

Deno.test("the scope can be chosen from what only metrics name", async () => {
  const labels = { environment: "lab", release: "api@7", service: "api" };
  await using site = await app(gaugeSeries("memory.used", labels, timed([1])));
  await site.list();
  const { html } = await site.get("");
  for (const [name, value] of Object.entries(labels)) {
    assert.match(html, new RegExp(`name="${name}"[^>]*value="${value}"`), name);
  }
  assert.match(await site.text("/explore?a.metric=memory.used&environment=lab&view=table"), /1 B/);
  assert.match(
    await site.text("/explore?a.metric=memory.used&environment=x&view=table"),
    /No data/,
  );
});

Deno.test("names, labels, values and aggregations are completed from what there is", async () => {
  await using site = await app(ORDERS(), MEMORY());
  const complete = async (params: Record<string, string>) =>
    JSON.parse((await site.get(`/completions?${new URLSearchParams(params)}`)).html);
  assert.deepEqual(await complete({ what: "metric", prefix: "ord" }), [
    { text: "shop.orders", note: "counter, requests" },
  ]);
  const metric = "shop.orders";
  assert.deepEqual(await complete({ what: "label", metric, prefix: "w" }), [
    { text: "way", note: "" },
  ]);
  assert.deepEqual(await complete({ what: "value", metric, label: "way", prefix: "ca" }), [
    { text: "card", note: "" },
  ]);
  assert.equal((await complete({ what: "aggregation", metric }))[0], "rate");
  assert.deepEqual(await complete({ what: "value", metric: "none", label: "\0", prefix: "" }), []);
  assert.deepEqual(await complete({}), []);
});

Deno.test("an exploration goes on to dashboards, alerts and the API", async () => {
  await using site = await app(MEMORY());
  const { html } = await site.get("/explore?a.metric=memory.used&a.agg=max&environment=staging");
  const query = "environment=staging&amp;a.metric=memory.used&amp;a.agg=max";
  assert.match(html, new RegExp(`/dashboards/add\\?${query}"`.replaceAll(".", "\\.")));
  assert.match(html, new RegExp(`/alerts/new\\?${query}"`.replaceAll(".", "\\.")));
  assert.match(textOf(html), /curl .*metrics\/query\/\?metric=memory\.used&aggregation=max/);
});
