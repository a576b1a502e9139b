import assert from "node:assert/strict";
import { mergeProfiles } from "@/lib/profiles/merge/merge.ts";
import { readTraceProfiles } from "@/lib/profiles/queries/trace_profiles.ts";
import { newEventId } from "@/test/support/error_event.ts";
import {
  day,
  linesOf,
  profiledProject,
  PROJECT,
  selectionOf,
  type StoredSpec,
} from "@/test/support/profiled_project.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "@/test/support/records.ts";

const START = Date.parse(`${day(-1)}T10:00:00Z`);
const PROFILER = "c".repeat(32);
const CART = "GET /cart";

/** A minute of a continuous profiler: each second one sample of each of two threads. */
function chunk(offsetMs = 0): StoredSpec {
  const seconds = Array.from({ length: 60 }, (_, second) => second);
  return {
    at: new Date(START + offsetMs),
    source: "sentry_sample_v2",
    profilerId: PROFILER,
    head: { durationNanos: 60_000_000_000n },
    samples: seconds.flatMap((second) =>
      ["1", "2"].map((thread) => ({
        stack: [`thread${thread}`, `second${second + offsetMs / 1_000}`],
        values: [1n, 1n],
        labels: [
          { key: "offset", number: BigInt(second) * 1_000_000_000n, unit: "nanoseconds" },
          { key: "thread_id", text: thread },
        ],
      }))
    ),
  };
}

/** A transaction from one second after the start to another. */
function ran(from: number, until: number, thread: string | null, fields = {}) {
  const data = thread === null ? {} : { "thread.id": thread };
  return transactionRecord({
    name: CART,
    startedAt: new Date(START + from * 1_000),
    timestamp: new Date(START + until * 1_000),
    durationMs: (until - from) * 1_000,
    profilerId: PROFILER,
    payload: JSON.stringify({ contexts: { trace: { data } } }),
    ...fields,
  });
}

function ofCart() {
  return selectionOf({ transaction: CART });
}

Deno.test("a trace has its own profiles, those whose samples name it, and those of profilers that ran", async () => {
  await using project = await profiledProject();
  const traceId = newEventId();
  const entry = ran(1, 3, "2", { traceId });
  const labels = (
    span: string,
  ) => [{ key: "trace_id", text: traceId }, { key: "span_id", text: span }];
  await project.store(entry);
  const [own, named, running] = await project.profiles(
    { at: new Date(START), traceId, transactionId: entry.eventId, source: "sentry_sample_v1" },
    {
      at: new Date(START + 1),
      samples: [
        { stack: ["a"], values: [1n, 1n], labels: labels("00000000000000a1") },
        { stack: ["b"], values: [1n, 1n], labels: labels("00000000000000a2") },
        { stack: ["c"], values: [1n, 1n], labels: [{ key: "trace_id", text: traceId }] },
      ],
    },
    { ...chunk(), at: new Date(START + 2) },
    chunk(3_600_000),
    { at: new Date(START), traceId: newEventId() },
  );
  const found = await readTraceProfiles(project.sql, PROJECT, traceId);
  assert.deepEqual(
    found.map(({ profileId, spanId, isByLabel, clip, threadId }) => (
      { profileId, spanId, isByLabel, clip, threadId }
    )),
    [
      {
        profileId: own?.profileId,
        spanId: entry.spanId,
        isByLabel: false,
        clip: null,
        threadId: null,
      },
      {
        profileId: named?.profileId,
        spanId: "00000000000000a1",
        isByLabel: true,
        clip: null,
        threadId: null,
      },
      {
        profileId: named?.profileId,
        spanId: "00000000000000a2",
        isByLabel: true,
        clip: null,
        threadId: null,
      },
      {
        profileId: running?.profileId,
        spanId: entry.spanId,
        isByLabel: false,
        clip: { start: START + 1_000, end: START + 3_000 },
        threadId: "2",
      },
    ],
  );
  const [first] = found;
  assert.deepEqual(
    [
      first?.source,
      first?.kind,
      first?.types,
      first?.time,
      first?.durationMs,
      found[3]?.profilerId,
    ],
    ["sentry_sample_v1", "cpu", ["samples:count", "cpu:nanoseconds"], START, 10_000, PROFILER],
  );
  assert.deepEqual(await readTraceProfiles(project.sql, "2", traceId), []);
  assert.deepEqual(await readTraceProfiles(project.sql, PROJECT, newEventId()), []);
});

