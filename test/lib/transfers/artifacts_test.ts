import assert from "node:assert/strict";
import { findArtifacts, readArtifact } from "@/lib/sourcemaps/mod.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import {
  MAP_ID,
  MAPPING_ID,
  sendMaps,
  type Transferred,
  transferred,
} from "../../support/transferred.ts";

/** What debug ids and a release find, with its bytes. */
async function foundIn({ services: { sql, objects } }: Transferred, { id }: Project) {
  const found = [
    ...await findArtifacts(sql, id, { debugIds: [MAP_ID, MAPPING_ID] }),
    ...await findArtifacts(sql, id, { release: "shop@1.0", dist: "7", urls: ["~/app.js"] }),
  ];
  return await Promise.all(found.map(async (artifact) => {
    const { type, url, release, dist, headers, debugId, sizeBytes } = artifact;
    const bytes = await readArtifact(objects, artifact);
    const text = new TextDecoder().decode(bytes ?? undefined);
    return { type, url, release, dist, headers, debugId, sizeBytes, text };
  }));
}

Deno.test("source maps and mappings come back as they were, once", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  await sendMaps(world);
  const before = await foundIn(world, project);
  assert.equal(before.length, 4);
  const archive = await world.exported(project);
  const copy = await world.empty("Copy");
  const { counts } = await world.imported(copy, "export.zip", archive);
  assert.deepEqual([counts.source_maps, counts.dropped], [3, undefined]);
  const byText = (one: object, other: object) =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
  assert.deepEqual((await foundIn(world, copy)).sort(byText), before.sort(byText));
  for (const each of [copy, project]) {
    const again = await world.imported(each, "export.zip", archive);
    assert.deepEqual([again.counts.source_maps, again.counts.there_already], [undefined, 3]);
    const { length } = await sql`select 1 from artifact_bundles where project_id = ${each.id}`;
    assert.equal(length, 2);
  }
});

Deno.test("a bundle whose files are not there, or that says what is not so, is dropped as a whole", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  const line = {
    artifactBundle: "x",
    kind: "bundle",
    sha1: "a".repeat(40),
    release: "r",
    files: { "artifacts/x-0": { type: "source_map", url: "~/a.map", size: 4 } },
  };
  const lines = [
    line,
    { ...line, kind: "other" },
    { ...line, sha1: "no" },
    { ...line, files: {} },
    { ...line, files: { "../../etc/passwd": { type: "source", url: 7, size: -1 } } },
    { ...line, kind: "proguard", files: { "artifacts/x-0": { type: "proguard", url: "m" } } },
    { ...line, release: "r".repeat(300) },
  ];
  const sent = lines.map((each) => JSON.stringify(each)).join("\n");
  const { state, counts } = await world.imported(project, "artifacts.jsonl", sent);
  assert.deepEqual([state, counts], ["done", { dropped: 7 }]);
  const { length } = await sql`select 1 from artifact_bundles where project_id = ${project.id}`;
  assert.equal(length, 0);
});
