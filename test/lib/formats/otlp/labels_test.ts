import assert from "node:assert/strict";
import { DEFAULT_SETTINGS } from "@/lib/accounts/projects.ts";
import { policyOf } from "@/lib/ingest/policy.ts";
import type { Policy } from "@/lib/formats/decode_context.ts";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { decodeMetrics, decodeWith, only, outcomesOf, recordsOf } from "./decode_request.ts";
import { attributes, metrics, RESOURCE } from "./otlp_samples.ts";
import { metricsToProtobuf } from "./otlp_to_protobuf.ts";
import { labelsOf, point, sum } from "./read_batch.ts";

function labels(
  own: Record<string, unknown>,
  resource: Record<string, unknown> = {},
): Record<string, string> {
  const request = metrics([sum([point({ attributes: attributes(own) })])], resource);
  const [series] = only(recordsOf(decodeMetrics(request), "metrics")).series;
  assert.ok(series !== undefined);
  const keys = series.labels.map(([key]) => key);
  assert.deepEqual(keys, keys.toSorted());
  const { "otel.scope.name": scope, ...rest } = labelsOf(series);
  assert.equal(scope, "shop");
  return rest;
}

Deno.test("the resource's attributes are labels, its service, environment and release by our names", () => {
  assert.deepEqual(labels({ route: "/a" }, RESOURCE), {
    environment: "production",
    "host.name": "web-1",
    release: "1.4.2",
    route: "/a",
    service: "checkout",
  });
});

Deno.test("what says how a process was started is no label; its number only where nothing else tells it apart", () => {
  const resource = {
    "process.pid": 12,
    "process.command": "node",
    "process.command_args": ["node", "x"],
    "process.executable.name": "node",
    "process.owner": "root",
    "process.runtime.name": "nodejs",
    "telemetry.sdk.name": "opentelemetry",
    "service.name": "unknown_service:node",
  };
  assert.deepEqual(labels({}, resource), {
    "process.pid": "12",
    "process.runtime.name": "nodejs",
  });
  const identified = { ...resource, "service.instance.id": "a" };
  assert.deepEqual(labels({}, identified), {
    "process.runtime.name": "nodejs",
    "service.instance.id": "a",
  });
});

Deno.test("older names of an environment count, and others of another value stay", () => {
  assert.deepEqual(labels({}, { "deployment.environment": "eu" }), { environment: "eu" });
  const both = { "deployment.environment.name": "eu", "deployment.environment": "eu", env: "x" };
  assert.deepEqual(labels({}, both), { environment: "eu", env: "x" });
});

Deno.test("a point's own attributes win over the resource's", () => {
  const resource = { "service.name": "a", zone: "1", "deployment.environment.name": "eu" };
  assert.deepEqual(labels({ "service.name": "b", zone: "2", environment: "us" }, resource), {
    "deployment.environment.name": "eu",
    environment: "us",
    service: "b",
    zone: "2",
  });
});

Deno.test("values that are no texts become texts, and empty ones nothing", () => {
  const values = { a: 1.5, b: true, c: [1, "x"], d: { e: 1 }, f: "", g: null, "": "x" };
  assert.deepEqual(labels(values), { a: "1.5", b: "true", c: '[1,"x"]', d: '{"e":1}' });
});

Deno.test("attributes of a resource that are too long are left out, those of a point are its fault", () => {
  assert.deepEqual(labels({}, { long: "x".repeat(1_025), short: "y".repeat(1_024) }), {
    short: "y".repeat(1_024),
  });
  const request = metrics([sum([
    point({ attributes: attributes({ long: "x".repeat(10_000) }) }),
    point({ attributes: attributes({ ["k".repeat(257)]: "x" }) }),
    point({ attributes: attributes({ wide: "€".repeat(400) }) }),
    point({
      attributes: attributes(
        Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index])),
      ),
    }),
    point({
      attributes: attributes(
        Object.fromEntries(
          Array.from({ length: 17 }, (_, index) => [`k${index}`, "x".repeat(999)]),
        ),
      ),
    }),
    point(),
  ])]);
  assert.deepEqual(outcomesOf(decodeMetrics(request)), [
    "3 trace_metric invalid/label_too_long",
    "1 trace_metric invalid/too_many_labels",
    "1 trace_metric invalid/labels_too_long",
  ]);
});

