import assert from "node:assert/strict";
import {
  findProfile,
  listProfiles,
  PROFILE_ORDERS,
  type ProfileOrder,
  readPprof,
  readPprofBytes,
} from "@/lib/profiles/queries/stored_profiles.ts";
import type { ProfileQuery } from "@/lib/profiles/queries/profile_query.ts";
import { day, profiledProject, PROJECT, selectionOf } from "@/test/support/profiled_project.ts";

const EVERYTHING: ProfileQuery = { ...selectionOf(), kind: undefined, type: undefined };
const AT = `${day(-1)}T10:00:00Z`;
const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";

Deno.test("a list is read page by page in either direction, in each order, each profile once", async () => {
  await using project = await profiledProject();
  const specs = Array.from({ length: 7 }, (_, index) => ({
    at: new Date(Date.parse(AT) + (index >> 1) * 1_000),
    head: { durationNanos: BigInt(1 + index % 3) * 1_500_000_001n },
  }));
  const ids = (await project.profiles(...specs)).map(({ profileId }) => profileId).sort();
  for (const sort of PROFILE_ORDERS) {
    const pages = await allPages(sort);
    const seen = pages.flatMap(({ rows }) => rows.map(({ profileId }) => profileId));
    assert.deepEqual(seen.toSorted(), ids, sort);
    const last = pages.at(-1);
    const back = await listProfiles(project.sql, EVERYTHING, {
      cursor: last?.previousCursor ?? null,
      limit: 3,
      sort,
    });
    assert.deepEqual(back.rows, pages.at(-2)?.rows, sort);
  }

  async function allPages(sort: ProfileOrder) {
    const pages = [];
    let cursor: string | null = null;
    do {
      const page = await listProfiles(project.sql, EVERYTHING, { cursor, limit: 3, sort });
      pages.push(page);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return pages;
  }
});

Deno.test("orders are newest, longest and largest first", async () => {
  await using project = await profiledProject();
  const many = Array.from({ length: 50 }, (_, index) => (
    { stack: [`main.f${index}`], values: [1n, 1n] }
  ));
  await project.profiles(
    { at: `${day(-3)}T10:00:00Z`, head: { durationNanos: 5n * 10n ** 9n }, service: "longest" },
    { at: `${day(-2)}T10:00:00Z`, head: { durationNanos: 10n ** 9n }, service: "newest" },
    {
      at: `${day(-4)}T10:00:00Z`,
      head: { durationNanos: 10n ** 9n },
      service: "largest",
      samples: many,
    },
  );
  for (const sort of PROFILE_ORDERS) {
    const { rows } = await listProfiles(project.sql, EVERYTHING, { limit: 1, sort });
    assert.equal(rows[0]?.service, sort);
  }
});

Deno.test("profiles are found by kind, type, label, transaction, profiler, trace and id", async () => {
  await using project = await profiledProject();
  const profilerId = "a".repeat(32);
  const [labelled, ofTransaction, chunk, traced, named, memory] = await project.profiles(
    { at: AT, labels: { region: ["eu", "us"] } },
    { at: AT, transaction: "GET /cart" },
    { at: AT, profilerId },
    { at: AT, traceId: TRACE },
    {
      at: AT,
      samples: [{
        stack: ["a"],
        values: [1n, 1n],
        labels: [{ key: "trace_id", text: TRACE }, { key: "span_id", text: "00000000000000a1" }],
      }],
    },
    {
      at: AT,
      head: {
        sampleTypes: [{ type: "inuse_space", unit: "bytes" }],
        periodType: { type: "space", unit: "bytes" },
      },
      samples: [{ stack: ["a"], values: [1n] }],
    },
  );
  const found = async (query: Partial<ProfileQuery>) =>
    (await listProfiles(project.sql, { ...EVERYTHING, ...query }, { limit: 100 })).rows
      .map(({ profileId }) => profileId).sort();
  const idsOf = (...profiles: ({ profileId: string } | undefined)[]) =>
    profiles.map((profile) => profile?.profileId ?? "").sort();
  assert.deepEqual(await found({ labels: [["region", "us"]] }), idsOf(labelled));
  assert.deepEqual(await found({ labels: [["region", "us"], ["region", "x"]] }), idsOf(labelled));
  assert.deepEqual(await found({ labels: [["region", "us"], ["pod", "x"]] }), []);
  assert.deepEqual(await found({ transaction: "GET /cart" }), idsOf(ofTransaction));
  assert.deepEqual(await found({ profilerId }), idsOf(chunk));
  assert.deepEqual(await found({ traceId: TRACE }), idsOf(traced, named));
  assert.deepEqual(
    await found({ traceId: TRACE, spanId: "00000000000000a1" }),
    idsOf(traced, named),
  );
  assert.deepEqual(await found({ kind: "memory" }), idsOf(memory));
  assert.deepEqual(
    await found({ type: { type: "inuse_space", unit: "kilobytes" } }),
    idsOf(memory),
  );
  assert.deepEqual(await found({ profileIds: idsOf(chunk, memory) }), idsOf(chunk, memory));
  assert.equal((await found({ type: { type: "cpu", unit: "nanoseconds" } })).length, 5);
  assert.deepEqual(await found({ projectId: "2" }), []);
});

Deno.test("one profile is found by its id in its own project, and read", async () => {
  await using project = await profiledProject();
  const [stored] = await project.profiles({
    at: AT,
    labels: { region: ["eu"] },
    spanId: "b".repeat(16),
  });
  const id = stored?.profileId ?? "";
  const row = await findProfile(project.sql, PROJECT, id);
  assert.ok(row);
  assert.equal(await findProfile(project.sql, "2", id), null);
  assert.deepEqual(row.totals, stored?.totals);
  const { timestamp, period, periodType, samples, labels, spanId, sizeBytes, isDelta } = row;
  assert.deepEqual(
    { timestamp, period, periodType, samples, labels, spanId, sizeBytes, isDelta },
    {
      timestamp: new Date(AT),
      period: 10_000_000n,
      periodType: "cpu:nanoseconds",
      samples: 2,
      labels: { region: ["eu"] },
      spanId: "b".repeat(16),
      sizeBytes: stored?.blob.bytes.length,
      isDelta: true,
    },
  );
  assert.deepEqual(
    await readPprofBytes(project.objects, row),
    new Uint8Array(stored?.blob.bytes ?? []),
  );
  assert.equal((await readPprof(project.objects, row))?.samples.count, 2);
  await project.objects.put(row.blobKey, new Uint8Array([1]));
  assert.equal(await readPprof(project.objects, row), null);
  await project.objects.delete(row.blobKey);
  assert.equal(await readPprof(project.objects, row), null);
});
