import assert from "node:assert/strict";
import {
  chooseValue,
  readProfiledServices,
  readVolume,
} from "@/lib/profiles/queries/profiled_services.ts";
import type { ProfileQuery } from "@/lib/profiles/queries/profile_query.ts";
import {
  CPU,
  day,
  profiledProject,
  selectionOf,
  type StoredSpec,
} from "@/test/support/profiled_project.ts";

const DAY_MS = 86_400_000;
const HEAP_HEAD = {
  sampleTypes: [{ type: "alloc_space", unit: "bytes" }, { type: "inuse_space", unit: "bytes" }],
  periodType: { type: "space", unit: "bytes" },
  durationNanos: 0n,
};

function heap(at: string, allocated: bigint, held: bigint, instance = "web-1"): StoredSpec {
  const samples = [{ stack: ["main"], values: [allocated, held] }];
  return { at, samples, head: HEAP_HEAD, instance };
}

Deno.test("services come with their kinds of profiles, the values of each, counts and sizes", async () => {
  await using project = await profiledProject();
  const stored = await project.profiles(
    { at: `${day(-2)}T10:00:00Z` },
    { at: `${day(-1)}T10:00:00Z` },
    heap(`${day(-2)}T11:00:00Z`, 1n, 1n),
    { at: `${day(-1)}T10:00:00Z`, service: "worker", platform: "python" },
    { at: `${day(-1)}T10:00:00Z`, service: "staging", environment: "staging" },
  );
  const sizes = stored.map(({ blob }) => blob.bytes.length);
  const scope = selectionOf({ environments: ["production"] });
  assert.deepEqual(
    await readProfiledServices(project.sql, scope),
    [
      {
        service: "shop",
        platform: "go",
        kinds: [
          {
            kind: "cpu",
            types: [CPU, { type: "samples", unit: "count" }],
            profiles: 2,
            lastSeen: new Date(`${day(-1)}T10:00:00Z`),
            bytes: (sizes[0] ?? 0) + (sizes[1] ?? 0),
          },
          {
            kind: "memory",
            types: HEAP_HEAD.sampleTypes?.toReversed(),
            profiles: 1,
            lastSeen: new Date(`${day(-2)}T11:00:00Z`),
            bytes: sizes[2],
          },
        ],
      },
      {
        service: "worker",
        platform: "python",
        kinds: [{
          kind: "cpu",
          types: [CPU, { type: "samples", unit: "count" }],
          profiles: 1,
          lastSeen: new Date(`${day(-1)}T10:00:00Z`),
          bytes: sizes[3],
        }],
      },
    ],
  );
});

Deno.test("types without any sample come last, and time on the processor first", async () => {
  await using project = await profiledProject();
  const head = {
    sampleTypes: [
      CPU,
      { type: "alloc_size", unit: "bytes" },
      { type: "lock_count", unit: "count" },
      { type: "lock_time", unit: "nanoseconds" },
    ],
  };
  const samples = [{ stack: ["Program.Main"], values: [7n, 5n, 0n, 0n] }];
  await project.profiles({ at: `${day(-1)}T10:00:00Z`, platform: "dotnet", samples, head });
  const [service] = await readProfiledServices(project.sql, selectionOf());
  const types = service?.kinds[0]?.types.map(({ type }) => type);
  assert.deepEqual(types, ["cpu", "alloc_size", "lock_time", "lock_count"]);
  const any: ProfileQuery = { ...selectionOf(), kind: undefined, type: undefined };
  assert.equal((await chooseValue(project.sql, any))?.type.type, "cpu");
});

Deno.test("without a kind or a type the newest profile decides", async () => {
  await using project = await profiledProject();
  await project.profiles({ at: `${day(-2)}T10:00:00Z` }, heap(`${day(-1)}T10:00:00Z`, 1n, 1n));
  const any: ProfileQuery = { ...selectionOf(), kind: undefined, type: undefined };
  const inUse = { type: "inuse_space", unit: "bytes" };
  assert.deepEqual(await chooseValue(project.sql, any), {
    kind: "memory",
    type: inUse,
    platform: "go",
  });
  assert.deepEqual(
    await chooseValue(project.sql, { ...any, kind: "cpu" }),
    { kind: "cpu", type: CPU, platform: "go" },
  );
  assert.deepEqual(
    await chooseValue(project.sql, { ...any, type: CPU }),
    { kind: "cpu", type: CPU, platform: "go" },
  );
  assert.equal(await chooseValue(project.sql, { ...any, kind: "mutex" }), null);
});

Deno.test("volume has the sums of values along the time, in the unit that is asked for", async () => {
  await using project = await profiledProject();
  await project.profiles(
    { at: `${day(-3)}T01:00:00Z` },
    { at: `${day(-3)}T23:00:00Z` },
    {
      at: `${day(-1)}T10:00:00Z`,
      head: {
        sampleTypes: [{ type: "samples", unit: "count" }, { type: "cpu", unit: "microseconds" }],
      },
      samples: [{ stack: ["main"], values: [1n, 7n] }],
    },
  );
  assert.deepEqual(await readVolume(project.sql, selectionOf(), DAY_MS), [
    { time: new Date(`${day(-3)}T00:00:00Z`), profiles: 2, total: 80_000_000 },
    { time: new Date(`${day(-1)}T00:00:00Z`), profiles: 1, total: 7_000 },
  ]);
});

Deno.test("volume of snapshots is their average, of what processes count its growth", async () => {
  await using project = await profiledProject();
  await project.profiles(
    heap(`${day(-2)}T01:00:00Z`, 100n, 10n),
    heap(`${day(-2)}T02:00:00Z`, 130n, 30n),
    heap(`${day(-2)}T02:00:00Z`, 1_000n, 20n, "web-2"),
    heap(`${day(-1)}T01:00:00Z`, 5n, 8n),
    heap(`${day(-1)}T02:00:00Z`, 9n, 8n),
  );
  const read = async (name: string) =>
    (await readVolume(
      project.sql,
      selectionOf({ kind: "memory", type: { type: name, unit: "bytes" } }),
      DAY_MS,
    )).map(({ total }) => total);
  assert.deepEqual(await read("inuse_space"), [20, 8]);
  assert.deepEqual(await read("alloc_space"), [30, 4]);
});
