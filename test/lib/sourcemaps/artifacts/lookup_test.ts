import assert from "node:assert/strict";
import {
  endReadyBundle,
  findArtifacts,
  readArtifact,
  readyBundles,
  touchArtifacts,
} from "@/lib/sourcemaps/mod.ts";
import { fileKey, packFile } from "@/lib/sourcemaps/artifacts/stored_files.ts";
import type { Sql } from "@/lib/store/database.ts";
import { testDatabase } from "../../../support/database.ts";
import { testObjects } from "../../../support/objects.ts";

const ID = "13cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
const OTHER = "23cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
const FILE = "33cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1";

interface Stored {
  readonly projectId?: number;
  readonly bundle: number;
  readonly place?: number;
  readonly type?: string;
  readonly debugId?: string | null;
  readonly otherDebugId?: string | null;
  readonly release?: string;
  readonly dist?: string;
  readonly url?: string;
  readonly uploadedAt?: string;
}

const bundleId = (bundle: number) => `00000000-0000-4000-8000-${String(bundle).padStart(12, "0")}`;

async function store(sql: Sql, stored: Stored): Promise<void> {
  const { projectId = 1, bundle, place = 0, type = "source_map", debugId = null } = stored;
  const { otherDebugId = null, release = "", dist = "", url = "~/app.js.map" } = stored;
  const at = stored.uploadedAt ?? "2026-11-20T10:00:00Z";
  await sql`
    insert into artifact_bundles (project_id, bundle_id, organization_id, kind, sha1, release, dist,
      file_count, debug_id_count, size_bytes, uploaded_at, last_used_on)
    values (${projectId}, ${
    bundleId(bundle)
  }, 9, 'bundle', ${`sha1 ${bundle}`}, ${release}, ${dist},
      1, 1, 5, ${at}, '2026-11-01')
    on conflict do nothing
  `;
  await sql`
    insert into artifacts (project_id, bundle_id, place, organization_id, file_id, type, debug_id, other_debug_id,
      release, dist, url, headers, size_bytes, uploaded_at)
    values (${projectId}, ${
    bundleId(bundle)
  }, ${place}, 9, ${FILE}, ${type}, ${debugId}, ${otherDebugId},
      ${release}, ${dist}, ${url}, ${sql.json({ sourcemap: "app.js.map" })}, 5, ${at})
  `;
}

Deno.test("files are found by debug id in any spelling, the newest bundle first and the last of its manifest before others", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await store(sql, { bundle: 1, debugId: ID, uploadedAt: "2026-11-20T10:00:00Z" });
  await store(sql, { bundle: 2, debugId: ID, uploadedAt: "2026-11-21T10:00:00Z" });
  await store(sql, { bundle: 2, place: 1, debugId: ID, uploadedAt: "2026-11-21T10:00:00Z" });
  await store(sql, { bundle: 3, debugId: OTHER });

  const found = await findArtifacts(sql, "1", {
    debugIds: ["13CC92CA-1F0D-4F3C-9F2A-D5BE5AA8C9F1", "nonsense"],
  });

  assert.deepEqual(found.map(({ artifactId }) => artifactId), [
    `${bundleId(2)}.1`,
    `${bundleId(2)}.0`,
    `${bundleId(1)}.0`,
  ]);
  assert.deepEqual(found[0], {
    artifactId: `${bundleId(2)}.1`,
    projectId: "1",
    debugId: ID,
    type: "source_map",
    url: "~/app.js.map",
    release: "",
    dist: "",
    headers: { sourcemap: "app.js.map" },
    objectKey: fileKey("9", FILE),
    sizeBytes: 5,
    bundleId: bundleId(2),
    uploadedAt: new Date("2026-11-21T10:00:00Z"),
  });
});

Deno.test("a file with two debug ids is found by either, and says which it was", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await store(sql, { bundle: 1, debugId: ID, otherDebugId: OTHER });
  for (const id of [ID, OTHER]) {
    const found = await findArtifacts(sql, "1", { debugIds: [id] });
    assert.deepEqual(found.map(({ debugId }) => debugId), [id]);
  }
});

