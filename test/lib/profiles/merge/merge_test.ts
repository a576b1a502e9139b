import assert from "node:assert/strict";
import { mergeProfiles } from "@/lib/profiles/merge/merge.ts";
import { readMergeRows } from "@/lib/profiles/merge/merge_rows.ts";
import {
  CPU,
  day,
  linesOf,
  profiledProject,
  selectionOf,
  type StoredSpec,
} from "@/test/support/profiled_project.ts";

const HEAP = {
  sampleTypes: [
    { type: "alloc_space", unit: "bytes" },
    { type: "inuse_space", unit: "bytes" },
  ],
  periodType: { type: "space", unit: "bytes" },
  period: 524_288n,
  durationNanos: 0n,
};
const ALLOCATED = { type: "alloc_space", unit: "bytes" };
const IN_USE = { type: "inuse_space", unit: "bytes" };

/** A heap profile with one function that allocated so much and holds so much. */
function heap(at: string, allocated: bigint, held: bigint, facts: Partial<StoredSpec> = {}) {
  const samples = [{ stack: ["main.main", "main.load"], values: [allocated, held] }];
  return { at, samples, head: HEAP, instance: "web-1", ...facts };
}

function memory(type = ALLOCATED) {
  return selectionOf({ kind: "memory", type });
}

/** Profiles of one stack, each of another value, so many minutes apart. */
function series(start: string, values: readonly bigint[], minutes: number): StoredSpec[] {
  return values.map((value, index) => ({
    at: new Date(Date.parse(start) + index * minutes * 60_000),
    samples: [{ stack: ["main.main", `main.f${index % 3}`], values: [1n, value] }],
  }));
}

Deno.test("profiles of a selection are added up exactly, beyond what a double can tell apart", async () => {
  await using project = await profiledProject();
  const huge = 2n ** 53n + 1n;
  await project.profiles(...series(`${day(-1)}T10:00:00Z`, [huge, 1n, 2n, huge], 1));
  const merged = await mergeProfiles(project, selectionOf());
  assert.deepEqual(linesOf(merged.stacks), [
    `main.main;main.f0 ${2n * huge}`,
    "main.main;main.f1 1",
    "main.main;main.f2 2",
  ]);
  const { nature, profiles, left, average, differences } = merged;
  assert.deepEqual({ nature, profiles, left, average, differences }, {
    nature: "interval",
    profiles: 4,
    left: 0,
    average: 1n,
    differences: null,
  });
  assert.deepEqual([merged.stacks.profiles, merged.stacks.durationNanos], [4, 40_000_000_000n]);
  assert.deepEqual(merged.stacks.types.map(({ type }) => type), ["samples", "cpu"]);
});

Deno.test("environment, release, service, time and project choose what is merged", async () => {
  await using project = await profiledProject();
  await project.profiles(
    { at: `${day(-1)}T10:00:00Z`, samples: [{ stack: ["wanted"], values: [1n, 1n] }] },
    { at: `${day(-1)}T10:00:00Z`, environment: "staging" },
    { at: `${day(-1)}T10:00:00Z`, release: "shop@2.0" },
    { at: `${day(-1)}T10:00:00Z`, service: "other" },
    { at: `${day(-1)}T12:00:00Z` },
    { at: `${day(-1)}T10:00:00Z`, kindHint: "wall" },
  );
  const selection = selectionOf({
    environments: ["production"],
    releases: ["shop@1.0"],
    services: ["shop"],
    end: new Date(`${day(-1)}T12:00:00Z`),
  });
  assert.deepEqual(linesOf((await mergeProfiles(project, selection)).stacks), ["wanted 1"]);
  const foreign = await mergeProfiles(project, { ...selection, projectId: "2" });
  assert.deepEqual([foreign.profiles, linesOf(foreign.stacks)], [0, []]);
});

