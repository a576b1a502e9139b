import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { unzipSync, zipSync } from "fflate";
import type { Project } from "@/lib/accounts/projects.ts";
import { AT, SENTRY_TRACE, type Transferred, transferred } from "../../support/transferred.ts";

/** What an SDK sent, of the one profile of a project. */
async function originalIn({ services: { sql, objects } }: Transferred, { id }: Project) {
  const rows = await sql<{ profileId: string; source: string; key: string }[]>`
    select profile_id as "profileId", source, original_key as key from profiles
    where project_id = ${id}
  `;
  const [{ key = "", ...row } = {}] = rows;
  assert.equal(rows.length, 1);
  const bytes = key === "" ? null : await objects.get(key);
  return { ...row, sent: bytes && gunzipSync(bytes).toString() };
}

Deno.test("a profile of an SDK comes back with what was sent, and one whose original is damaged without", async () => {
  await using world = await transferred();
  const { project } = world;
  const payload = JSON.stringify({
    chunk_id: "a".repeat(32),
    profiler_id: SENTRY_TRACE,
    platform: "node",
    version: "2",
    profile: {
      frames: [{ function: "f", lineno: 1 }],
      stacks: [[0]],
      samples: [0, 0.01, 0.02].map((at) => ({
        stack_id: 0,
        thread_id: "0",
        timestamp: AT + at,
      })),
    },
  });
  const head = JSON.stringify({ type: "profile_chunk", length: payload.length });
  const answer = await world.post(["{}", head, payload].join("\n"));
  assert.equal(answer.status, 200, await answer.text());
  const before = await originalIn(world, project);
  assert.match(before.sent ?? "", /profiler_id/);
  const archive = await world.exported(project);
  const copy = await world.empty("Copy");
  const done = await world.imported(copy, "export.zip", archive);
  assert.deepEqual([done.state, done.counts.profiles], ["done", 1]);
  assert.deepEqual(await originalIn(world, copy), before);

  const files = unzipSync(archive);
  for (const name of Object.keys(files)) {
    if (name.endsWith(".sentry.json.gz")) files[name] = new Uint8Array([1, 2, 3]);
  }
  const other = await world.empty("Other");
  const damaged = await world.imported(other, "export.zip", zipSync(files));
  assert.deepEqual([damaged.state, damaged.counts.profiles], ["done", 1]);
  assert.equal((await originalIn(world, other)).sent, null);
});