Deno.test("samples of one trace, or of one of its spans, are read out of profiles of many", async () => {
  await using project = await profiledProject();
  const traceId = newEventId();
  const sample = (name: string, trace: string, span: string) => ({
    stack: [name],
    values: [1n, 1n],
    labels: [{ key: "trace_id", text: trace }, { key: "span_id", text: span }],
  });
  await project.profiles({
    at: new Date(START),
    samples: [
      sample("a", traceId, "00000000000000a1"),
      sample("b", traceId, "00000000000000a2"),
      sample("c", newEventId(), "00000000000000a3"),
    ],
  });
  const read = async (spanId?: string) =>
    linesOf((await mergeProfiles(project, selectionOf({ traceId, spanId }))).stacks);
  assert.deepEqual(await read(), ["a 1", "b 1"]);
  assert.deepEqual(await read("00000000000000a2"), ["b 1"]);
});

Deno.test("a transaction's flame graph has its own profiles, and its threads' samples while it ran", async () => {
  await using project = await profiledProject();
  await project.store(
    ran(1, 3, "1"),
    ran(2, 4, "1"),
    ran(10, 11, "2"),
    ran(20, 30, "1", { name: "other" }),
  );
  await project.profiles(
    { at: new Date(START), transaction: CART, samples: [{ stack: ["own"], values: [1n, 1n] }] },
    { at: new Date(START), transaction: "other" },
    chunk(),
  );
  const merged = await mergeProfiles(project, ofCart());
  assert.deepEqual(linesOf(merged.stacks), [
    "own 1",
    "thread1;second1 1",
    "thread1;second2 1",
    "thread1;second3 1",
    "thread2;second10 1",
  ]);
  assert.equal(merged.profiles, 2);
  // Ten seconds of its own, three of one thread and one of the other.
  assert.equal(merged.stacks.durationNanos, 14_000_000_000n);
});

Deno.test("the thread of a segment that came as a span is read from its batch", async () => {
  await using project = await profiledProject();
  const segment = ran(5, 6, null, { payload: "", sentAs: "segment" });
  const start = segment.startedAt.getTime() / 1_000;
  const span = spanRecord({
    spanId: segment.spanId,
    start,
    end: start + 1,
    data: { "thread.id": "2" },
  });
  await project.store(
    segment,
    spanBatchRecord({
      traceId: segment.traceId,
      timestamp: segment.startedAt,
      spans: [spanRecord({ start, end: start }), span],
    }),
  );
  await project.profiles(chunk());
  const merged = await mergeProfiles(project, ofCart());
  assert.deepEqual(linesOf(merged.stacks), ["thread2;second5 1"]);
});

Deno.test("without a thread all samples of the time count, each once", async () => {
  await using project = await profiledProject();
  await project.store(ran(5, 7, null), ran(6, 8, "1"));
  await project.profiles(chunk());
  const lines = linesOf((await mergeProfiles(project, ofCart())).stacks);
  assert.deepEqual(
    lines,
    ["1", "2"].flatMap((thread) => [5, 6, 7].map((second) => `thread${thread};second${second} 1`)),
  );
});

Deno.test("a transaction's flame graph has the samples that name its traces, in profiles of its service", async () => {
  await using project = await profiledProject();
  const entry = transactionRecord({
    name: CART,
    service: "shop",
    startedAt: new Date(START),
    timestamp: new Date(START + 1_000),
  });
  await project.store(entry);
  const { traceId, spanId } = entry;
  const sample = (name: string, trace: string, span: string | null) => ({
    stack: [name],
    values: [1n, 1n],
    labels: [
      { key: "trace_id", text: trace },
      ...span === null ? [] : [{ key: "span_id", text: span }],
    ],
  });
  await project.profiles(
    {
      at: new Date(START),
      samples: [
        sample("mine", traceId, spanId),
        sample("other span", traceId, "f".repeat(16)),
        sample("foreign", newEventId(), null),
      ],
    },
    { at: new Date(START), samples: [sample("named", traceId, null)] },
    { at: new Date(START), traceId, samples: [{ stack: ["whole"], values: [1n, 1n] }] },
    { at: new Date(START), service: "other", samples: [sample("other service", traceId, spanId)] },
  );
  const merged = await mergeProfiles(project, ofCart());
  assert.deepEqual(linesOf(merged.stacks), ["mine 1", "named 1", "whole 1"]);
  const foreign = await mergeProfiles(project, { ...ofCart(), projectId: "2" });
  assert.equal(foreign.profiles, 0);
});
