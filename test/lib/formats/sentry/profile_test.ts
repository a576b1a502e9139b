import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import type { Profile } from "@/lib/records/mod.ts";
import { decodeItem, ID, NOW, only, reasons, TRACE } from "./decode_item.ts";
import {
  decodeFixture,
  FIXTURES,
  orderOf,
  pprofOf,
  profileIn,
  stacksOf,
} from "./profile_fixtures.ts";
import { inTime, timeBudget } from "@/test/support/time_budget.ts";
import { assertStorable } from "./storable.ts";

const SAMPLES = [
  { stack_id: 0, thread_id: "1", elapsed_since_start_ns: "0" },
  { stack_id: 1, thread_id: 1, elapsed_since_start_ns: 10_000_000 },
  { stack_id: "1", thread_id: "1", elapsed_since_start_ns: "30000000" },
];
const PROFILE = {
  frames: [
    { function: "main", abs_path: "/app/job.py", module: "job", lineno: 7, colno: 3, in_app: true },
    { function: "work", filename: "work.py", package: "lib", lineno: "12", in_app: false },
  ],
  stacks: [[1, 0], [0]],
  samples: SAMPLES,
  thread_metadata: { "1": { name: "MainThread" } },
};

const v1 = (profile: unknown, more = {}) =>
  decodeItem("profile", {
    event_id: ID,
    version: "1",
    platform: "Python",
    timestamp: "2026-11-21T00:19:59.123Z",
    release: "shop@1.0",
    environment: "",
    transactions: [{ id: TRACE, name: "job", trace_id: TRACE, active_thread_id: "1" }],
    profile,
    ...more,
  });

const v2 = (profile: unknown, more = {}) =>
  decodeItem("profile_chunk", {
    chunk_id: ID,
    profiler_id: TRACE,
    version: "2",
    platform: "node",
    profile,
    ...more,
  });

/** Samples of version 2, so many seconds after the chunk began. */
const chunkOf = (
  ...samples: readonly (readonly [after: number, stack: number, thread?: string])[]
) =>
  samples.map(([after, stack, thread = "0"]) => ({
    stack_id: stack,
    thread_id: thread,
    timestamp: NOW - 10 + after,
  }));

/** Nanoseconds of each sample, in the order of the profile. */
const weightsOf = (record: Profile) => stacksOf(pprofOf(record)).map(({ values }) => values[1]);

Deno.test("profiles of stock SDKs become pprof, and what was sent is kept", () => {
  for (const name of FIXTURES) {
    const batch = decodeFixture(name);
    assert.deepEqual(batch.outcomes, []);
    const record = profileIn(batch);
    assertStorable(record);
    assert.equal(record.profileKind, "wall");
    const sent = JSON.parse(gunzipSync(record.original?.bytes ?? "").toString());
    assert.equal(record.samples, sent.profile.samples.length);
    assert.equal(record.profileId, sent.event_id ?? sent.chunk_id);
    assert.equal(record.profilerId, sent.profiler_id ?? null);
    const stacks = stacksOf(pprofOf(record)).map(({ stack }) => stack.join(";"));
    assert.ok(stacks.some((stack) => /checkout;.*price_?of/i.test(stack)), name);
    const { threads } = orderOf(record);
    const names = threads.map((thread) => thread.name);
    assert.ok(names.includes(name.startsWith("node") ? "main" : "MainThread"));
    for (const { samples } of threads) {
      const spent = samples.reduce((sum, { duration }) => sum + duration, 0);
      assert.equal(spent, (samples.at(-1)?.start ?? 0) - (samples[0]?.start ?? 0));
    }
  }
});

Deno.test("a profile of a transaction is tied to it, its trace and its thread", () => {
  for (const name of ["node-10.22.0-v1", "python-2.75.0-v1"] as const) {
    const batch = decodeFixture(name);
    const transaction = batch.records.find(({ kind }) => kind === "transaction");
    assert.ok(transaction?.kind === "transaction");
    const record = profileIn(batch);
    assert.equal(record.transactionId, transaction.eventId);
    assert.equal(record.transaction, transaction.name);
    assert.equal(record.traceId, transaction.traceId);
    assert.equal(record.service, transaction.service);
    assert.equal(record.spanId, transaction.spanId);
    const active = orderOf(record).threads.filter(({ isActive }) => isActive);
    assert.deepEqual(active.map(({ name }) => name), [
      name.startsWith("node") ? "main" : "MainThread",
    ]);
  }
});

