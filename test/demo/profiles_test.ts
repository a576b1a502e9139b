import assert from "node:assert/strict";
import { serialize, type Upload, uploadDelivery } from "../../demo/send.ts";
import { stockUploads, storefrontUploads } from "../../demo/profiles.ts";
import { Random } from "../../demo/chance.ts";
import { history, telemetryOf } from "../../demo/traces.ts";
import { pprof } from "../../lib/ingest/protocols/pprof.ts";
import type { UploadBatch } from "../../lib/formats/pprof/upload.ts";
import { sentryEnvelope } from "../../lib/ingest/protocols/sentry.ts";
import { decodePprof } from "../../lib/formats/pprof/decode.ts";
import { inflatePprof } from "../../lib/formats/pprof/compression.ts";
import { callTree } from "../../lib/profiles/trees/call_tree.ts";
import { StackBuilder } from "../../lib/profiles/trees/stack_builder.ts";
import { topFunctions } from "../../lib/profiles/trees/top_functions.ts";
import type { Profile, TelemetryRecord, Transaction } from "../../lib/records/mod.ts";
import { decodeContext } from "../support/decode_context.ts";

const DSN = "https://0123456789abcdef0123456789abcdef@watchpost.example/7";
const DAY_MS = 86_400_000;
const CPU = { type: "cpu", unit: "nanoseconds" };
const WALL = { type: "wall", unit: "nanoseconds" };

const now = new Date();
const traces = history(new Random(7), now);
const uploads = [
  ...stockUploads(new Random(8), now),
  ...storefrontUploads(new Random(9), now, traces),
];
const batches = await Promise.all(uploads.map(decoded));
const records = batches.flatMap((batch) => batch.records).filter(isProfile);

Deno.test("the intake takes all profiles of the demo as they are, and changes no time", () => {
  for (const { answer, outcomes } of batches) {
    assert.equal(answer.repaired, undefined);
    assert.ok(answer.samples > 0);
    assert.deepEqual(outcomes, []);
  }
  assert.equal(records.length, uploads.length);
  assert.equal(new Set(records.map(({ profileId }) => profileId)).size, uploads.length);
  const oldest = now.getTime() - 14 * DAY_MS;
  for (const { timestamp, durationMs } of records) {
    assert.ok(timestamp.getTime() >= oldest, String(timestamp));
    assert.ok(timestamp.getTime() + durationMs <= now.getTime(), String(timestamp));
  }
});

Deno.test("Go tells of its processors and its memory, Node of time, each of two releases", () => {
  const kinds = Map.groupBy(records, ({ service, profileKind }) => `${service} ${profileKind}`);
  assert.deepEqual([...kinds.keys()].sort(), ["stock cpu", "stock memory", "storefront wall"]);
  for (const [kind, own] of kinds) {
    assert.equal(new Set(own.map(({ release }) => release)).size, 2, kind);
    assert.ok(own.length > 100, kind);
  }
});

Deno.test("what was allocated grows until the next release, what is in use does not", () => {
  const memory = records.filter(({ profileKind, instance }) =>
    profileKind === "memory" && instance === "stock-1"
  );
  const byRelease = Map.groupBy(memory, ({ release }) => release);
  for (const own of byRelease.values()) {
    const allocated = own.map(({ totals }) => totals[1]?.total ?? 0n);
    assert.ok(allocated.every((total, at) => at === 0 || total > (allocated[at - 1] ?? 0n)));
    const inUse = own.map(({ totals }) => Number(totals[3]?.total));
    assert.ok(Math.max(...inUse) < 20 * Math.min(...inUse));
  }
});

Deno.test("the newest releases have functions that became slow", () => {
  const share = (service: string, release: string, type: typeof CPU, name: string) => {
    const own = records.filter((record) =>
      record.service === service && record.release === release && record.profileKind !== "memory"
    );
    const builder = new StackBuilder([type]);
    for (const { blob } of own) builder.add(decodePprof(inflatePprof(blob.bytes)).profile);
    const tree = callTree(builder.build(), type);
    const found = topFunctions(tree).find(({ frame }) => frame.name === name);
    return Number(found?.total ?? 0n) / Number(tree.totals[0]);
  };
  const compile = "regexp.MustCompile";
  assert.equal(share("stock", "stock@0.9.0", CPU, compile), 0);
  assert.ok(share("stock", "stock@0.9.1", CPU, compile) > 0.15);
  const prices = "currentPrices";
  assert.ok(share("storefront", "storefront@5.2.1", WALL, prices) < 0.02);
  assert.ok(share("storefront", "storefront@5.3.0", WALL, prices) > 0.03);
});

Deno.test("samples of the storefront lead to traces that are there", () => {
  const known = new Set(traces.map(({ traceId }) => traceId));
  const traced = records.flatMap((record) => record.traces);
  assert.ok(traced.length > 10, `${traced.length} traces`);
  for (const { traceId, spanId } of traced) {
    assert.ok(known.has(traceId));
    assert.match(spanId ?? "", /^[0-9a-f]{16}$/);
  }
});

Deno.test("most payments have a profile of their transaction, as long as that", () => {
  const encoder = new TextEncoder();
  const all = telemetryOf(traces).envelopes.flatMap((envelope) =>
    sentryEnvelope.decode(encoder.encode(serialize(envelope)), decodeContext()).records
  );
  const payments = new Map(
    all.filter((record): record is Transaction => record.kind === "transaction")
      .filter(({ service }) => service === "payments").map((each) => [each.eventId, each]),
  );
  const profiles = all.filter(isProfile);
  assert.ok(profiles.length > payments.size / 2);
  for (const profile of profiles) {
    const transaction = payments.get(profile.transactionId ?? "");
    assert.ok(transaction);
    assert.equal(profile.traceId, transaction.traceId);
    assert.equal(profile.transaction, transaction.name);
    assert.deepEqual([profile.service, profile.platform], ["payments", "python"]);
    assert.ok(Math.abs(profile.durationMs - transaction.durationMs) < 25);
  }
});

function isProfile(record: TelemetryRecord): record is Profile {
  return record.kind === "profile";
}

async function decoded(upload: Upload): Promise<UploadBatch> {
  const { url, body } = uploadDelivery(DSN, upload);
  const { pathname, search } = new URL(url);
  const bytes = body();
  assert.ok(bytes instanceof Uint8Array);
  return await pprof.decode(bytes, decodeContext({ address: pathname + search })) as UploadBatch;
}
