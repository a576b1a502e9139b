import assert from "node:assert/strict";
import fc from "fast-check";
import { keep, sample } from "@/lib/ingest/admit.ts";
import type { Batch } from "@/lib/records/mod.ts";
import { profileRecord } from "../../support/records.ts";

const traceId = fc.stringMatching(/^[0-9a-f]{32}$/);
const v4 = () => crypto.randomUUID().replaceAll("-", "");

Deno.test("keep() keeps every trace at rate 1 and none at rate 0", () => {
  fc.assert(fc.property(traceId, (id) => keep(id, 1) && !keep(id, 0)));
});

Deno.test("keep() keeps at a higher rate whatever it keeps at a lower one", () => {
  fc.assert(fc.property(traceId, fc.double({ min: 0, max: 1, noNaN: true }), (id, rate) => {
    if (keep(id, rate / 2)) assert.ok(keep(id, rate));
  }));
});

Deno.test("keep() keeps the share of UUID trace ids that the rate says", () => {
  const traces = 20_000;
  for (const rate of [0.01, 0.1, 0.5, 0.9]) {
    const kept = Array.from({ length: traces }, v4).filter((id) => keep(id, rate)).length;
    // Five standard deviations: fails by chance once in two million runs.
    const tolerance = 5 * Math.sqrt(traces * rate * (1 - rate));
    assert.ok(Math.abs(kept - traces * rate) < tolerance, `${kept} of ${traces} at ${rate}`);
  }
});

Deno.test("keep() decides as it did in every release before", () => {
  const places: Record<string, number> = {
    "4bf92f3577b34da6a3ce929d0e0e4736": 0.91287,
    "0af7651916cd43dd8448eb211c80319c": 0.13760,
    "00000000000000000000000000000001": 0.25365,
  };
  for (const [id, place] of Object.entries(places)) {
    assert.equal(keep(id, place), false);
    assert.equal(keep(id, place + 0.00001), true);
  }
});

Deno.test("sample() never drops errors", () => {
  const batch = { records: [{ kind: "error" }], outcomes: [], eventId: null } as unknown as Batch;
  assert.deepEqual(sample(batch, 0).records, batch.records);
});

Deno.test("sample() drops SDK profiles with their trace, and never what was uploaded", () => {
  const records = (["sentry_sample_v1", "sentry_sample_v2", "pprof", "otlp"] as const)
    .map((source) => profileRecord({ source, traceId: v4() }));
  const { records: kept, outcomes } = sample({ records, outcomes: [], eventId: null }, 0);
  assert.deepEqual(kept, records.slice(2));
  assert.deepEqual(outcomes.map(({ category, kind }) => `${category} ${kind}`), [
    "profile sampled",
    "profile_chunk sampled",
  ]);
});