Deno.test("a profile has the facts, lines, columns and modules of what was sent", () => {
  const record = only(v1(PROFILE), "profile");
  assert.deepEqual(
    [record.profileId, record.source, record.platform, record.release, record.environment],
    [ID, "sentry_sample_v1", "python", "shop@1.0", ""],
  );
  assert.deepEqual([record.transaction, record.transactionId, record.traceId], [
    "job",
    TRACE,
    TRACE,
  ]);
  assert.equal(record.timestamp.toISOString(), "2026-11-21T00:19:59.123Z");
  assert.deepEqual([record.durationMs, record.samples, record.isDelta], [30, 3, true]);
  assert.deepEqual(record.totals.map(({ type, total }) => [type, total]), [
    ["samples", 3n],
    ["wall", 30_000_000n],
  ]);
  assert.match(record.blob.key, /^profiles\/1\/2026-11-21\//);
  assert.deepEqual(record.labels, {
    thread_id: ["1"],
    thread_name: ["MainThread"],
    in_app: ["false", "true"],
    active_thread: ["true"],
  });
  const { locations, functions, mappings, strings, comments } = pprofOf(record);
  assert.deepEqual(comments, ["watchpost:sdk"]);
  const texts = (places: Uint32Array) => [...places].map((place) => strings[place]);
  assert.deepEqual(texts(functions.names), ["work", "main"]);
  assert.deepEqual(texts(functions.filenames), ["work.py", "/app/job.py"]);
  assert.deepEqual([[...locations.lines], [...locations.columns]], [[12, 7], [0, 3]]);
  assert.deepEqual(texts(mappings.filenames), ["lib", "job"]);
  assert.deepEqual(texts(mappings.buildIds), ["library", "app"]);
  const { frames } = orderOf(record);
  assert.deepEqual(frames.slice(1).map(({ module, isInApp }) => [module, isInApp]), [
    ["lib", false],
    ["job", true],
  ]);
});

Deno.test("a sample weighs the time to the next one of its thread, the last nothing", () => {
  const samples = chunkOf([0, 0, "a"], [0.01, 1, "b"], [0.02, 1, "a"], [0.05, 0, "b"]);
  const record = only(v2({ ...PROFILE, samples: samples.toReversed() }), "profile");
  assert.deepEqual(weightsOf(record).map((nanos) => Math.round(Number(nanos) / 1e6)), [
    20,
    40,
    0,
    0,
  ]);
  assert.equal(record.timestamp.getTime(), (NOW - 10) * 1000);
  assert.deepEqual([record.profilerId, record.traceId, record.transaction], [TRACE, null, ""]);
});

Deno.test("what a thread idles at its ends is left out, what it idles between is kept", () => {
  const samples = chunkOf([0, 2], [1, 0], [2, 2], [3, 1], [4, 2], [0.5, 2, "idle"]);
  const record = only(v2({ ...PROFILE, stacks: [[1], [0], []], samples }), "profile");
  assert.deepEqual(stacksOf(pprofOf(record)), [
    { stack: ["work"], values: [1n, 1_000_000_000n] },
    { stack: [], values: [1n, 1_000_000_000n] },
    { stack: ["main"], values: [1n, 0n] },
  ]);
  assert.deepEqual(record.labels.thread_id, ["0"]);
  // Of the chunk, not of its first busy sample.
  assert.equal(record.timestamp.getTime(), (NOW - 10) * 1000);
  const [thread] = orderOf(record).threads;
  assert.equal(thread?.samples[0]?.start, 1e9);
});

Deno.test("times of chunks come in seconds, as texts, or in milliseconds", () => {
  const start = NOW - 10;
  for (
    const [first, second] of [
      [{ timestamp: String(start) }, { timestamp: String(start + 0.5) }],
      [{ timestamp: "2026-11-21T00:19:50Z" }, { timestamp: "2026-11-21T00:19:50.500Z" }],
      [{ timestamp_ms: start * 1000 }, { timestamp_ms: start * 1000 + 500 }],
      [{ timestamp_ms: 0 }, { timestamp_ms: 500 }],
    ]
  ) {
    const samples = [{ ...first, stack_id: 0 }, { ...second, stack_id: 0 }];
    const record = only(v2({ ...PROFILE, samples }, { timestamp: start }), "profile");
    assert.equal(record.timestamp.getTime(), start * 1000);
    assert.deepEqual(weightsOf(record), [500_000_000n, 0n]);
    assert.deepEqual(record.labels.thread_id, undefined);
  }
});

Deno.test("a clock that is wrong is set right for a profile as it is for its transaction", () => {
  const sent = { envelope: { sent_at: new Date((NOW - 86_400) * 1000).toISOString() } };
  const samples = chunkOf([-86_400, 0], [-86_399, 0]);
  const chunk = { chunk_id: ID, profile: { ...PROFILE, samples } };
  const record = only(decodeItem("profile_chunk", chunk, sent), "profile");
  assert.equal(record.timestamp.getTime(), (NOW - 10) * 1000);
  assert.equal(pprofOf(record).timeNanos, BigInt(NOW - 10) * 1_000_000_000n);
});

Deno.test("threads with a single sample are left out of a transaction's profile, not of a chunk", () => {
  const lone = { stack_id: 1, thread_id: "2", elapsed_since_start_ns: 5 };
  const profile = only(v1({ ...PROFILE, samples: [...SAMPLES, lone] }), "profile");
  assert.deepEqual(profile.labels.thread_id, ["1"]);
  const samples = chunkOf([0, 0, "a"], [1, 0, "a"], [0.5, 0, "b"]);
  const chunk = only(v2({ ...PROFILE, samples }), "profile");
  assert.deepEqual(chunk.labels.thread_id, ["a", "b"]);
});

Deno.test("a transaction's own part of a longer profile is what is kept of it", () => {
  const transaction = { id: TRACE, relative_start_ns: "5000000", relative_end_ns: 30_000_000 };
  const late = { stack_id: 0, thread_id: "1", elapsed_since_start_ns: 40e9 };
  const record = only(v1({ ...PROFILE, samples: [...SAMPLES, late] }, { transaction }), "profile");
  assert.deepEqual(weightsOf(record), [20_000_000n, 0n]);
});

Deno.test("functions without a name are anonymous in scripts, or known by their address", () => {
  const frames = [{ lineno: 3 }, { instruction_addr: "0xffffffff81000000", package: "libc.so" }];
  const samples = chunkOf([0, 0], [1, 0]);
  const record = only(v2({ frames, stacks: [[0, 1]], samples }), "profile");
  const { functions, strings, locations } = pprofOf(record);
  assert.equal(strings[functions.names[0] ?? 0], "anonymous");
  assert.deepEqual([...locations.addresses], [0n, 0xffffffff81000000n]);
});

Deno.test("a service is known by the trace's attributes or a tag, as that of a transaction", () => {
  const contexts = { trace: { data: { "service.name": "checkout" }, span_id: "ab".repeat(8) } };
  const named = only(v1(PROFILE, { contexts }), "profile");
  assert.deepEqual([named.service, named.spanId], ["checkout", "ab".repeat(8)]);
  assert.equal(only(v1(PROFILE, { tags: { service: "billing" } }), "profile").service, "billing");
});

Deno.test("a profile that cannot be used is dropped with the reason", () => {
  const far = { stack_id: 0, thread_id: "1", elapsed_since_start_ns: 30e9 + 1 };
  for (
    const [profile, reason] of [
      [undefined, "invalid/no_frames_stacks_or_samples"],
      [[], "invalid/no_frames_stacks_or_samples"],
      [{ ...PROFILE, stacks: [[7]] }, "invalid/frame_not_in_profile"],
      [{ ...PROFILE, stacks: [[-1]] }, "invalid/frame_not_in_profile"],
      [{ ...PROFILE, stacks: [7] }, "invalid/stack_is_no_list"],
      [{ ...PROFILE, samples: [{ stack_id: 9 }] }, "invalid/stack_not_in_profile"],
      [{ ...PROFILE, samples: [null] }, "invalid/stack_not_in_profile"],
      [{ ...PROFILE, samples: [{ stack_id: 0 }] }, "invalid/sample_without_time"],
      [{ ...PROFILE, samples: SAMPLES.slice(1, 2) }, "invalid/fewer_than_two_samples"],
      [{ ...PROFILE, samples: [] }, "invalid/fewer_than_two_samples"],
      [{ ...PROFILE, stacks: [[], []] }, "invalid/fewer_than_two_samples"],
      [{ ...PROFILE, samples: [...SAMPLES, far] }, "invalid/longer_than_30_seconds"],
      [{ methods: [], events: [] }, "unsupported/android_trace"],
    ] as const
  ) assert.deepEqual(reasons(v1(profile)), [`1 profile ${reason}`]);
  const long = { ...PROFILE, samples: chunkOf([-60, 0], [7, 0]) };
  assert.deepEqual(reasons(v2(long)), ["1 profile_chunk invalid/longer_than_66_seconds"]);
  const idle = { ...PROFILE, stacks: [[]], samples: chunkOf([0, 0], [1, 0]) };
  assert.deepEqual(reasons(v2(idle)), ["1 profile_chunk invalid/no_busy_samples"]);
  assert.deepEqual(reasons(v2({ ...PROFILE, samples: [] })), [
    "1 profile_chunk invalid/no_busy_samples",
  ]);
});

Deno.test("floods are refused before anything is made of them", () => {
  const start = performance.now();
  const empties = `{"profile":{"frames":[${"{},".repeat(800_000)}{}]}}`;
  assert.deepEqual(reasons(decodeItem("profile", empties)), [
    "1 profile too_large/too_many_parts",
  ]);
  const deep = Array.from({ length: 3_000 }, () => 0);
  const frames = chunkOf(...Array.from({ length: 6_000 }, (_, i) => [i / 100, i % 2] as const));
  const much = v2({ frames: [{}], stacks: [deep, deep], samples: frames });
  assert.deepEqual(reasons(much), ["1 profile_chunk too_large/too_many_frames"]);
  const one = only(
    v2({ frames: [{}], stacks: [deep], samples: chunkOf([0, 0], [1, 0]) }),
    "profile",
  );
  assert.equal(stacksOf(pprofOf(one))[0]?.stack.length, 2_048);
  assert.ok(performance.now() - start < timeBudget(5_000));
});

Deno.test("more frames or stacks than any client sends are refused", () => {
  const samples = chunkOf([0, 0], [1, 0]);
  const lists = (length: number) => ({
    frames: Array.from({ length }, () => ({})),
    stacks: Array.from({ length }, () => [0]),
  });
  const { frames, stacks } = lists(60_001);
  for (
    const [profile, reason] of [
      [{ frames, stacks: [[0]], samples }, "too_many_frames"],
      [{ frames: [{}], stacks, samples }, "too_many_stacks"],
    ] as const
  ) assert.deepEqual(reasons(v2(profile)), [`1 profile_chunk too_large/${reason}`]);
  only(v2({ ...lists(20_000), samples }), "profile");
});

Deno.test("a thread that waits at the end of a deep stack is joined before it is too much", () => {
  const deep = Array.from({ length: 2_000 }, () => 0);
  const samples = chunkOf(...Array.from({ length: 6_000 }, (_, i) => [i / 101, 0] as const));
  const record = only(v2({ frames: [{}], stacks: [deep], samples }), "profile");
  assert.equal(record.samples, 1);
  assert.equal(record.totals[0]?.total, 6_000n);
});

Deno.test("the largest profile that is taken does not hold up others for long", () => {
  const frames = Array.from({ length: 20_000 }, (_, i) => ({
    function: `work${i}`,
    filename: `file${i}.js`,
    module: `module${i}`,
    lineno: i,
    in_app: i % 2 === 0,
  }));
  const stacks = Array.from({ length: 59_000 }, (_, i) => [i, i * 3, i * 7].map((n) => n % 20_000));
  const samples = chunkOf(
    ...Array.from({ length: 60_000 }, (_, i) => [i / 1_000, i % 59_000] as const),
  );
  const text = JSON.stringify({ chunk_id: ID, profile: { frames, stacks, samples } });
  const decode = () => decodeItem("profile_chunk", text);
  assert.equal(only(inTime(2_000, decode), "profile").samples, 60_000);
});

Deno.test("many threads that wait become few samples of the same time", () => {
  const samples = Array.from({ length: 201_000 }, (_, i) => ({
    stack_id: 1,
    thread_id: String(i % 67),
    timestamp: NOW - 60 + Math.floor(i / 67) / 100,
  }));
  const record = only(v2({ ...PROFILE, samples }), "profile");
  assert.equal(record.samples, 67);
  assert.equal(record.totals[0]?.total, 201_000n);
  const spent = orderOf(record).threads.map(({ samples }) => samples[0]?.duration);
  assert.ok(spent.every((nanos = 0) => Math.abs(nanos - 29.99e9) < 1_000));
});

Deno.test("the time of each thread is that from its first to its last busy sample", () => {
  const sample = fc.record({
    stack: fc.integer({ min: 0, max: 2 }),
    thread: fc.constantFrom("a", "b", "c"),
    at: fc.integer({ min: 0, max: 29_999_999_999 }),
  });
  fc.assert(fc.property(fc.array(sample, { maxLength: 60 }), (drawn) => {
    const samples = drawn.map(({ stack, thread, at }) => ({
      stack_id: stack,
      thread_id: thread,
      elapsed_since_start_ns: String(at),
    }));
    const { records } = v1({ ...PROFILE, stacks: [[1, 0], [0], []], samples });
    const [record] = records;
    const expected = new Map(
      ["a", "b", "c"].flatMap((thread): [string, number][] => {
        const busy = drawn.filter((each) => each.thread === thread && each.stack < 2)
          .map(({ at }) => at);
        return busy.length < 2 ? [] : [[thread, Math.max(...busy) - Math.min(...busy)]];
      }),
    );
    if (record?.kind !== "profile") return assert.equal(expected.size, 0);
    const spent = new Map(
      orderOf(record).threads.map(({ id, samples }) => [
        id,
        samples.reduce((sum, { duration }) => sum + duration, 0),
      ]),
    );
    for (const [thread, nanos] of expected) assert.equal(spent.get(thread), nanos);
    const total = [...spent.values()].reduce((sum, nanos) => sum + nanos, 0);
    assert.equal(record.totals[1]?.total, BigInt(total));
  }));
});

Deno.test("whatever a profile is made of, it never throws", () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const list = fc.oneof(anything, fc.array(anything, { maxLength: 4 }));
  const sample = fc.record({
    stack_id: fc.oneof(anything, fc.constant(0)),
    thread_id: anything,
    timestamp: fc.oneof(anything, fc.constant(NOW - 1), fc.constant(NOW)),
    elapsed_since_start_ns: fc.oneof(anything, fc.nat()),
  });
  const frame = fc.record({
    function: anything,
    lineno: anything,
    in_app: anything,
    module: anything,
  });
  const profile = fc.record({
    frames: fc.oneof(list, fc.array(frame, { minLength: 1, maxLength: 3 })),
    stacks: fc.oneof(list, fc.constant([[0]])),
    samples: fc.oneof(list, fc.array(sample, { maxLength: 4 })),
    thread_metadata: anything,
  });
  fc.assert(fc.property(profile, anything, (sent, odd) => {
    for (const batch of [v1(sent, { timestamp: odd, transaction: odd, contexts: odd }), v2(sent)]) {
      for (const record of batch.records) assertStorable(record);
      assert.equal(batch.records.length + batch.outcomes.length, 1);
    }
  }));
});