Deno.test("samples are chosen by label, of whichever profiles have it", async () => {
  await using project = await profiledProject();
  const label = (text: string) => [{ key: "handler", text }];
  await project.profiles(
    {
      at: `${day(-1)}T10:00:00Z`,
      samples: [
        { stack: ["a"], values: [1n, 1n], labels: label("cart") },
        { stack: ["b"], values: [1n, 2n], labels: label("pay") },
      ],
    },
    { at: `${day(-1)}T10:01:00Z`, labels: { handler: ["cart"] } },
    { at: `${day(-1)}T10:02:00Z` },
  );
  const labels = [["handler", "cart"]] as const;
  const merged = await mergeProfiles(project, selectionOf({ labels }));
  assert.equal(merged.profiles, 2);
  assert.deepEqual(linesOf(merged.stacks), [
    "a 1",
    "main.main;main.work 10000000",
    "main.main;main.work;main.hash 30000000",
  ]);
});

Deno.test("snapshots come as their average", async () => {
  await using project = await profiledProject();
  await project.profiles(
    heap(`${day(-1)}T10:00:00Z`, 10n, 100n),
    heap(`${day(-1)}T10:01:00Z`, 20n, 300n),
  );
  const merged = await mergeProfiles(project, memory(IN_USE));
  assert.deepEqual([merged.nature, merged.average, merged.profiles], ["snapshot", 2n, 2]);
  assert.deepEqual(linesOf(merged.stacks, IN_USE), ["main.main;main.load 400"]);
  assert.deepEqual(merged.stacks.types, [IN_USE], "what is counted since the start is not summed");
});

Deno.test("what is counted since a process began is its growth, for each instance, across restarts", async () => {
  await using project = await profiledProject();
  await project.profiles(
    ...[100n, 150n, 190n, 5n, 25n].map((value, minute) =>
      heap(`${day(-1)}T10:0${minute}:00Z`, value, 0n)
    ),
    heap(`${day(-1)}T10:00:00Z`, 1_000n, 0n, { instance: "web-2" }),
    heap(`${day(-1)}T10:09:00Z`, 1_007n, 0n, { instance: "web-2" }),
    heap(`${day(-1)}T10:00:00Z`, 3n, 0n, { instance: "web-3" }),
  );
  project.objects.asked();
  const merged = await mergeProfiles(project, memory());
  assert.equal(merged.nature, "cumulative");
  // 90 before the restart and 20 after it, 7 of the second instance, and all of the third.
  assert.deepEqual(linesOf(merged.stacks, ALLOCATED), ["main.main;main.load 120"]);
  assert.deepEqual(merged.differences, { instances: 3, resets: 1, whole: 1 });
  assert.deepEqual([merged.profiles, merged.left], [8, 0]);
  assert.equal(project.objects.asked().length, 7, "only where something begins or ends");
});

Deno.test("after a restart a single profile tells of no growth", async () => {
  await using project = await profiledProject();
  await project.profiles(
    heap(`${day(-1)}T10:00:00Z`, 100n, 0n),
    heap(`${day(-1)}T10:01:00Z`, 110n, 0n),
    heap(`${day(-1)}T10:02:00Z`, 50n, 0n),
  );
  const merged = await mergeProfiles(project, memory());
  assert.deepEqual(linesOf(merged.stacks, ALLOCATED), ["main.main;main.load 10"]);
  assert.deepEqual(merged.differences, { instances: 1, resets: 1, whole: 0 });
});

Deno.test("allocations of stretches of time are added up beside those since a start", async () => {
  await using project = await profiledProject();
  await project.profiles(
    heap(`${day(-1)}T10:00:00Z`, 7n, 0n, { head: { ...HEAP, durationNanos: 10n ** 10n } }),
    heap(`${day(-1)}T10:00:00Z`, 100n, 0n),
    heap(`${day(-1)}T10:01:00Z`, 103n, 0n),
  );
  const merged = await mergeProfiles(project, memory());
  assert.deepEqual(linesOf(merged.stacks, ALLOCATED), ["main.main;main.load 10"]);
  assert.equal(merged.nature, "cumulative");
});

Deno.test("whole hours are kept, and read the next time instead of their profiles", async () => {
  await using project = await profiledProject();
  await project.profiles(...series(`${day(-3)}T10:00:00Z`, [1n, 2n, 3n, 4n, 5n, 6n], 5));
  const first = await mergeProfiles(project, selectionOf());
  const kept = await Array.fromAsync(project.objects.list(`profile_merges/1/${day(-3)}/`));
  assert.equal(kept.length, 1);
  project.objects.asked();
  // Another view of the same objects has nothing in memory.
  const fresh = { sql: project.sql, objects: { ...project.objects } };
  const second = await mergeProfiles(fresh, selectionOf());
  assert.deepEqual(project.objects.asked(), kept.map(({ key }) => key));
  assert.deepEqual(second, first);
  assert.deepEqual(await mergeProfiles(fresh, selectionOf()), first);
  assert.deepEqual(project.objects.asked(), [], "from memory");
});

