/** What programs send as protobuf, with one place of it that says what no encoder writes. */
import assert from "node:assert/strict";
import { anyValue, attributes } from "@/test/lib/formats/otlp/otlp_samples.ts";
import {
  logsToProtobuf,
  metricsToProtobuf,
  tracesToProtobuf,
} from "@/test/lib/formats/otlp/otlp_to_protobuf.ts";
import { DICTIONARY, profile, request } from "@/test/lib/formats/otlp/samples.ts";
import { profilesToProtobuf } from "@/test/lib/formats/otlp/to_protobuf.ts";
import { type Bytes, joined, raw } from "@/test/lib/formats/pprof/messages.ts";
import { type SeriesForm, toV1, toV2 } from "@/test/lib/formats/prometheus/to_protobuf.ts";
import {
  brokenMessages,
  changedFields,
  longFields,
  replaced,
} from "@/test/support/hostile_protobuf.ts";
import {
  assertAllAmong,
  chunks,
  newId,
  pagesAnswer,
  senders,
  type Sent,
} from "@/test/support/hostile_senders.ts";
import { CPU_SAMPLES, pprofBytes } from "@/test/support/pprof.ts";
import { AT as NOW_AT, OTLP_TRACE } from "@/test/support/transferred.ts";

/** Of one request; of long ones fewer fit. */
const MESSAGES = 40;
const LONG_MESSAGES = 4;
const PROTOBUF = "application/x-protobuf";
const TRACE_BYTES = Uint8Array.fromHex(OTLP_TRACE);
/** Old enough to be packed. */
const AT = NOW_AT - 4 * 3_600;
const nanos = (at: number) => String(BigInt(Math.round(at * 1e6)) * 1_000n);
const encode = (text: string) => new TextEncoder().encode(text);

/** One of every kind of value. */
const ATTRIBUTES = [
  ...attributes({ "http.route": "/orders", ok: true, size: 7, ratio: 0.5 }),
  { key: "list", value: anyValue(["a", 1]) },
  { key: "map", value: { kvlistValue: { values: attributes({ a: "b" }) } } },
  { key: "bytes", value: { bytesValue: "AQID" } },
];
const RESOURCE = {
  attributes: attributes({ "service.name": "orders", "host.name": "a" }),
  droppedAttributesCount: 1,
};
const SCOPE = { name: "meter", version: "1", attributes: attributes({ a: "b" }) };
const SCHEMA = "https://opentelemetry.io/schemas/1.37.0";

const ERROR_EVENT = {
  timeUnixNano: nanos(AT + 0.5),
  name: "exception",
  attributes: attributes({
    "exception.type": "Deadlock",
    "exception.message": "two of them",
    "exception.stacktrace": "Error: two\n    at f (/a.js:1:2)",
  }),
};

const span = (traceId: string) => ({
  traceId,
  spanId: "aaaaaaaaaaaaaaaa",
  parentSpanId: "bbbbbbbbbbbbbbbb",
  traceState: "a=b",
  flags: 257,
  name: "GET /orders",
  kind: 2,
  startTimeUnixNano: nanos(AT),
  endTimeUnixNano: nanos(AT + 0.75),
  attributes: ATTRIBUTES,
  droppedAttributesCount: 1,
  events: [ERROR_EVENT],
  droppedEventsCount: 1,
  links: [{ traceId, spanId: "1111111111111111", attributes: attributes({ a: "b" }), flags: 1 }],
  droppedLinksCount: 1,
  status: { code: 2, message: "boom" },
});

const log = (traceId: string) => ({
  timeUnixNano: nanos(AT),
  observedTimeUnixNano: nanos(AT + 1),
  severityNumber: 17,
  severityText: "ERROR",
  body: { stringValue: "it broke" },
  attributes: [...ATTRIBUTES, ...ERROR_EVENT.attributes],
  droppedAttributesCount: 1,
  flags: 1,
  eventName: "failed",
  traceId,
  spanId: "aaaaaaaaaaaaaaaa",
});

