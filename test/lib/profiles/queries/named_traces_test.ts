import assert from "node:assert/strict";
import { readNamedTraces } from "@/lib/profiles/queries/stored_profiles.ts";
import { newEventId } from "@/test/support/error_event.ts";
import type { TestSample } from "@/test/support/pprof.ts";
import { day, profiledProject, PROJECT } from "@/test/support/profiled_project.ts";

const AT = new Date(`${day(-1)}T10:00:00.123Z`);
const SHORT = "a".repeat(32);
const LONG = "b".repeat(32);
const BARE = "c".repeat(32);
const SPAN = "00000000000000a1";
const OTHER_SPAN = "00000000000000a2";

/** A sample of a span, or of a trace only, which took so long. */
function sample(traceId: string, spanId: string | null, nanos: bigint, count = 1n): TestSample {
  const span = spanId === null ? [] : [{ key: "span_id", text: spanId }];
  return {
    stack: ["main"],
    values: [count, nanos],
    labels: [{ key: "trace_id", text: traceId }, ...span],
  };
}

Deno.test("traces of the largest values come first, all are counted, and a span is told where it is the only one", async () => {
  await using project = await profiledProject();
  const [profile] = await project.profiles({
    at: AT,
    samples: [
      // Many samples of little: what counts is the last type.
      sample(SHORT, SPAN, 1n, 50n),
      sample(LONG, SPAN, 20n),
      sample(LONG, OTHER_SPAN, 20n),
      sample(BARE, null, 30n),
    ],
  });
  assert.ok(profile);
  const read = async (limit: number) =>
    (await readNamedTraces(project.sql, PROJECT, [profile], limit)).get(profile.profileId);
  assert.deepEqual(await read(10), {
    traces: [
      { traceId: LONG, spanId: null },
      { traceId: BARE, spanId: null },
      { traceId: SHORT, spanId: SPAN },
    ],
    count: 3,
  });
  assert.deepEqual(await read(1), { traces: [{ traceId: LONG, spanId: null }], count: 3 });
});

Deno.test("each profile has its own traces, also where many begin at the same moment", async () => {
  await using project = await profiledProject();
  const traceIds = Array.from({ length: 3 }, () => newEventId());
  const named = await project.profiles(
    ...traceIds.map((traceId) => ({ at: AT, samples: [sample(traceId, SPAN, 1n)] })),
    { at: new Date(AT.getTime() + 1), samples: [sample(LONG, SPAN, 1n)] },
  );
  const [nameless] = await project.profiles({ at: AT });
  assert.ok(nameless);
  // The second is not asked for.
  const asked = [nameless, ...named.filter((_, place) => place !== 1)];
  const found = await readNamedTraces(project.sql, PROJECT, asked, 1);
  assert.deepEqual(
    new Map([...found].map(([id, { traces }]) => [id, traces.map(({ traceId }) => traceId)])),
    new Map([
      [named[0]?.profileId, [traceIds[0]]],
      [named[2]?.profileId, [traceIds[2]]],
      [named[3]?.profileId, [LONG]],
    ]),
  );
});

Deno.test("other projects' profiles name nothing, and nor do none", async () => {
  await using project = await profiledProject();
  const profiles = await project.profiles({ at: AT, samples: [sample(LONG, SPAN, 1n)] });
  assert.equal((await readNamedTraces(project.sql, PROJECT, profiles, 1)).size, 1);
  assert.equal((await readNamedTraces(project.sql, "2", profiles, 1)).size, 0);
  assert.equal((await readNamedTraces(project.sql, PROJECT, [], 1)).size, 0);
});