Deno.test("a profile that comes late, or goes, makes another merge", async () => {
  await using project = await profiledProject();
  const [gone] = await project.profiles(
    ...series(`${day(-3)}T10:00:00Z`, [1n, 2n, 4n, 8n, 16n], 5),
  );
  const total = async () =>
    linesOf((await mergeProfiles(project, selectionOf())).stacks)
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  assert.equal(await total(), 31);
  await project.profiles(...series(`${day(-3)}T10:30:00Z`, [32n], 5));
  assert.equal(await total(), 63);
  await project.sql`delete from profiles where profile_id = ${gone?.profileId ?? ""}`;
  assert.equal(await total(), 62);
});

Deno.test("whole days are kept as one, made of their hours; damaged merges are made again", async () => {
  await using project = await profiledProject();
  await project.profiles(...series(`${day(-4)}T00:30:00Z`, Array(48).fill(1n), 29));
  const selection = selectionOf({
    start: new Date(`${day(-4)}T00:00:00Z`),
    end: new Date(`${day(-3)}T00:00:00Z`),
  });
  const first = await mergeProfiles(project, selection);
  project.objects.asked();
  const read = () => mergeProfiles({ ...project, objects: { ...project.objects } }, selection);
  assert.deepEqual(await read(), first);
  const [ofDay, ...more] = project.objects.asked();
  assert.equal(more.length, 0);
  await project.objects.put(ofDay ?? "", new Uint8Array([1, 2, 3]));
  assert.deepEqual(await read(), first);
});

Deno.test("hours that go on, or are asked for in part, are not kept whole", async () => {
  await using project = await profiledProject();
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000;
  await project.profiles(
    ...series(new Date(start).toISOString(), Array(12).fill(1n), 5),
    ...Array.from({ length: 5 }, () => ({ at: new Date(Date.now() - 1_000) })),
  );
  const selection = selectionOf({
    start: new Date(start + 60_000),
    end: new Date(Date.now() + 60_000),
  });
  const merged = await mergeProfiles(project, selection);
  assert.equal(merged.profiles, 16);
  assert.deepEqual(await Array.fromAsync(project.objects.list("profile_merges/")), []);
});

Deno.test("of too many profiles an even share is read, and said so", async () => {
  await using project = await profiledProject();
  await project.profiles(...series(`${day(-3)}T10:00:00Z`, Array(300).fill(1n), 1));
  const merged = await mergeProfiles(project, selectionOf(), undefined, { maxProfiles: 100 });
  assert.equal(merged.profiles + merged.left, 300);
  assert.ok(merged.profiles > 40 && merged.profiles < 120, String(merged.profiles));
  const late = await mergeProfiles(project, selectionOf(), undefined, { budgetMs: -1 });
  assert.deepEqual([late.profiles, late.left, linesOf(late.stacks)], [0, 300, []]);
});

Deno.test("the last bits of ids choose which of too many profiles are read, and all others are counted", async () => {
  await using project = await profiledProject();
  const stored = await project.profiles(
    ...series(`${day(-3)}T10:30:00Z`, Array(300).fill(1n), 1),
  );
  const inTime = { start: new Date(`${day(-3)}T10:45:30Z`), end: new Date(`${day(-2)}T00:00:00Z`) };
  for (
    const [max, step, scope, among] of [
      [4, 128, {}, stored],
      [100, 4, {}, stored],
      [2, 256, inTime, stored.slice(16)],
      [2, 256, { labels: [["thread", "main"]] }, []],
    ] as const
  ) {
    const selection = selectionOf(scope);
    const { rows, left } = await readMergeRows(project.sql, selection, false, max);
    const wanted = among.map(({ profileId }) => profileId)
      .filter((id) => parseInt(id.slice(-4), 16) % step === 0);
    assert.deepEqual(rows.map(({ profileId }) => profileId).sort(), wanted.sort());
    assert.equal(rows.length + left, among.length);
  }
});