const times = { startTimeUnixNano: nanos(AT - 60), timeUnixNano: nanos(AT), flags: 0 };
const EXEMPLAR = {
  timeUnixNano: nanos(AT),
  asDouble: 1.5,
  spanId: "aaaaaaaaaaaaaaaa",
  traceId: OTLP_TRACE,
  filteredAttributes: attributes({ a: "b" }),
};
const POINT = { ...times, attributes: attributes({ route: "/orders" }), exemplars: [EXEMPLAR] };
const METRICS = [
  { gauge: { dataPoints: [{ ...POINT, asDouble: 1.5 }] } },
  {
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...POINT, asInt: "7" }] },
  },
  {
    histogram: {
      aggregationTemporality: 1,
      dataPoints: [{
        ...{ ...POINT, count: "6", sum: 90.5, min: 1, max: 60 },
        ...{ explicitBounds: [5, 25, 50], bucketCounts: ["1", "2", "2", "1"] },
      }],
    },
  },
  {
    exponentialHistogram: {
      aggregationTemporality: 1,
      dataPoints: [{
        ...{ ...POINT, count: "18", sum: 1, min: -9, max: 9, scale: 2, zeroCount: "2" },
        ...{ zeroThreshold: 0.1, positive: { offset: 3, bucketCounts: ["2", "0", "6"] } },
        negative: { offset: -3, bucketCounts: ["8"] },
      }],
    },
  },
  {
    summary: {
      dataPoints: [{
        ...{ ...times, attributes: POINT.attributes, count: "3", sum: 9.5 },
        quantileValues: [{ quantile: 0.5, value: 2.5 }, { quantile: 1, value: 9 }],
      }],
    },
  },
];
const metric = (name: string, data: unknown) => ({
  ...{ name, unit: "ms", description: "How long", metadata: attributes({ a: "b" }) },
  ...data as Record<string, unknown>,
});

interface Walk {
  readonly name: string;
  readonly path: string;
  /** What is changed in one place: requests that stand behind each other are one. */
  readonly samples: readonly Bytes[];
  /** A request that is in order, by an id with which it is stored. */
  good(id: string): Bytes;
  /** What is stored of those. */
  readonly storedIds: (sent: Sent) => Promise<readonly { readonly id: string }[]>;
}

const around = { resource: RESOURCE, schemaUrl: SCHEMA };
const traces = (id: string) =>
  tracesToProtobuf({
    resourceSpans: [{
      ...around,
      scopeSpans: [{ scope: SCOPE, spans: [span(id)], schemaUrl: SCHEMA }],
    }],
  });
const logs = (id: string) =>
  logsToProtobuf({
    resourceLogs: [{
      ...around,
      scopeLogs: [{ scope: SCOPE, logRecords: [log(id)], schemaUrl: SCHEMA }],
    }],
  });
const metrics = (name: string, data: unknown) =>
  metricsToProtobuf({
    resourceMetrics: [{
      ...around,
      scopeMetrics: [{ scope: SCOPE, metrics: [metric(name, data)], schemaUrl: SCHEMA }],
    }],
  });

const WALKS: readonly Walk[] = [
  {
    name: "spans",
    path: "/v1/traces",
    samples: [traces(OTLP_TRACE)],
    good: traces,
    storedIds: ({ app, projectId }) =>
      app.services.sql<{ id: string }[]>`
        select replace(trace_id::text, '-', '') as id from span_batches
        where project_id = ${projectId}
      `,
  },
  {
    name: "logs",
    path: "/v1/logs",
    samples: [logs(OTLP_TRACE)],
    good: logs,
    storedIds: ({ app, projectId }) =>
      app.services.sql<{ id: string }[]>`
        select replace(trace_id::text, '-', '') as id from logs where project_id = ${projectId}
      `,
  },
  {
    name: "metrics",
    path: "/v1/metrics",
    samples: METRICS.map((data, place) => metrics(`latency.${place}`, data)),
    good: (id) => metrics(`good.${id}`, METRICS[0]),
    storedIds: ({ app, projectId }) =>
      app.services.sql<{ id: string }[]>`
        select split_part(name, '.', 2) as id from metrics
        where project_id = ${projectId} and name like 'good.%'
      `,
  },
];

Deno.test("whatever any field of OTLP says in protobuf, what is beside it is stored, and pages show what is", async (t) => {
  await using sent = await senders();
  for (const { name, path, samples, good, storedIds } of WALKS) {
    sent.good.length = 0;
    let taken = 0;
    const withGood = async (some: readonly Uint8Array[]): Promise<void> => {
      const id = newId();
      const fresh = some.map((each) => replaced(each, TRACE_BYTES, Uint8Array.fromHex(newId())));
      const status = await sent.post(path, joined(good(id), ...fresh), PROTOBUF);
      if (status === 200) {
        sent.good.push(id);
        taken += some.length;
        return;
      }
      // What cannot be read at all is the end of all of them.
      assert.equal(status, 400);
      if (some.length === 1) return;
      const half = some.length / 2;
      for (const part of [some.slice(0, half), some.slice(half)]) await withGood(part);
    };
    await t.step(name, async () => {
      const changed = samples.flatMap((sample) => [...changedFields(sample)]);
      for (const some of chunks(changed, MESSAGES)) await withGood(some);
      assert.ok(taken > 0.9 * changed.length, `${taken} of ${changed.length}`);
      const long = samples.flatMap((sample) => [...longFields(sample)]);
      for (const some of chunks(long, LONG_MESSAGES)) await withGood(some);
      assertAllAmong(sent, await storedIds(sent));
    });
    await t.step(`${name} that nobody can read`, async () => {
      const broken = samples.flatMap((sample) => [...brokenMessages(sample)]);
      const statuses = await sent.postAll(path, broken, PROTOBUF);
      assert.deepEqual([...statuses.keys()].toSorted(), [200, 400]);
    });
  }
  await t.step("pages", () => pagesAnswer(sent));
});

