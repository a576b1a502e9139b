import assert from "node:assert/strict";
import type { PprofLabel } from "@/lib/formats/pprof/encode.ts";
import { type SampleFilter, sampleMatcher } from "@/lib/profiles/trees/sample_filter.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import { contentOf, CPU, profileOf } from "./profiles.ts";

const TRACE = "0123456789abcdef0123456789abcdef";

function passing(filter: SampleFilter, labels: readonly PprofLabel[][], head = {}): number[] {
  const profile = profileOf(labels.map((own) => ({ stack: "a", value: 1n, labels: own })), head);
  const matches = sampleMatcher(profile, filter);
  return labels.flatMap((_, sample) => matches(sample) ? [sample] : []);
}

const offset = (number: bigint): PprofLabel[] => [{ key: "offset", number, unit: "nanoseconds" }];

Deno.test("labels must have one of the values of every key", () => {
  const labels: PprofLabel[][] = [
    [{ key: "api", text: "query" }, { key: "bytes", number: 16n }],
    [{ key: "api", text: "write" }, { key: "bytes", number: 32n }],
    [{ key: "api", text: "query" }],
    [],
  ];
  assert.deepEqual(passing({ labels: [["api", "query"]] }, labels), [0, 2]);
  assert.deepEqual(passing({ labels: [["api", "query"], ["api", "write"]] }, labels), [0, 1, 2]);
  assert.deepEqual(passing({ labels: [["api", "query"], ["bytes", "16"]] }, labels), [0]);
});

Deno.test("a label that no sample has is one of the whole profile", () => {
  const labels: PprofLabel[][] = [[{ key: "api", text: "query" }], []];
  assert.deepEqual(passing({ labels: [["region", "eu"]] }, labels), [0, 1]);
  assert.deepEqual(passing({ labels: [["region", "eu"], ["api", "query"]] }, labels), [0]);
});

Deno.test("traces and spans are found however they are written", () => {
  const labels: PprofLabel[][] = [
    [{ key: "trace_id", text: TRACE }, { key: "span_id", text: "00000000000000ff" }],
    [{ key: "Trace-Id", text: TRACE.toUpperCase() }, { key: "span id", number: 255n }],
    [{ key: "trace_id", text: "ff".repeat(16) }, { key: "profile_id", text: "255" }],
    [],
  ];
  assert.deepEqual(passing({ traceId: TRACE }, labels), [0, 1]);
  assert.deepEqual(passing({ spanId: "00000000000000ff" }, labels), [0, 1, 2]);
  assert.deepEqual(passing({ traceId: TRACE, spanId: "00000000000000ff" }, labels), [0, 1]);
  assert.deepEqual(passing({ traceId: TRACE }, [[], []]), []);
});

Deno.test("threads are found by text and number", () => {
  const labels: PprofLabel[][] = [
    [{ key: "thread_id", text: "7" }],
    [{ key: "thread id", number: 7n }],
    [{ key: "thread_id", text: "8" }],
  ];
  assert.deepEqual(passing({ threadId: "7" }, labels), [0, 1]);
});

Deno.test("times are those of the samples, from the first included to the last excluded", () => {
  const labels = [offset(0n), offset(10n), offset(20n)];
  const head = { timeNanos: 1_000n, durationNanos: 30n };
  assert.deepEqual(passing({ fromNanos: 1_010n }, labels, head), [1, 2]);
  assert.deepEqual(passing({ fromNanos: 1_010n, untilNanos: 1_020n }, labels, head), [1]);
  assert.deepEqual(passing({ untilNanos: 1_000n }, labels, head), []);
});

Deno.test("samples without a time belong to all of the profile", () => {
  const head = { timeNanos: 1_000n, durationNanos: 30n };
  assert.deepEqual(passing({ fromNanos: 1_020n, untilNanos: 2_000n }, [[], []], head), [0, 1]);
  assert.deepEqual(passing({ fromNanos: 1_031n }, [[], []], head), []);
});

Deno.test("only matching samples are added up", () => {
  const profile = profileOf([
    { stack: "a", value: 1n, labels: [{ key: "thread_id", text: "1" }] },
    { stack: "a;b", value: 2n, labels: [{ key: "thread_id", text: "2" }] },
  ]);
  const builder = new StackBuilder([CPU]);
  builder.add(profile, { where: { threadId: "2" } });
  assert.deepEqual(contentOf(builder.build()), { "": "0", "a": "0", "a;b": "2" });
});
