import assert from "node:assert/strict";
import fc from "fast-check";
import { prometheusWrite } from "@/lib/ingest/protocols/prometheus.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import type { Batch, MetricSeries } from "@/lib/records/mod.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { assertAllStorable, only, outcomesOf, recordsOf } from "../otlp/decode_request.ts";
import { RECEIVED_AT, TRACE } from "../otlp/otlp_samples.ts";
import { type FamilyForm, type SeriesForm, toV1, toV2 } from "./to_protobuf.ts";

const NOW = RECEIVED_AT.getTime();
const V1 = "application/x-protobuf";
const V2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

function decode(body: Uint8Array, contentType: string, projectId = "1"): Batch {
  const batch = prometheusWrite.decode(
    body,
    decodeContext({ receivedAt: RECEIVED_AT, contentType, projectId }),
  );
  assertAllStorable(batch);
  return batch;
}

function seriesIn(batch: Batch): readonly MetricSeries[] {
  return recordsOf(batch, "metrics").flatMap(({ series }) => series);
}

function kindsIn(batch: Batch): string[] {
  return seriesIn(batch).map(({ metric }) => `${metric.name} ${metric.kind} ${metric.unit || "-"}`);
}

/** A series of one sample. */
function named(name: string, labels: Record<string, string> = {}, value = 1): SeriesForm {
  return { labels: { __name__: name, ...labels }, samples: [{ value, timeMs: NOW }] };
}