const NOW = AT * 1_000;
const LABELS = { __name__: "latency_seconds", job: "shop", instance: "a:1", route: "/" };
const SERIES: readonly SeriesForm[] = [
  {
    labels: LABELS,
    samples: [{ value: 1.5, timeMs: NOW, startMs: NOW - 60_000 }, { value: 2, timeMs: NOW + 1 }],
    exemplars: [{ labels: { trace_id: OTLP_TRACE }, value: 1, timeMs: NOW }],
    metadata: { type: 1, help: "How long", unit: "seconds" },
    createdMs: NOW - 60_000,
  },
  {
    labels: { ...LABELS, __name__: "sizes" },
    histograms: [
      {
        ...{ count: 12, sum: 9.5, schema: 3, zeroCount: 2, zeroThreshold: 0.1, timeMs: NOW },
        ...{ spans: [[0, 2], [1, 1]], negativeSpans: [[-3, 1]] },
        ...{ deltas: [2, 1, 1], negativeDeltas: [1], resetHint: 1 },
      },
      {
        ...{ count: 11, sum: 9.5, schema: 3, zeroCount: 2, zeroThreshold: 0.1, timeMs: NOW + 1 },
        ...{ spans: [[0, 2], [1, 1]], counts: [2, 3, 4], isFloat: true },
      },
    ],
  },
  {
    labels: { ...LABELS, __name__: "bounds" },
    histograms: [{
      ...{ count: 3, sum: 9.5, schema: -53, spans: [[0, 3]], deltas: [1, 0, 0], timeMs: NOW },
      customBounds: [1, 2],
    }],
  },
];
const FAMILIES = [{ type: 1, name: "latency_seconds", help: "How long", unit: "seconds" }];
/** Of `push.v1.PushRequest`: labels, and profiles. */
const PUSH = raw(
  1,
  joined(
    ...[["__name__", "process_cpu"], ["service_name", "shop"], ["pod", "a"]].map(([name, value]) =>
      raw(1, joined(raw(1, encode(name ?? "")), raw(2, encode(value ?? ""))))
    ),
    raw(2, joined(raw(1, pprofBytes()), raw(2, encode("id")))),
  ),
);
const PROFILE = pprofBytes(
  CPU_SAMPLES.map((sample) => ({
    ...sample,
    labels: [{ key: "trace_id", text: OTLP_TRACE }, { key: "bytes", number: 7n, unit: "bytes" }],
  })),
);

/** Requests of which each is whole by itself. */
const REQUESTS: readonly (readonly [name: string, path: string, type: string, sample: Bytes])[] = [
  ["remote write 1.0", "/api/v1/write", PROTOBUF, toV1(SERIES, FAMILIES)],
  [
    "remote write 2.0",
    "/api/v1/write",
    `${PROTOBUF};proto=io.prometheus.write.v2.Request`,
    toV2(SERIES),
  ],
  [
    "OTLP's profiles",
    "/v1development/profiles",
    PROTOBUF,
    profilesToProtobuf(request([
      profile({
        profileId: OTLP_TRACE,
        attributeIndices: [1],
        samples: [
          { stackIndex: 1, values: ["30000000"], attributeIndices: [1, 2], linkIndex: 1 },
          { stackIndex: 3, timestampsUnixNano: [nanos(AT), nanos(AT + 1)] },
        ],
      }),
    ], { scope: { a: "b" }, dictionary: DICTIONARY })),
  ],
  ["pprof", "/api/v1/profiles/pprof?service=shop", "application/octet-stream", PROFILE],
  ["Pyroscope's calls", "/push.v1.PusherService/Push", "application/proto", PUSH],
];

Deno.test("whatever any field of other protobuf says, it ends in no error of ours, and pages show what is stored", async (t) => {
  await using sent = await senders();
  for (const [name, path, type, sample] of REQUESTS) {
    await t.step(name, async () => {
      assert.ok(await sent.post(path, sample, type) < 300);
      for (const kind of [changedFields, longFields, brokenMessages]) {
        await sent.postAll(path, kind(sample), type);
      }
      assert.ok(await sent.post(path, sample, type) < 300);
    });
  }
  await t.step("pages", () => pagesAnswer(sent));
});