Deno.test("profiles whose bytes are gone or damaged are left out, and no merge is kept without them", async () => {
  await using project = await profiledProject();
  const [gone, damaged] = await project.profiles(
    ...series(`${day(-3)}T10:00:00Z`, [1n, 2n, 4n, 8n, 16n], 5),
  );
  const bytes = await project.objects.get(gone?.blob.key ?? "");
  await project.objects.delete(gone?.blob.key ?? "");
  await project.objects.put(damaged?.blob.key ?? "", new Uint8Array([9, 9, 9]));
  const merged = await mergeProfiles(project, selectionOf());
  assert.deepEqual([merged.profiles, merged.left], [3, 2]);
  assert.equal(linesOf(merged.stacks).length, 3);
  await project.objects.put(gone?.blob.key ?? "", bytes ?? new Uint8Array());
  assert.equal((await mergeProfiles(project, selectionOf())).profiles, 4);
});

Deno.test("a stretch of time clips profiles that tell when their samples were taken", async () => {
  await using project = await profiledProject();
  const samples = [0, 4, 8].map((second) => ({
    stack: [`at${second}`],
    values: [1n, 1n],
    labels: [
      { key: "offset", number: BigInt(second) * 1_000_000_000n, unit: "nanoseconds" },
      { key: "thread_id", text: second === 4 ? "2" : "1" },
    ],
  }));
  await project.profiles({ at: `${day(-1)}T10:00:00Z`, samples });
  const clip = {
    clip: true,
    start: new Date(`${day(-1)}T10:00:03Z`),
    end: new Date(`${day(-1)}T10:00:09Z`),
  };
  const merged = await mergeProfiles(project, selectionOf(clip));
  assert.deepEqual(linesOf(merged.stacks), ["at4 1", "at8 1"]);
  assert.equal(merged.stacks.durationNanos, 6_000_000_000n);
  const ofThread = await mergeProfiles(project, selectionOf({ ...clip, threadId: "1" }));
  assert.deepEqual(linesOf(ofThread.stacks), ["at8 1"]);
});

Deno.test("units of the same type are scaled to the finest, and types that nobody has give nothing", async () => {
  await using project = await profiledProject();
  const micros = {
    sampleTypes: [{ type: "samples", unit: "count" }, { type: "cpu", unit: "microseconds" }],
  };
  await project.profiles(
    { at: `${day(-1)}T10:00:00Z`, samples: [{ stack: ["a"], values: [1n, 3n] }], head: micros },
    { at: `${day(-1)}T10:00:00Z`, samples: [{ stack: ["a"], values: [1n, 3n] }] },
  );
  const merged = await mergeProfiles(project, selectionOf());
  assert.deepEqual(linesOf(merged.stacks, CPU), ["a 3003"]);
  const type = { type: "lock_time", unit: "nanoseconds" };
  const none = await mergeProfiles(project, selectionOf({ type }));
  assert.deepEqual([none.profiles, linesOf(none.stacks, type)], [0, []]);
});

Deno.test("work ends when nobody waits for it any longer", async () => {
  await using project = await profiledProject();
  await project.profiles(...series(`${day(-3)}T10:00:00Z`, [1n, 2n], 5));
  const stopping = AbortSignal.abort();
  await assert.rejects(mergeProfiles(project, selectionOf(), stopping), { name: "AbortError" });
});

Deno.test("stacks that there is no room for end early and are told of, and no such merge is kept", async () => {
  await using project = await profiledProject();
  await project.profiles(...series(`${day(-1)}T10:00:00Z`, [1n, 2n, 4n, 8n, 16n], 1));
  const merge = (maxNodes?: number) =>
    mergeProfiles(project, selectionOf(), undefined, { maxNodes });
  const tight = await merge(2);
  assert.deepEqual([tight.cut > 0, tight.profiles + tight.left], [true, 5]);
  const whole = await merge();
  assert.deepEqual([whole.cut, whole.profiles, whole.left], [0, 5, 0]);
  assert.deepEqual(linesOf(whole.stacks), [
    "main.main;main.f0 9",
    "main.main;main.f1 18",
    "main.main;main.f2 4",
  ]);
});
