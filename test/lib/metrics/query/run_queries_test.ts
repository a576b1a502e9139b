import assert from "node:assert/strict";
import {
  InvalidQuery,
  type MetricQuery,
  type QueryRequest,
  WHOLE_SCOPE,
} from "@/lib/metrics/query_types.ts";
import { runQueries } from "@/lib/metrics/query/run_queries.ts";
import { parseFilter } from "@/lib/metrics/filter.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import { testDatabase } from "@/test/support/database.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  metricBatch,
  type TimedValue,
} from "@/test/support/metric_series.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testWriter } from "@/test/support/writer.ts";

const MINUTE_MS = 60_000;
const PROJECT = "7";
/** Long enough ago that no step is running. */
const START_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 6 * 3_600_000;
const at = (minutes: number) => START_MS + minutes * MINUTE_MS;
const each = (from: number, to: number, valueOf: (minute: number) => number): TimedValue[] =>
  Array.from({ length: to - from + 1 }, (_, place) => [at(from + place), valueOf(from + place)]);

interface Question extends Partial<Omit<QueryRequest, "queries" | "formulas">> {
  readonly queries: readonly (Partial<Omit<MetricQuery, "filter">> & { filter?: string })[];
  readonly formulas?: readonly string[];
}

/** Stores series, and asks about the first ten minutes by steps of a minute. */
async function stored(...series: MetricSeries[]) {
  const database = await testDatabase();
  const { sql } = database;
  const writer = testWriter(sql);
  if (series.length > 0) await writer.store(PROJECT, metricBatch(series));
  return {
    writer,
    sql,
    ask: ({ queries, formulas = [], ...fields }: Question) =>
      runQueries({ sql, log: silentLogger }, {
        projectId: PROJECT,
        start: new Date(at(0)),
        end: new Date(at(10)),
        stepMs: MINUTE_MS,
        scope: WHOLE_SCOPE,
        comparesPrevious: false,
        ...fields,
        queries: queries.map(({ filter = "", ...query }, place) => ({
          id: "abc"[place] ?? "z",
          metric: "requests",
          kind: null,
          unit: null,
          aggregation: "rate",
          groupBy: [],
          top: 10,
          ...query,
          filter: parseFilter(filter),
        })),
        formulas: formulas.map((expression, place) => ({
          id: `f${place + 1}`,
          expression,
          unit: "",
        })),
      }),
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

type Stored = Awaited<ReturnType<typeof stored>>;

/** The values of the only group. */
async function valuesOf(metrics: Stored, question: Question) {
  const { series: [only, ...others] } = await metrics.ask(question);
  assert.equal(others.length, 0);
  return only?.values ?? [];
}

const refuses = (message: RegExp) => (error: unknown) =>
  error instanceof InvalidQuery && message.test(error.message);

Deno.test("the rate of a group is the sum of what its series grew by, a second", async () => {
  await using metrics = await stored(
    counterSeries("requests", { host: "a" }, each(0, 10, (minute) => minute * 60)),
    counterSeries("requests", { host: "b" }, each(0, 10, (minute) => 1_000 + minute * 120)),
  );
  assert.deepEqual(await valuesOf(metrics, { queries: [{}] }), new Array(10).fill(3));
  const { times, stepMs, facts } = await metrics.ask({ queries: [{}] });
  assert.deepEqual(times.slice(0, 2), [at(0), at(1)]);
  assert.equal(stepMs, MINUTE_MS);
  assert.deepEqual(facts, [
    { id: "a", unit: "{request}/s", kind: "counter", seriesCount: 2, addsUp: true, groupCount: 1 },
  ]);
});

Deno.test("avg, min and max of a counter are of its series' rates, count is how many report", async () => {
  await using metrics = await stored(
    counterSeries("requests", { host: "a" }, each(0, 10, (minute) => minute * 60)),
    counterSeries("requests", { host: "b" }, each(0, 5, (minute) => minute * 180)),
  );
  const by = async (aggregation: MetricQuery["aggregation"]) => {
    const values = await valuesOf(metrics, { queries: [{ aggregation }] });
    return [values[0], values[9]];
  };
  assert.deepEqual(await by("avg"), [2, 1]);
  assert.deepEqual(await by("min"), [1, 1]);
  assert.deepEqual(await by("max"), [3, 1]);
  assert.deepEqual(await by("count"), [2, 1]);
  assert.deepEqual(await by("increase"), [240, 60]);
});

Deno.test("a counter that stands still has 0, without points it has nothing", async () => {
  await using metrics = await stored(
    counterSeries("requests", {}, [...each(0, 3, () => 5), ...each(7, 10, () => 6)]),
  );
  assert.deepEqual(
    await valuesOf(metrics, { queries: [{ aggregation: "increase" }] }),
    [0, 0, 0, null, null, null, 1, 0, 0, 0],
  );
});

Deno.test("a restart counts from zero, and a point on the minute belongs to the minute before", async () => {
  await using metrics = await stored(
    counterSeries("requests", {}, [[at(1), 10], [at(2), 30], [at(3), 4], [at(4), 9]]),
  );
  const values = await valuesOf(metrics, { queries: [{ aggregation: "increase" }] });
  assert.deepEqual(values.slice(0, 5), [0, 20, 4, 5, null]);
});

Deno.test("deltas are added as they are", async () => {
  const values = each(1, 10, (minute) => minute);
  await using metrics = await stored(
    counterSeries("requests", {}, values, { temporality: "delta" }),
  );
  const asked = { queries: [{ aggregation: "increase" as const }], stepMs: 5 * MINUTE_MS };
  assert.deepEqual(await valuesOf(metrics, asked), [15, 40]);
});

Deno.test("gauges are the mean, sum, extremes and last of their series' levels", async () => {
  await using metrics = await stored(
    gaugeSeries("memory", { host: "a" }, [[at(0), 10], [at(2), 20], [at(6), 40]]),
    gaugeSeries("memory", { host: "b" }, [[at(1), 100], [at(4), 300]]),
  );
  const by = (aggregation: MetricQuery["aggregation"]) =>
    valuesOf(metrics, {
      queries: [{ metric: "memory", aggregation }],
      stepMs: 5 * MINUTE_MS,
    });
  assert.deepEqual(await by("avg"), [107.5, 40]);
  assert.deepEqual(await by("sum"), [215, 40]);
  assert.deepEqual(await by("min"), [10, 40]);
  assert.deepEqual(await by("max"), [300, 40]);
  assert.deepEqual(await by("last"), [320, 40]);
  assert.deepEqual(await by("count"), [4, 1]);
});

Deno.test("a gauge's point that comes a moment late leaves no dent in the sum", async () => {
  const late = [0, 1, 2.99, 4.01, 5, 6, 7, 8, 9];
  await using metrics = await stored(
    gaugeSeries("memory", { host: "a" }, late.map((minute) => [at(minute), 10])),
    gaugeSeries("memory", { host: "b" }, each(0, 9, () => 5)),
  );
  const values = await valuesOf(metrics, { queries: [{ metric: "memory", aggregation: "sum" }] });
  assert.deepEqual(values, new Array(10).fill(15));
});

Deno.test("quantiles are of the buckets of all series together", async () => {
  const bounds = [0.1, 0.2];
  const each = (...counts: number[]) => explicitBuckets(bounds, counts);
  await using metrics = await stored(
    histogramSeries("duration", { instance: "1" }, [[at(1), each(1, 2, 1)], [
      at(7),
      each(4, 0, 0),
    ]]),
    histogramSeries("duration", { instance: "2" }, [[at(2), each(9, 9, 4)]]),
  );
  const by = (aggregation: MetricQuery["aggregation"]) =>
    valuesOf(metrics, {
      queries: [{ metric: "duration", aggregation }],
      stepMs: 5 * MINUTE_MS,
    });
  const [first, second] = await by("p50");
  // Prometheus' number for these buckets: 13 of 26 are among 10, 11, 5.
  assert.ok(Math.abs((first ?? 0) - (0.1 + 0.1 * 3 / 11)) < 1e-12, String(first));
  assert.equal(second, 0.05);
  assert.deepEqual(await by("count"), [26, 4]);
  assert.deepEqual(await by("rate"), [26 / 300, 4 / 300]);
  assert.deepEqual(await by("avg"), [1, 1]);
  assert.deepEqual(await by("sum"), [26, 4]);
  assert.deepEqual(await by("max"), [0.2, 0.1]);
});

Deno.test("a figure of the whole time is of the whole, not of its steps", async () => {
  const bounds = [1, 2, 3];
  await using metrics = await stored(
    histogramSeries("duration", {}, [
      [at(1), explicitBuckets(bounds, [98, 0, 0, 0])],
      [at(2), explicitBuckets(bounds, [0, 0, 2, 0])],
    ]),
    counterSeries("requests", {}, [[at(0), 0], [at(1), 60], [at(2), 180]]),
  );
  const { series } = await metrics.ask({
    queries: [
      { metric: "duration", aggregation: "p50" },
      { aggregation: "rate" },
      { aggregation: "increase" },
    ],
  });
  const figures = series.map(({ figures }) => figures);
  assert.deepEqual(figures[0], { min: 0.5, max: 2.5, last: 2.5, avg: 50 / 98 });
  assert.deepEqual(figures[1], { min: 1, max: 2, last: 2, avg: 0.3 });
  assert.deepEqual(figures[2], { min: 60, max: 120, last: 120, avg: 18 });
});

Deno.test("filters and the scope choose series, groups are by labels, the largest first", async () => {
  const series = ["/a", "/b", "/c", "/d"].flatMap((route, place) =>
    ["staging", "production"].map((environment) =>
      counterSeries(
        "requests",
        { route, environment, service: "shop" },
        each(0, 10, (minute) => minute * 60 * (place + 1)),
      )
    )
  );
  await using metrics = await stored(...series);
  const ask = async (filter: string, fields: Partial<Question> = {}) => {
    const query = { filter, groupBy: ["route"], top: 2 };
    const { series, facts: [facts] } = await metrics.ask({ queries: [query], ...fields });
    return [...series.map(({ labels, values }) => [labels.route, values[3]]), facts?.groupCount];
  };
  assert.deepEqual(await ask(""), [["/d", 8], ["/c", 6], 4]);
  assert.deepEqual(await ask('environment="staging",route!="/d"'), [["/c", 3], ["/b", 2], 3]);
  assert.deepEqual(await ask('route=~"/[ab]"'), [["/b", 4], ["/a", 2], 2]);
  const scope = { ...WHOLE_SCOPE, environments: ["production"], services: ["shop"] };
  assert.deepEqual(await ask('route="/a"', { scope }), [["/a", 1], 1]);
  assert.deepEqual(await ask('colour="red"'), [0]);
});

Deno.test("series without a label are a group of their own", async () => {
  await using metrics = await stored(
    gaugeSeries("memory", { host: "a" }, [[at(1), 1]]),
    gaugeSeries("memory", {}, [[at(1), 2]]),
  );
  const query = { metric: "memory", aggregation: "avg" as const, groupBy: ["host"] };
  const { series } = await metrics.ask({ queries: [query] });
  assert.deepEqual(series.map(({ labels }) => labels), [{ host: "" }, { host: "a" }]);
});

Deno.test("groups of a formula meet by equal labels, and a query without labels meets all", async () => {
  const counter = (name: string, route: string, rate: number) =>
    counterSeries(name, { route }, each(0, 10, (minute) => minute * rate));
  await using metrics = await stored(
    counter("requests", "/a", 60),
    counter("requests", "/b", 120),
    counter("requests", "/c", 60),
    counter("errors", "/a", 6),
    counter("errors", "/b", 60),
  );
  const groupBy = ["route"];
  const { series, facts } = await metrics.ask({
    queries: [{ metric: "errors", groupBy }, { groupBy }, {}],
    formulas: ["a / b * 100", "b / c"],
  });
  const found = (id: string) =>
    series.filter(({ queryId }) => queryId === id)
      .map(({ labels, values, figures }) => [labels.route, values[4], figures.avg]);
  assert.deepEqual(found("f1"), [["/b", 50, 50], ["/a", 10, 10]]);
  assert.deepEqual(found("f2"), [["/b", 0.5, 0.5], ["/a", 0.25, 0.25], ["/c", 0.25, 0.25]]);
  assert.deepEqual(facts.map(({ id, groupCount }) => [id, groupCount]), [
    ["a", 2],
    ["b", 3],
    ["c", 1],
    ["f1", 2],
    ["f2", 3],
  ]);
});

Deno.test("a formula divides by zero into nothing", async () => {
  await using metrics = await stored(
    gaugeSeries("used", {}, [[at(0), 5], [at(1), 5], [at(2), 5]]),
    gaugeSeries("total", {}, [[at(0), 10], [at(1), 0]]),
  );
  const { series } = await metrics.ask({
    queries: [{ metric: "used", aggregation: "avg" }, { metric: "total", aggregation: "avg" }],
    formulas: ["a / b"],
  });
  const formula = series.find(({ queryId }) => queryId === "f1");
  assert.deepEqual(formula?.values.slice(0, 3), [0.5, null, null]);
});

Deno.test("the time before lies upon the time that was asked for", async () => {
  await using metrics = await stored(
    counterSeries("requests", { route: "/a" }, [
      ...each(-10, 0, (minute) => (minute + 10) * 60),
      ...each(1, 10, (minute) => 600 + minute * 120),
    ]),
    counterSeries("requests", { route: "/old" }, each(-10, -5, (minute) => minute + 10)),
  );
  const { series } = await metrics.ask({
    queries: [{ groupBy: ["route"] }],
    formulas: ["a * 2"],
    comparesPrevious: true,
  });
  assert.deepEqual(
    series.map(({ queryId, labels, isPrevious, values }) => [
      queryId,
      labels.route,
      isPrevious,
      values[4],
    ]),
    [["a", "/a", false, 2], ["a", "/a", true, 1], ["f1", "/a", false, 4], ["f1", "/a", true, 2]],
  );
});

Deno.test("without a step there are about 240, never shorter than points are apart", async () => {
  await using metrics = await stored(
    gaugeSeries("memory", {}, each(0, 9, () => 1)),
    gaugeSeries("load", {}, Array.from({ length: 120 }, (_, place) => [at(place / 12), 1])),
  );
  const stepOf = async (metric: string, stepMs: number | null) => {
    const { stepMs: found, notes } = await metrics.ask({
      queries: [{ metric, aggregation: "avg" }],
      stepMs,
    });
    return [found / 1_000, notes.length];
  };
  assert.deepEqual(await stepOf("memory", null), [60, 0]);
  assert.deepEqual(await stepOf("memory", 5_000), [60, 1]);
  assert.deepEqual(await stepOf("load", null), [5, 0]);
});

Deno.test("a window of one step is exactly that window", async () => {
  await using metrics = await stored(
    counterSeries("requests", {}, each(0, 10, (minute) => minute * minute)),
  );
  const { times, series: [only] } = await metrics.ask({
    queries: [{ aggregation: "increase" }],
    start: new Date(at(3)),
    end: new Date(at(8)),
    stepMs: 5 * MINUTE_MS,
  });
  assert.deepEqual(times, [at(3)]);
  assert.deepEqual(only?.values, [64 - 9]);
});

Deno.test("kind and unit choose between metrics of one name, else the one seen last answers", async () => {
  await using metrics = await stored(gaugeSeries("size", {}, [[at(1), 1]], "By"));
  const later = new Date(Date.now() + 1_000);
  await metrics.writer.store(
    PROJECT,
    metricBatch([counterSeries("size", {}, [[at(0), 0], [at(1), 60]], { unit: "1" })], later),
  );
  const ask = async (fields: Partial<MetricQuery>) => {
    const { filter: _, ...query } = fields;
    const { facts: [facts] } = await metrics.ask({ queries: [{ metric: "size", ...query }] });
    return [facts?.kind, facts?.unit];
  };
  assert.deepEqual(await ask({}), ["counter", "1/s"]);
  assert.deepEqual(await ask({ kind: "gauge", aggregation: "avg" }), ["gauge", "By"]);
  assert.deepEqual(await ask({ unit: "By", aggregation: "last" }), ["gauge", "By"]);
});

Deno.test("a metric that nobody has sent is answered with nothing and a note", async () => {
  await using metrics = await stored();
  const { series, facts, notes } = await metrics.ask({ queries: [{ metric: "nothing" }] });
  assert.deepEqual(series, []);
  assert.deepEqual(facts, [
    { id: "a", unit: "", kind: null, seriesCount: 0, addsUp: true, groupCount: 0 },
  ]);
  assert.match(notes.join(), /no metric nothing has arrived yet/);
});

Deno.test("another project's points are never answered", async () => {
  await using metrics = await stored(gaugeSeries("memory", {}, [[at(1), 1]]));
  const query = { metric: "memory", aggregation: "avg" as const };
  const { series } = await metrics.ask({ queries: [query], projectId: "8" });
  assert.deepEqual(series, []);
});

Deno.test("series that came since the last question are in the next answer", async () => {
  await using metrics = await stored(gaugeSeries("memory", { host: "a" }, [[at(1), 1]]));
  const question = { queries: [{ metric: "memory", aggregation: "sum" as const }] };
  assert.equal((await valuesOf(metrics, question))[1], 1);
  await metrics.writer.store(
    PROJECT,
    metricBatch([gaugeSeries("memory", { host: "b" }, [[at(1), 2]])]),
  );
  assert.equal((await valuesOf(metrics, question))[1], 3);
  await metrics.sql`delete from metric_series where labels ->> 'host' = 'a'`;
  assert.equal((await valuesOf(metrics, question))[1], 2);
});

Deno.test("quantiles over Prometheus' counters of buckets are histogram_quantile's", async () => {
  const counts: [le: string, instance: string, perMinute: number][] = [
    ["0.1", "ins1", 1],
    ["0.2", "ins1", 3],
    ["+Inf", "ins1", 4],
    ["0.1", "ins2", 2],
    ["2e-1", "ins2", 5],
    ["+Inf", "ins2", 6],
  ];
  await using metrics = await stored(
    ...counts.map(([le, instance, perMinute]) =>
      counterSeries(
        "x_seconds_bucket",
        { le, instance },
        each(0, 10, (minute) => minute * perMinute),
      )
    ),
  );
  const query = { metric: "x_seconds_bucket", aggregation: "p50" as const };
  const [first] = await valuesOf(metrics, { queries: [query] });
  // 5 of 10 are among 3, 5, 2.
  assert.ok(Math.abs((first ?? 0) - 0.14) < 1e-12, String(first));
  const { series } = await metrics.ask({ queries: [{ ...query, groupBy: ["instance"] }] });
  const byInstance = series.map(({ labels, values }) => [labels.instance, values[2]]);
  // 2 of 4 among 1, 2, 1; and 3 of 6 among 2, 3, 1.
  assert.deepEqual(byInstance.map(([instance]) => instance), ["ins1", "ins2"]);
  assert.ok(Math.abs(Number(byInstance[0]?.[1]) - 0.15) < 1e-12);
  assert.ok(Math.abs(Number(byInstance[1]?.[1]) - (0.1 + 0.1 / 3)) < 1e-12);
});

Deno.test("of more groups and steps than there is room for the largest are answered, and all counted", async () => {
  const hosts = Array.from({ length: 600 }, (_, place) => `host-${place}`);
  await using metrics = await stored(
    ...hosts.map((host, place) => gaugeSeries("memory", { host }, [[at(1), place], [at(9), 1]])),
  );
  const { times, series, facts: [facts], notes } = await metrics.ask({
    queries: [{ metric: "memory", aggregation: "max", groupBy: ["host"], top: 3 }],
    end: new Date(at(2_000)),
  });
  assert.equal(times.length, 2_000);
  assert.deepEqual(
    series.map(({ labels, values, figures }) => [labels.host, values[1], values[9], figures.avg]),
    [["host-599", 599, 1, 599], ["host-598", 598, 1, 598], ["host-597", 597, 1, 597]],
  );
  assert.deepEqual([facts?.groupCount, facts?.seriesCount], [600, 600]);
  assert.match(notes.join(), /of 600 groups the 500 largest were looked at/);
});

Deno.test("what cannot be read is told of, and the rest answered", async () => {
  await using metrics = await stored(gaugeSeries("memory", { host: "a" }, [[at(1), 1]]));
  await metrics.sql`update metric_batches set body = '\\x00ff'`;
  await metrics.writer.store(
    PROJECT,
    metricBatch([gaugeSeries("memory", { host: "b" }, [[at(1), 2]])]),
  );
  const { series, notes } = await metrics.ask({
    queries: [{ metric: "memory", aggregation: "sum" }],
  });
  assert.equal(series[0]?.values[1], 2);
  assert.match(notes.join(), /Query a: 1 stored block could not be read/);
});

Deno.test("what has no answer is refused with a sentence", async () => {
  await using metrics = await stored(
    counterSeries("requests", {}, [[at(1), 1]]),
    gaugeSeries("memory", {}, [[at(1), 1]]),
  );
  const cases: [Question, RegExp][] = [
    [{ queries: [] }, /no query/],
    [{ queries: [{ aggregation: "p95" }] }, /requests is a counter, which has rate, .* not p95/],
    [{ queries: [{ metric: "memory" }] }, /memory is a gauge, which has avg, .* not rate/],
    [{ queries: [{ metric: "" }] }, /names no metric/],
    [{ queries: [{ filter: 'route=~"("' }] }, /missing closing \)/],
    [{ queries: [{ metric: "nothing", filter: 'route=~"("' }] }, /missing closing \)/],
    [{ queries: [{ top: 0 }] }, /1 to 500 groups/],
    [{ queries: [{ id: "aa" }] }, /one letter/],
    [{ queries: [{ id: "a" }, { id: "a" }] }, /Two queries are called a/],
    [{ queries: new Array(11).fill({}) }, /at most 10 queries/],
    [{ queries: [{}], formulas: ["a / x"] }, /names x, which is no query/],
    [{ queries: [{}], formulas: ["1 + 1"] }, /names no query/],
    [{ queries: [{}], formulas: ["a +"] }, /ends where/],
    [{ queries: [{}], end: new Date(at(-1)) }, /range is empty/],
    [{ queries: [{}], stepMs: 1 }, /whole number of seconds/],
    [
      { queries: [{ groupBy: ["x"] }, { groupBy: ["y"] }], formulas: ["a / b"] },
      /joins a, by x, with b, by y/,
    ],
  ];
  for (const [question, message] of cases) {
    await assert.rejects(metrics.ask(question), refuses(message), String(message));
  }
});

Deno.test("many queries of a formula have as much room for groups together as two have", async () => {
  const hosts = Array.from({ length: 150 }, (_, host) => host);
  await using metrics = await stored(
    ...hosts.map((host) => gaugeSeries("load", { host: String(host) }, [[at(1), host]])),
  );
  const question = (queries: number) => ({
    end: new Date(at(0) + 2_000_000),
    stepMs: 1_000,
    queries: Array.from({ length: queries }, (_, place) => ({
      id: "abcdefghij"[place] ?? "z",
      metric: "load",
      aggregation: "avg" as const,
      groupBy: ["host"],
    })),
    formulas: [[..."abcdefghij"].slice(0, queries).join(" + ")],
  });
  const few = await metrics.ask(question(2));
  assert.deepEqual(few.notes, []);
  const many = await metrics.ask(question(10));
  assert.match(many.notes[0] ?? "", /of 150 groups the 100 largest were looked at/);
  const formula = many.series.filter(({ queryId }) => queryId === "f1");
  assert.deepEqual(formula.map(({ figures }) => figures.max)[0], 1_490);
  assert.equal(formula.length, 10);
});
