import assert from "node:assert/strict";
import { readRegressions } from "@/lib/profiles/merge/regressions.ts";
import { day, profiledProject, selectionOf } from "@/test/support/profiled_project.ts";

const TEN_MS = 10_000_000n;
const { signal: stopping } = new AbortController();

/** Three profiles of a release, of functions below `main` with so many samples each. */
function release(name: string, date: string, counts: Readonly<Record<string, number>>) {
  const samples = Object.entries(counts).map(([fn, count]) => ({
    stack: ["main", fn],
    values: [BigInt(count), BigInt(count) * TEN_MS],
  }));
  return [0, 1, 2].map((minute) => ({ at: `${date}T10:0${minute}:00Z`, release: name, samples }));
}

Deno.test("functions with a larger share than in the release before are told, those that grew most first", async () => {
  await using project = await profiledProject();
  await project.profiles(
    ...release("1.0", day(-4), { slow: 900, gone: 100 }),
    ...release("1.1", day(-3), { parse: 100, hash: 300, send: 600 }),
    ...release("1.2", day(-1), { parse: 300, hash: 200, send: 400, added: 100 }),
  );
  const found = await readRegressions({ ...project, stopping }, selectionOf());
  assert.deepEqual([found?.base, found?.release, found?.profiles, found?.baseProfiles], [
    "1.1",
    "1.2",
    3,
    3,
  ]);
  assert.deepEqual(
    found?.functions.map(({ frame, selfShare, baseSelfShare, samples }) => [
      frame.name,
      selfShare,
      baseSelfShare,
      samples,
    ]),
    [["parse", 0.3, 0.1, 900], ["added", 0.1, 0, 300]],
  );
});

Deno.test("what chance does to few samples is no regression", async () => {
  await using project = await profiledProject();
  await project.profiles(
    ...release("1.0", day(-2), { parse: 3, send: 7 }),
    ...release("1.1", day(-1), { parse: 4, send: 6 }),
  );
  assert.deepEqual((await readRegressions({ ...project, stopping }, selectionOf()))?.functions, []);
});

Deno.test("one release alone cannot be compared", async () => {
  await using project = await profiledProject();
  await project.profiles(...release("1.0", day(-2), { parse: 3 }), {
    at: `${day(-1)}T10:00:00Z`,
    release: "1.1",
  });
  assert.equal(await readRegressions({ ...project, stopping }, selectionOf()), null);
});