async function answer(body: Uint8Array, contentType: string) {
  const request = new Request("http://x/api/v1/write", {
    headers: { "content-type": contentType },
  });
  const response = prometheusWrite.reply(decode(body, contentType), request);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const BOTH: Readonly<Record<string, (series: readonly SeriesForm[]) => Batch>> = {
  "1.0": (series) => decode(toV1(series), V1),
  "2.0": (series) => decode(toV2(series), V2),
};

for (const [version, send] of Object.entries(BOTH)) {
  Deno.test(`remote write ${version}: labels say what a series is`, () => {
    const batch = send([
      named("up", {
        job: "shop/web",
        instance: "a:1",
        env: "eu",
        version: "1.2",
        __replica__: "b",
      }),
      named("up", { job: "other", service: "mine", environment: "us", release: "r" }),
      named("go_info", { version: "go1.26" }),
    ]);
    assert.deepEqual(seriesIn(batch).map(({ labels }) => Object.fromEntries(labels)), [
      {
        env: "eu",
        environment: "eu",
        instance: "a:1",
        job: "shop/web",
        release: "1.2",
        service: "shop/web",
        version: "1.2",
      },
      { environment: "us", job: "other", release: "r", service: "mine" },
      { version: "go1.26" },
    ]);
    // Once more, now that they are remembered.
    assert.equal(seriesIn(send([named("go_info", { version: "go1.26" })])).length, 1);
  });

  Deno.test(`remote write ${version}: without metadata names tell kinds and units`, () => {
    const batch = send([
      named("node_cpu_seconds_total"),
      named("http_seconds_bucket", { le: "0.5" }),
      named("http_seconds_count"),
      named("http_seconds_sum"),
      named("process_resident_memory_bytes"),
      named("up"),
    ]);
    assert.deepEqual(kindsIn(batch), [
      "node_cpu_seconds_total counter s",
      "http_seconds_bucket counter -",
      "http_seconds_count counter -",
      "http_seconds_sum counter s",
      "process_resident_memory_bytes gauge By",
      "up gauge -",
    ]);
  });

  Deno.test(`remote write ${version}: an end of a series and NaN are taken and stored as nothing`, () => {
    const samples = [
      { value: "stale" as const, timeMs: NOW },
      { value: NaN, timeMs: NOW },
      { value: 3, timeMs: NOW - 1 },
    ];
    const batch = send([{ labels: { __name__: "up" }, samples }]);
    assert.deepEqual(only(seriesIn(batch)).points, [{ timeMs: NOW - 1, startMs: 0, value: 3 }]);
    assert.deepEqual(batch.outcomes, []);
  });

  Deno.test(`remote write ${version}: bad samples are counted, good ones kept`, () => {
    const day = 86_400_000;
    const batch = send([
      { labels: { __name__: "x" }, samples: [{ value: 1, timeMs: NOW - 91 * day }] },
      { labels: { __name__: "x" }, samples: [{ value: 1, timeMs: NOW + day }] },
      { labels: { __name__: "x" }, samples: [{ value: 1, timeMs: 0 }] },
      { labels: { __name__: "x" }, samples: [{ value: Infinity, timeMs: NOW }] },
      { labels: { __name__: "x_total" }, samples: [{ value: -1, timeMs: NOW }] },
      { labels: { job: "a" }, samples: [{ value: 1, timeMs: NOW }] },
      named("y".repeat(256)),
      named("x", { long: "l".repeat(1_025) }),
      named("good"),
    ]);
    assert.deepEqual(kindsIn(batch), ["good gauge -"]);
    assert.deepEqual(
      outcomesOf(batch).map((line) => line.replace("1 trace_metric invalid/", "")).toSorted(),
      [
        "future",
        "label_too_long",
        "name_too_long",
        "negative_counter",
        "no_name",
        "no_time",
        "not_finite",
        "too_old",
      ],
    );
  });

  Deno.test(`remote write ${version}: native histograms have OpenTelemetry's indexes`, () => {
    const whole = {
      count: 12,
      sum: 18.4,
      schema: 1,
      zeroThreshold: 0.001,
      zeroCount: 2,
      spans: [[0, 2], [1, 2]] as const,
      deltas: [1, 1, -1, 0],
      negativeSpans: [[-2, 1], [0, 1]] as const,
      negativeDeltas: [2, 1],
      timeMs: NOW,
    };
    const { deltas: _, ...rest } = whole;
    const fractions = {
      ...rest,
      isFloat: true,
      count: 12.5,
      counts: [1.5, 2, 1, 1],
      negativeDeltas: [2, 1],
    };
    const buckets = (histogram: typeof whole | typeof fractions) => {
      const batch = send([{ labels: { __name__: "took_seconds" }, histograms: [histogram] }]);
      const { shape, metric, temporality, points } = only(seriesIn(batch));
      assert.deepEqual([metric.kind, metric.unit, temporality], ["histogram", "s", "cumulative"]);
      assert.ok(shape === "histogram");
      return only(points).buckets;
    };
    assert.deepEqual(buckets(whole), {
      kind: "exponential",
      scale: 1,
      zeroCount: 2,
      zeroThreshold: 0.001,
      positive: { indexes: [-1, 0, 2, 3], counts: [1, 2, 1, 1] },
      negative: { indexes: [-3, -2], counts: [2, 3] },
    });
    const floats = buckets(fractions);
    assert.ok(floats.kind === "exponential");
    assert.deepEqual(floats.positive.counts, [1.5, 2, 1, 1]);
  });

  Deno.test(`remote write ${version}: custom bounds make explicit buckets`, () => {
    const custom = {
      count: 6,
      sum: 9,
      schema: -53,
      spans: [[0, 1], [1, 1]] as const,
      deltas: [2, 2],
      customBounds: [1, 2],
      timeMs: NOW,
    };
    const { shape, points } = only(seriesIn(
      send([{ labels: { __name__: "took" }, histograms: [custom] }]),
    ));
    assert.ok(shape === "histogram");
    assert.deepEqual(only(points).buckets, { kind: "explicit", bounds: [1, 2], counts: [2, 0, 4] });
  });

  Deno.test(`remote write ${version}: histograms that cannot be are rejected`, () => {
    const histogram = {
      count: 1,
      sum: 1,
      schema: 0,
      spans: [[0, 1]] as const,
      deltas: [1],
      timeMs: NOW,
    };
    const reasons = [
      { ...histogram, deltas: [1, 1] },
      { ...histogram, spans: [[0, 4_000_000_000]] as const },
      { ...histogram, spans: [[0, 1], [-1, 1]] as const, deltas: [1, 0] },
      { ...histogram, deltas: [-1] },
      { ...histogram, schema: 30 },
      { ...histogram, resetHint: 3 },
      { ...histogram, count: 0 },
      { ...histogram, schema: -53, customBounds: [2, 1], spans: [[3, 1]] as const },
    ].map((one) => {
      const batch = send([{ labels: { __name__: "took" }, histograms: [one] }]);
      return only(outcomesOf(batch)).replace("1 trace_metric invalid/", "");
    });
    assert.deepEqual(reasons, [
      "counts_differ",
      "counts_differ",
      "bad_bounds",
      "bad_count",
      "bad_scale",
      "gauge_histogram",
      "counts_differ",
      "counts_differ",
    ]);
    // An observation that was NaN is counted, but in no bucket.
    const stored = only(seriesIn(send([{
      labels: { __name__: "took" },
      histograms: [{ ...histogram, count: 2, sum: NaN }],
    }])));
    assert.ok(stored.shape === "histogram");
    assert.deepEqual([stored.points[0]?.count, stored.points[0]?.sum], [1, null]);
  });

  Deno.test(`remote write ${version}: exemplars keep their trace, and may come by themselves`, () => {
    const exemplar = (labels: Record<string, string>) => ({ labels, value: 0.3, timeMs: NOW - 5 });
    const labels = { __name__: "http_seconds_bucket", le: "0.5" };
    const batch = send([
      { labels, samples: [{ value: 4, timeMs: NOW }] },
      {
        labels,
        exemplars: [exemplar({ trace_id: TRACE, span_id: "eee19b7ec3c1b174" }), exemplar({})],
      },
      { labels: { __name__: "up" }, exemplars: [exemplar({ trace_id: TRACE })] },
    ]);
    const { points, exemplars } = only(seriesIn(batch));
    assert.equal(points.length, 1);
    const spanId = "eee19b7ec3c1b174";
    assert.deepEqual(exemplars, [{ traceId: TRACE, spanId, value: 0.3, timeMs: NOW - 5 }]);
  });

  Deno.test(`remote write ${version}: exemplars of samples at impossible times are of now`, () => {
    const timeMs = 2 ** 60;
    const batch = send([
      named("up"),
      {
        labels: { __name__: "http_seconds_bucket", le: "0.5" },
        samples: [{ value: 4, timeMs }],
        exemplars: [{ labels: { trace_id: TRACE }, value: 0.3, timeMs }],
      },
    ]);
    const times = seriesIn(batch).flatMap(({ exemplars }) => exemplars.map(({ timeMs }) => timeMs));
    assert.deepEqual(times, [NOW]);
  });

  Deno.test(`remote write ${version}: whatever bytes come, the answer is points or a refusal`, () => {
    const contentType = version === "1.0" ? V1 : V2;
    const form: SeriesForm[] = [
      named("up", { job: "a" }),
      {
        labels: { __name__: "took" },
        histograms: [{
          count: 3,
          sum: 2,
          schema: 2,
          spans: [[0, 2]],
          deltas: [1, 1],
          timeMs: NOW,
        }],
        exemplars: [{ labels: { trace_id: TRACE }, value: 1, timeMs: NOW }],
      },
    ];
    const seed = version === "1.0" ? toV1(form, [{ type: 1, name: "up" }]) : toV2(form);
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 6 });
    fc.assert(
      fc.property(changes, (edits) => {
        const body = seed.slice();
        for (const [at, byte] of edits) body[at % body.length] = byte;
        try {
          decode(body, contentType);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
}

Deno.test("remote write 1.0: metadata give kind, unit and help from then on, to their project only", () => {
  const families: FamilyForm[] = [
    { type: 1, name: "jobs", help: "Jobs done", unit: "" },
    { type: 2, name: "backlog_count", help: "Waiting" },
    { type: 3, name: "took", unit: "seconds" },
    { type: 5, name: "pause" },
  ];
  const series = [
    named("jobs"),
    named("backlog_count"),
    named("took_bucket", { le: "1" }),
    named("took_sum"),
    named("pause", { quantile: "0.5" }),
    named("pause_count"),
  ];
  const known = [
    "jobs counter -",
    "backlog_count gauge -",
    "took_bucket counter -",
    "took_sum counter s",
    "pause gauge -",
    "pause_count counter -",
  ];
  assert.deepEqual(kindsIn(decode(toV1(series, families), V1, "71")), known);
  const later = decode(toV1(series), V1, "71");
  assert.deepEqual(kindsIn(later), known);
  assert.equal(seriesIn(later)[0]?.metric.description, "Jobs done");
  assert.equal(kindsIn(decode(toV1(series), V1, "72"))[0], "jobs gauge -");
});

Deno.test("remote write 2.0: every series brings its metadata and when it was created", () => {
  const batch = decode(
    toV2([{
      labels: { __name__: "jobs" },
      samples: [{ value: 3, timeMs: NOW }, { value: 4, timeMs: NOW, startMs: NOW - 10 }],
      metadata: { type: 1, help: "Jobs done", unit: "bytes" },
      createdMs: NOW - 1_000,
    }]),
    V2,
  );
  const { metric, points } = only(seriesIn(batch));
  assert.deepEqual(metric, { name: "jobs", kind: "counter", unit: "By", description: "Jobs done" });
  assert.deepEqual(points.map(({ startMs }) => startMs), [NOW - 1_000, NOW - 10]);
});

Deno.test("remote write 2.0 is told how much was written, and 400 when some was not", async () => {
  const good = await answer(toV2([named("up"), named("down", {}, NaN)]), V2);
  assert.equal(good.status, 204);
  assert.equal(good.headers.get("x-prometheus-remote-write-samples-written"), "2");
  const some = await answer(toV2([named("up"), named("up", {}, Infinity)]), V2);
  assert.equal(some.status, 400);
  assert.equal(some.headers.get("x-prometheus-remote-write-samples-written"), "1");
  assert.equal(some.headers.get("x-prometheus-remote-write-histograms-written"), "0");
  assert.equal(some.headers.get("x-prometheus-remote-write-exemplars-written"), "0");
  assert.equal(some.text, "1 sample was rejected: a value is NaN or infinite.\n");
});

Deno.test("remote write 1.0 is told 400 only when nothing was taken", async () => {
  assert.equal((await answer(toV1([named("up"), named("up", {}, Infinity)]), V1)).status, 204);
  assert.equal((await answer(toV1([named("up", {}, Infinity)]), V1)).status, 400);
  assert.equal((await answer(new Uint8Array(), V1)).status, 204);
});

Deno.test("other messages are refused with 415, and damaged ones with 400", () => {
  const statusOf = (body: Uint8Array, contentType: string) => {
    try {
      decode(body, contentType);
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return error.status;
    }
  };
  for (const type of ["", "application/json", `${V1};proto=io.prometheus.write.v3.Request`]) {
    assert.equal(statusOf(new Uint8Array(), type), 415, type);
  }
  assert.equal(
    statusOf(new Uint8Array(), 'application/x-protobuf; proto="prometheus.WriteRequest"'),
    undefined,
  );
  const whole = toV1([named("up")]);
  assert.equal(statusOf(whole.slice(0, -1), V1), 400);
  const unknownSymbol = new Uint8Array([0x22, 0, 0x2a, 4, 0x0a, 2, 7, 8]);
  assert.equal(statusOf(unknownSymbol, V2), 400);
});

Deno.test("a flood of empty parts is refused", () => {
  const flood = (field: number) => {
    const bytes = new Uint8Array(2_000_000);
    for (let at = 0; at < bytes.length; at += 2) bytes[at] = field << 3 | 2;
    return bytes;
  };
  for (const [field, type] of [[1, V1], [3, V1], [4, V2], [5, V2]] as const) {
    assert.throws(
      () => decode(flood(field), type),
      (error) => error instanceof Refusal && error.status === 413,
    );
  }
});

/** Decodes as a service does that remembers the series of one project. */
function rememberingDecode() {
  const context = decodeContext({
    receivedAt: RECEIVED_AT,
    contentType: V1,
    projectId: crypto.randomUUID(),
  });
  return (body: Uint8Array): Batch => prometheusWrite.decode(body, context);
}

Deno.test("remote write 1.0: series that are known and others keep their order and their values", () => {
  const decodeNext = rememberingDecode();
  const at = (name: string, value: number): SeriesForm => ({
    labels: { __name__: name },
    samples: [{ value, timeMs: NOW + value }],
  });
  decodeNext(toV1([at("a_level", 9), at("b_level", 9), at("c_level", 9)]));
  const sent = ["a_level", "b_level", "new_level", "c_level", "a_level"].map((name, place) =>
    at(name, place)
  );
  const point = (value: number) => ({ timeMs: NOW + value, startMs: 0, value });
  const found = seriesIn(decodeNext(toV1(sent)));
  assert.deepEqual(found.map(({ metric, points }) => [metric.name, ...points]), [
    ["a_level", point(0), point(4)],
    ["b_level", point(1)],
    ["new_level", point(2)],
    ["c_level", point(3)],
  ]);
});

Deno.test("remote write 1.0: a type that stands behind known series counts for them", () => {
  const decodeNext = rememberingDecode();
  const series = [named("jobs_done")];
  decodeNext(toV1(series));
  assert.deepEqual(kindsIn(decodeNext(toV1(series))), ["jobs_done gauge -"]);
  const families = [{ name: "jobs_done", type: 1 }];
  assert.deepEqual(kindsIn(decodeNext(toV1(series, families))), ["jobs_done counter -"]);
});

Deno.test("remote write 1.0: known series behind which the body is damaged are refused with it", () => {
  const decodeNext = rememberingDecode();
  const body = toV1([named("whole_level")]);
  decodeNext(body);
  for (const tail of [[0x0a], [0x0a, 0x05, 1], [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff], [0x07]]) {
    const damaged = Uint8Array.of(...body, ...tail);
    assert.throws(
      () => decodeNext(damaged),
      (error) => error instanceof Refusal && error.status === 400,
    );
  }
});
