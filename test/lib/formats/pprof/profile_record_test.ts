import assert from "node:assert/strict";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import type { PprofHead } from "@/lib/formats/pprof/encode.ts";
import {
  indexSamples,
  type ProfileFacts,
  profileRecord,
} from "@/lib/formats/pprof/profile_record.ts";
import { valueTypesOf } from "@/lib/formats/pprof/sample_types.ts";
import { inTime } from "@/test/support/time_budget.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { CPU_SAMPLES, pprofBytes, type TestSample } from "@/test/support/pprof.ts";

const RECEIVED_AT = new Date("2026-11-20T12:00:00Z");
const STARTED_AT = BigInt(RECEIVED_AT.getTime() - 60_000) * 1_000_000n;

interface Changes {
  readonly samples?: readonly TestSample[];
  readonly head?: Partial<PprofHead>;
  readonly facts?: Partial<ProfileFacts>;
}

function record({ samples = CPU_SAMPLES, head, facts }: Changes = {}) {
  const plain = pprofBytes(samples, { timeNanos: STARTED_AT, ...head });
  return profileRecord(decodePprof(plain).profile, {
    ...decodeContext({ receivedAt: RECEIVED_AT }),
    profileId: "a".repeat(32),
    source: "pprof",
    bytes: new Uint8Array([1]),
    service: "shop",
    instance: "",
    platform: "",
    environment: "",
    release: "",
    ...facts,
  });
}

Deno.test("a profile begins when its client says, else when it says itself", () => {
  const from = new Date("2026-11-20T10:00:00Z");
  const until = new Date("2026-11-20T10:01:00Z");
  const startOf = (changes: Changes) => record(changes).timestamp.toISOString().slice(11, 19);
  assert.equal(startOf({}), "11:59:00");
  assert.equal(startOf({ facts: { from } }), "10:00:00");
  assert.equal(startOf({ facts: { until } }), "11:59:00");
  assert.equal(startOf({ facts: { until }, head: { timeNanos: 0n } }), "10:00:50");
  assert.equal(startOf({ head: { timeNanos: 0n } }), "12:00:00");
});

Deno.test("times of 1970, of tomorrow and from before the retention become that of receipt", () => {
  const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;
  for (const time of ["1970-01-02", "2026-11-21", "2026-01-01"]) {
    const { timestamp } = record({ head: { timeNanos: at(`${time}T00:00:00Z`) } });
    assert.equal(timestamp.getTime(), RECEIVED_AT.getTime(), time);
  }
});

Deno.test("a duration is the profile's own, else that between from and until", () => {
  const facts = { from: RECEIVED_AT, until: new Date(RECEIVED_AT.getTime() + 15_000) };
  assert.equal(record({ facts }).durationMs, 10_000);
  assert.equal(record({ facts, head: { durationNanos: 0n } }).durationMs, 15_000);
  assert.equal(record({ head: { durationNanos: 0n } }).durationMs, 0);
});

Deno.test("a profile that only counts samples has the time between them among its totals", () => {
  const { totals, samples } = record({
    samples: [{ stack: ["a"], values: [7n] }],
    head: { sampleTypes: [{ type: "samples", unit: "count" }] },
  });
  assert.equal(samples, 1);
  assert.deepEqual(totals, [
    { type: "samples", unit: "count", total: 7n },
    { type: "cpu", unit: "nanoseconds", total: 70_000_000n },
  ]);
});

Deno.test("labels have at most 64 keys of 100 values, those of the upload first", () => {
  const labels = Array.from({ length: 99 }, (_, key) => ({ key: `k${key}`, text: "v" }));
  const samples = Array.from({ length: 150 }, (_, value) => ({
    stack: ["a"],
    values: [1n, 1n],
    labels: [{ key: "many", text: `v${value}` }, ...labels],
  }));
  const found = record({ samples, facts: { labels: { own: ["1"] } } }).labels;
  assert.equal(Object.keys(found).length, 64);
  assert.deepEqual(found.own, ["1"]);
  assert.equal(found.many?.length, 100);
});

Deno.test("labels that a project calls secret are not indexed as they are", () => {
  const { labels } = record({
    samples: [{ stack: ["a"], values: [1n, 1n], labels: [{ key: "password", text: "hunter2" }] }],
  });
  assert.ok(!JSON.stringify(labels).includes("hunter2"));
});

Deno.test("spans of samples belong to the trace of the whole profile when they name none", () => {
  const spanId = "00f067aa0ba902b7";
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const samples = [
    { stack: ["a"], values: [1n, 2n], labels: [{ key: "profile_id", text: spanId }] },
    { stack: ["a"], values: [1n, 2n], labels: [{ key: "span id", number: BigInt(`0x${spanId}`) }] },
  ];
  assert.deepEqual(record({ samples }).traces, []);
  assert.deepEqual(record({ samples, facts: { traceId } }).traces, [
    { traceId, spanId, totals: [2n, 4n] },
  ]);
});

Deno.test("what was sent is kept beside the pprof under a key of its own", () => {
  const { blob, original } = record({ facts: { original: new Uint8Array([2]) } });
  assert.equal(blob.key, `profiles/1/2026-11-20/${"a".repeat(32)}`);
  assert.deepEqual(original, { key: `${blob.key}.original`, bytes: new Uint8Array([2]) });
  assert.equal(record().original, null);
});

Deno.test("a profile that names another trace in every sample is indexed in good time", () => {
  const ids = Array.from({ length: 60_000 }, (_, at) => (at + 1).toString(16).padStart(32, "0"));
  const samples = ids.map((text, at): TestSample => ({
    stack: ["main"],
    values: [1n, 1n],
    labels: [{ key: "trace_id", text }, { key: "user", text: `u${at}` }],
  }));
  const plain = decodePprof(pprofBytes(samples, { timeNanos: STARTED_AT })).profile;
  const index = () => indexSamples(plain, valueTypesOf(plain), null);
  const { labels, traces } = inTime(150, index);
  assert.deepEqual([traces.length, labels.lists().user?.length], [1_000, 100]);
});
