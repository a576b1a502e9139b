import type { LinkedProfile } from "@/lib/profiles/mod.ts";
import assert from "node:assert/strict";
import type { TraceSpan } from "@/lib/traces/trace_types.ts";
import { linkedPart, partHref, spanProfiles } from "@/lib/traces/span_profile.tsx";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { span, START, trace, TRACE_ID } from "./waterfall/traces.ts";

const [PAGE, API, QUERY, LATE] = [
  "a000000000000001",
  "a000000000000002",
  "a000000000000003",
  "a000000000000004",
];
const PROFILER = "f".repeat(32);

/** A browser's transaction, within it one of the API with two spans. */
const SPANS: readonly TraceSpan[] = [
  span(PAGE, null, [0, 1_000], { service: "browser" }),
  span(API, PAGE, [100, 900], { service: "api", isEntry: true }),
  span(QUERY, API, [200, 300], { service: "api" }),
  span(LATE, API, [800, 900], { service: "api" }),
];

function linked(id: string, fields: Partial<LinkedProfile>): LinkedProfile {
  return {
    profileId: id.repeat(32),
    spanId: null,
    time: START + 100,
    durationMs: 800,
    source: "pprof",
    kind: "cpu",
    service: "api",
    types: ["cpu:nanoseconds"],
    profilerId: null,
    threadId: null,
    clip: null,
    isByLabel: false,
    ...fields,
  };
}

/** The first digits of the profiles of a span, with their parts. */
function of(spanId: string, ...profiles: readonly LinkedProfile[]) {
  const model = traceModel(trace(SPANS, { profiles }));
  return spanProfiles(model, model.byKey.get(spanId) ?? -1)
    .map(({ profile, part }) => [profile.profileId[0], part]);
}

Deno.test("a profile of a transaction tells of its spans by their time, and of no other service's", () => {
  const profile = linked("1", { source: "sentry_sample_v1", kind: "wall", spanId: API });
  const time = (from: number, until: number) => ({ from: START + from, until: START + until });
  assert.deepEqual(of(API, profile), [["1", time(100, 900)]]);
  assert.deepEqual(of(QUERY, profile), [["1", time(200, 300)]]);
  assert.deepEqual(of(PAGE, profile), []);
  const short = { ...profile, durationMs: 300 };
  assert.deepEqual(of(LATE, short), []);
  const ofPage = linked("2", { source: "sentry_sample_v1", kind: "wall", spanId: PAGE });
  assert.deepEqual(of(QUERY, ofPage), []);
});

Deno.test("chunks of a continuous profiler are one, by thread and time", () => {
  const chunk = (id: string, time: number) =>
    linked(id, {
      source: "sentry_sample_v2",
      kind: "wall",
      spanId: API,
      time: START + time,
      durationMs: 400,
      profilerId: PROFILER,
      threadId: "7",
      clip: { start: START + 100, end: START + 900 },
    });
  const chunks = [chunk("1", -100), chunk("2", 300), chunk("3", 700)];
  const part = (from: number, until: number) => ({
    profilerId: PROFILER,
    threadId: "7",
    from: START + from,
    until: START + until,
  });
  assert.deepEqual(of(API, ...chunks), [["1", part(100, 900)]]);
  assert.deepEqual(of(QUERY, ...chunks), [["1", part(200, 300)]]);
  assert.deepEqual(of(LATE, ...chunks), [["3", part(800, 900)]]);
});

Deno.test("a pprof belongs to the span that its samples name, or to the local root of its service", () => {
  const named = linked("1", { isByLabel: true, spanId: QUERY });
  assert.deepEqual(of(QUERY, named), [["1", { traceId: TRACE_ID, spanId: QUERY }]]);
  assert.deepEqual(of(API, named), []);
  const uploaded = linked("2", {});
  assert.deepEqual(of(API, uploaded), [["2", {}]]);
  assert.deepEqual(of(QUERY, uploaded), []);
  const ofNobody = linked("3", { service: "worker", time: START - 9_000, durationMs: 10 });
  assert.deepEqual(of(PAGE, ofNobody), [["3", {}]]);
  const ofTrace = linked("4", { isByLabel: true, spanId: "b".repeat(16) });
  assert.deepEqual(of(API, ofTrace).length, 1);
});

Deno.test("profiles of time come before those of memory", () => {
  const memory = linked("1", { kind: "memory" });
  assert.deepEqual(of(API, memory, linked("2", {})).map(([id]) => id), ["2", "1"]);
});

Deno.test("links to profiles carry their part", () => {
  const clip = { start: START, end: START + 0.25 };
  const chunk = linked("1", { profilerId: PROFILER, threadId: "7", clip });
  assert.equal(
    partHref({ projectId: "7", profileId: "1".repeat(32) }, linkedPart(chunk, TRACE_ID)),
    `/projects/7/profiling/${"1".repeat(32)}?profiler=${PROFILER}&thread=7&from=${START}` +
      `&until=${START}.25`,
  );
  assert.equal(
    partHref({ projectId: "7", profileId: "1".repeat(32) }, {}, "/embedded"),
    `/projects/7/profiling/${"1".repeat(32)}/embedded`,
  );
});

Deno.test("a mark stands within its row, however long before the profile began", () => {
  const early = linked("1", { spanId: QUERY, time: START - 60_000, durationMs: 90_000 });
  const { marks, byKey } = traceModel(trace(SPANS, { profiles: [early] }));
  assert.deepEqual(marks.map(({ kind, node, time }) => [kind, node, time]), [
    ["profile", byKey.get(QUERY), 200],
  ]);
  assert.deepEqual(traceModel(trace([], { profiles: [early] })).marks, []);
});