Deno.test("files of a release are found by URL where release and dist are the same", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await store(sql, { bundle: 1, release: "app@1", dist: "" });
  await store(sql, { bundle: 2, release: "app@1", dist: "7" });
  await store(sql, { bundle: 3, release: "app@2", dist: "" });
  await store(sql, { bundle: 4, release: "", dist: "" });
  const bundles = async (release: string, dist: string) => {
    const urls = ["https://example.com/app.js.map", "~/app.js.map"];
    const found = await findArtifacts(sql, "1", { release, dist, urls });
    return found.map(({ bundleId }) => bundleId);
  };
  assert.deepEqual(await bundles("app@1", ""), [bundleId(1)]);
  assert.deepEqual(await bundles("app@1", "7"), [bundleId(2)]);
  assert.deepEqual(await bundles("app@1", "8"), []);
  assert.deepEqual(await bundles("", ""), []);
});

Deno.test("a project finds nothing of another one", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await store(sql, { bundle: 1, debugId: ID, otherDebugId: OTHER, release: "app@1" });
  const urls = ["~/app.js.map"];
  assert.deepEqual(await findArtifacts(sql, "2", { debugIds: [ID, OTHER] }), []);
  assert.deepEqual(await findArtifacts(sql, "2", { release: "app@1", dist: "", urls }), []);
});

Deno.test("what a client sends as ids and URLs is never an error", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const urls = ["~/a\0.js", "~/'; drop table artifacts"];
  assert.deepEqual(await findArtifacts(sql, "1", { debugIds: ["\0", "' or 1=1"] }), []);
  assert.deepEqual(await findArtifacts(sql, "1", { release: "a\0", dist: "\0", urls }), []);
});

Deno.test("a file is read as it was uploaded, and null when it has gone", async () => {
  await using stored = await testObjects();
  const bytes = new TextEncoder().encode("alert(1);\n".repeat(1000));
  const objectKey = fileKey("9", FILE);
  const artifact = { objectKey, sizeBytes: bytes.length };
  assert.equal(await readArtifact(stored.objects, artifact), null);
  await stored.objects.put(objectKey, packFile(bytes));
  const read = await readArtifact(stored.objects, artifact);
  assert.deepEqual(new TextDecoder().decode(read ?? undefined), "alert(1);\n".repeat(1000));
  await assert.rejects(readArtifact(stored.objects, { objectKey, sizeBytes: 5 }));
});

Deno.test("an empty file is read as it was uploaded", async () => {
  await using stored = await testObjects();
  const objectKey = fileKey("9", FILE);
  await stored.objects.put(objectKey, packFile(new Uint8Array()));
  const read = await readArtifact(stored.objects, { objectKey, sizeBytes: 0 });
  assert.equal(read?.length, 0);
});

Deno.test("the last use of a bundle moves forward by days, and only in its project", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await store(sql, { bundle: 1 });
  await store(sql, { projectId: 2, bundle: 1 });
  await touchArtifacts(sql, "1", [bundleId(1)], new Date("2026-11-22T23:00:00Z"));
  await touchArtifacts(sql, "1", [bundleId(1)], new Date("2026-11-21T23:00:00Z"));
  const days = await sql`
    select project_id::int as project, last_used_on::text as day from artifact_bundles order by 1
  `;
  assert.deepEqual([...days], [
    { project: 1, day: "2026-11-22" },
    { project: 2, day: "2026-11-01" },
  ]);
});

Deno.test("a bundle that has become usable is told with its debug ids until that is ended", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await store(sql, { bundle: 1, debugId: ID, otherDebugId: OTHER, release: "app@1" });
  await sql`insert into ready_bundles (project_id, bundle_id) values (1, ${bundleId(1)})`;
  const [ready, ...others] = await readyBundles(sql, 10);
  assert.equal(others.length, 0);
  assert.deepEqual({ ...ready, debugIds: ready?.debugIds.toSorted(), notedAt: null }, {
    projectId: "1",
    bundleId: bundleId(1),
    release: "app@1",
    dist: "",
    debugIds: [ID, OTHER],
    notedAt: null,
  });
  await endReadyBundle(sql, { projectId: "1", bundleId: bundleId(1) });
  assert.deepEqual([...await readyBundles(sql, 10)], []);
});
