import assert from "node:assert/strict";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  metricBatch,
} from "@/test/support/metric_series.ts";
import { roomIn } from "@/test/support/room_in.ts";
import { tracedApi } from "@/test/support/traced_api.ts";

interface MetricAnswer {
  readonly name: string;
  readonly kind: string;
  readonly unit: string;
  readonly series: number;
  readonly services: string[];
  readonly lastSeen: string;
}

interface QueryAnswer {
  readonly step: number;
  readonly times: number[];
  readonly series: {
    readonly query: string;
    readonly labels: Record<string, string>;
    readonly isPrevious: boolean;
    readonly values: (number | null)[];
    readonly avg: number | null;
  }[];
  readonly queries: {
    readonly id: string;
    readonly aggregation?: string;
    readonly unit: string;
    readonly series: number;
    readonly groups: number;
  }[];
  readonly notes: string[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 6 * 3_600_000;
const at = (minutes: number) => START_MS + minutes * MINUTE_MS;
const PERIOD = `start=${new Date(at(0)).toISOString()}&end=${
  new Date(at(5)).toISOString()
}&step=60`;

async function metricApi() {
  const api = await tracedApi();
  const minutes = [0, 1, 2, 3, 4, 5];
  const requests = (route: string, rate: number, service: string) =>
    counterSeries(
      "http.requests",
      { route, service, environment: service === "web" ? "production" : "staging" },
      minutes.map((minute) => [at(minute), minute * 60 * rate]),
    );
  await api.store([metricBatch([
    requests("/a", 1, "web"),
    requests("/b", 2, "api"),
    gaugeSeries("memory", { service: "web" }, minutes.map((minute) => [at(minute), 100])),
    histogramSeries("http.duration", { service: "web" }, [
      [at(1), explicitBuckets([0.1, 0.2], [0, 10, 0])],
    ]),
  ])]);
  return api;
}

Deno.test("metrics are listed by name, searched, narrowed and paged", async () => {
  await roomIn(DAY_MS, 15_000);
  await using api = await metricApi();
  const all = await api.read<MetricAnswer[]>("/metrics/");
  assert.deepEqual(all.map(({ name, kind, unit }) => [name, kind, unit]), [
    ["http.duration", "histogram", "s"],
    ["http.requests", "counter", "{request}"],
    ["memory", "gauge", "By"],
  ]);
  assert.deepEqual([all[1]?.series, all[1]?.services], [2, ["api", "web"]]);
  assert.equal(all[1]?.lastSeen, new Date().toISOString().slice(0, 10));
  const names = async (search: string) =>
    (await api.read<MetricAnswer[]>(`/metrics/?${search}`)).map(({ name }) => name);
  assert.deepEqual(await names("query=REQ"), ["http.requests"]);
  assert.deepEqual(await names("query=http*d"), ["http.duration"]);
  assert.deepEqual(await names("kind=gauge"), ["memory"]);
  assert.deepEqual(await names("environment=staging"), ["http.requests"]);
  assert.deepEqual(await names("service=web&query=http"), ["http.duration", "http.requests"]);
});

Deno.test("pages of metrics follow upon each other in both directions", async () => {
  await using api = await metricApi();
  const page = async (cursor: string) => {
    const path = `/projects/acme/acme-shop/metrics/?per_page=2&cursor=${cursor}`;
    const { body, headers } = await api.call<MetricAnswer[]>("viewer", path);
    const cursors = [...(headers.get("link") ?? "").matchAll(/cursor="([^"]*)"/g)];
    return { names: body.map(({ name }) => name), cursors: cursors.map(([, text]) => text ?? "") };
  };
  const first = await page("");
  assert.deepEqual(first.names, ["http.duration", "http.requests"]);
  const second = await page(first.cursors[1] ?? "");
  assert.deepEqual(second.names, ["memory"]);
  assert.deepEqual((await page(second.cursors[0] ?? "")).names, first.names);
});

Deno.test("labels and their values are told for a metric", async () => {
  await using api = await metricApi();
  const of = "metric=http.requests";
  assert.deepEqual(await api.read(`/metrics/labels/?${of}`), ["environment", "route", "service"]);
  assert.deepEqual(await api.read(`/metrics/labels/route/values/?${of}`), ["/a", "/b"]);
  assert.deepEqual(await api.read(`/metrics/labels/route/values/?${of}&prefix=/B`), ["/b"]);
  assert.deepEqual(await api.read(`/metrics/labels/a%2Fb%20%25/values/?${of}`), []);
  assert.deepEqual(await api.read("/metrics/labels/?metric=nothing"), []);
});

Deno.test("a query by parameters is answered with series", async () => {
  await using api = await metricApi();
  const answer = await api.read<QueryAnswer>(
    `/metrics/query/?metric=http.requests&aggregation=rate&groupBy=route&top=1&${PERIOD}`,
  );
  assert.equal(answer.step, 60);
  assert.deepEqual(answer.times, [at(0), at(1), at(2), at(3), at(4)]);
  assert.deepEqual(answer.series, [
    {
      query: "a",
      labels: { route: "/b" },
      isPrevious: false,
      values: [2, 2, 2, 2, 2],
      min: 2,
      max: 2,
      avg: 2,
      last: 2,
    },
  ]);
  assert.deepEqual(answer.queries, [
    {
      id: "a",
      metric: "http.requests",
      aggregation: "rate",
      kind: "counter",
      unit: "{request}/s",
      series: 2,
      groups: 2,
    },
  ]);
});

Deno.test("filter, scope, step and the usual aggregation are understood", async () => {
  await using api = await metricApi();
  const ask = async (search: string) => {
    const { series, step, queries } = await api.read<QueryAnswer>(`/metrics/query/?${search}`);
    return [queries[0]?.aggregation, step, series[0]?.values[1] ?? null];
  };
  const requests = `metric=http.requests&${PERIOD}`;
  assert.deepEqual(await ask(requests), ["rate", 60, 3]);
  assert.deepEqual(await ask(`${requests}&filter=route%3D~"/[a]"`), ["rate", 60, 1]);
  assert.deepEqual(await ask(`${requests}&environment=staging`), ["rate", 60, 2]);
  assert.deepEqual(await ask(`metric=memory&${PERIOD}`), ["avg", 60, 100]);
  const longer = `metric=http.duration&${PERIOD.replace("step=60", "step=5m")}`;
  assert.deepEqual(await ask(longer), ["p95", 300, null]);
  const { series } = await api.read<QueryAnswer>("/metrics/query/?metric=memory&statsPeriod=24h");
  assert.equal(series[0]?.avg, 100);
});

Deno.test("several queries and formulas are asked as JSON", async () => {
  await using api = await metricApi();
  const { status, body } = await api.call<QueryAnswer>(
    "viewer",
    "/projects/acme/acme-shop/metrics/query/",
    {
      method: "POST",
      body: {
        queries: [
          { metric: "http.requests", filter: 'route="/a"' },
          { metric: "http.requests", aggregation: "rate" },
        ],
        formulas: [{ expression: "a / b * 100", unit: "%" }],
        start: new Date(at(0)).toISOString(),
        end: new Date(at(5)).toISOString(),
        step: 60,
        compare: true,
      },
    },
  );
  assert.equal(status, 200);
  const formula = body.series.find(({ query }) => query === "f1");
  assert.ok(Math.abs((formula?.values[2] ?? 0) - 100 / 3) < 1e-9);
  assert.deepEqual(body.queries.map(({ id, unit }) => [id, unit]), [
    ["a", "{request}/s"],
    ["b", "{request}/s"],
    ["f1", "%"],
  ]);
});

Deno.test("what cannot be answered is refused with a sentence, never with a failure", async () => {
  await using api = await metricApi();
  const cases: [path: string, words: RegExp][] = [
    ["/metrics/query/", /metric.*required/],
    ["/metrics/query/?metric=memory&aggregation=median", /Invalid aggregation: write avg/],
    ["/metrics/query/?metric=memory&aggregation=p95", /memory is a gauge/],
    ["/metrics/query/?metric=memory&filter=host", /filter cannot be read/],
    ["/metrics/query/?metric=memory&filter=host%3D~%22(%22", /missing closing/],
    ["/metrics/query/?metric=memory&step=often", /Invalid step/],
    ["/metrics/query/?metric=memory&step=1&statsPeriod=7d", /at most 2,000/],
    ["/metrics/query/?metric=memory&top=1000", /Invalid top/],
    ["/metrics/query/?metric=memory&statsPeriod=soon", /Invalid statsPeriod/],
    ["/metrics/query/?metric=memory&start=2999-01-01", /start must/],
    ["/metrics/query/?metric=memory&kind=summary", /Invalid kind/],
    [`/metrics/query/?metric=${"x".repeat(300)}`, /at most 255/],
    ["/metrics/?kind=summary", /Invalid kind/],
    ["/metrics/?cursor=nonsense", /Invalid cursor/],
    ["/metrics/labels/", /metric.*required/],
    ["/metrics/labels/route/values/", /metric.*required/],
  ];
  for (const [path, words] of cases) {
    const refusal = await api.refusal(path);
    assert.equal(refusal.status, 400, `${path}: ${refusal.words}`);
    assert.match(refusal.words, words, path);
  }
  for (const path of ["/metrics/?query=%00", "/metrics/query/?metric=%00&filter=%00%3D%00"]) {
    assert.ok((await api.refusal(path)).status < 500, path);
  }
});

Deno.test("a body that is none is refused field by field", async () => {
  await using api = await metricApi();
  const post = async (body: unknown) => {
    const path = "/projects/acme/acme-shop/metrics/query/";
    const answer = await api.call<unknown>("viewer", path, { method: "POST", body });
    return [answer.status, JSON.stringify(answer.body)] as const;
  };
  const cases: [unknown, RegExp][] = [
    [{}, /"queries":\["This field is required/],
    [{ queries: [] }, /"queries"/],
    [{ queries: [{ metric: "" }] }, /"queries"/],
    [{ queries: [{ metric: "memory", top: 0 }] }, /"queries"/],
    [{ queries: [{ metric: "memory" }], formulas: [{ expression: "a +" }] }, /ends where/],
    [{ queries: [{ metric: "memory" }], step: "x" }, /Invalid step/],
    [{ queries: [{ id: "a", metric: "x" }, { id: "a", metric: "y" }] }, /Two queries are called a/],
  ];
  for (const [body, words] of cases) {
    const [status, text] = await post(body);
    assert.equal(status, 400, text);
    assert.match(text, words);
  }
});