Deno.test("secrets in labels are hidden", () => {
  const { password, url } = labels({ password: "hunter2", url: "https://a:b@c.example/" });
  assert.equal(password, "[Filtered]");
  assert.ok(!url?.includes(":b@"));
});

Deno.test("points of releases that the project does not want are counted as filtered", () => {
  const { filters } = DEFAULT_SETTINGS;
  const policy = policyOf({ ...DEFAULT_SETTINGS, filters: { ...filters, releases: ["1.4.*"] } });
  const { records, outcomes } = decodeMetrics(metrics([sum([point(), point()])]), { policy });
  assert.deepEqual(records, []);
  assert.deepEqual(outcomes, [
    { category: "trace_metric", kind: "filtered", reason: "release", quantity: 2 },
  ]);
});

Deno.test("a resource with long attributes and very many points does not fill the memory", () => {
  const long = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`k${index}`, String(index).repeat(500)]),
  );
  const points = Array.from(
    { length: 9_000 },
    (_, index) => point({ attributes: attributes({ index }) }),
  );
  const decoded = decodeMetrics(metrics([sum(points)], long));
  const [record] = recordsOf(decoded, "metrics");
  const taken = record?.pointCount ?? 0;
  assert.ok(taken > 5_000 && taken < 9_000, String(taken));
  assert.equal(record?.series.length, taken);
  assert.deepEqual(outcomesOf(decoded), [
    `${9_000 - taken} trace_metric invalid/request_too_long`,
  ]);
});

Deno.test("attributes that were read once are not read again, in either encoding", () => {
  const sent = attributes({ route: "/a", password: "hunter2" });
  const request = metrics([sum([point({ attributes: sent })])]);
  const protobuf = { contentType: "application/x-protobuf" };
  const encodings = [
    (policy: Policy) => decodeMetrics(request, { policy }),
    (policy: Policy) =>
      decodeWith(otlpMetrics, metricsToProtobuf(request), { ...protobuf, policy }),
  ];
  for (const decode of encodings) {
    let read = 0;
    const usual = policyOf(DEFAULT_SETTINGS);
    const policy: Policy = {
      ...usual,
      scrubObject(object) {
        if (Object.hasOwn(object, "route")) read++;
        usual.scrubObject(object);
      },
    };
    const all = [decode(policy), decode(policy)].map((batch) => {
      const [series] = only(recordsOf(batch, "metrics")).series;
      return series === undefined ? {} : labelsOf(series);
    });
    assert.deepEqual(all.map(({ password }) => password), ["[Filtered]", "[Filtered]"]);
    assert.deepEqual(all[0], all[1]);
    assert.equal(read, 1);
  }
});

Deno.test("attributes that are nearly those of something remembered are told apart", () => {
  const policy = policyOf(DEFAULT_SETTINGS);
  const texts: readonly (readonly [sent: unknown, text: string | undefined])[] = [
    [attributes({ value: 1 }), "1"],
    [attributes({ value: "1.0" }), "1.0"],
    [attributes({ value: [1] }), "[1]"],
    [attributes({ value: ["1"] }), '["1"]'],
    [[], undefined],
    [undefined, undefined],
    [attributes({ value: "x".repeat(1_000), route: "y".repeat(1_000) }), "x".repeat(1_000)],
  ];
  for (const [sent, text] of [...texts, ...texts]) {
    const batch = decodeMetrics(metrics([sum([point({ attributes: sent })])]), { policy });
    const [series] = only(recordsOf(batch, "metrics")).series;
    assert.equal(series && labelsOf(series).value, text);
  }
});
