import assert from "node:assert/strict";
import type { ObjectStore } from "@/lib/store/objects/store.ts";
import { assemble, type Upload } from "@/lib/sourcemaps/artifacts/assemble.ts";
import { startAssembler } from "@/lib/sourcemaps/artifacts/assembler.ts";
import { saveChunk } from "@/lib/sourcemaps/artifacts/chunks.ts";
import { findArtifacts, sweepUploads } from "@/lib/sourcemaps/mod.ts";
import { readConfig } from "@/lib/core/config.ts";
import type { Sql } from "@/lib/store/database.ts";
import {
  cliBundle,
  DEBUG_ID,
  scriptAndMap,
  sha1,
  storedBundle,
} from "../../../support/artifact_bundles.ts";
import { testDatabase } from "../../../support/database.ts";
import { testObjects } from "../../../support/objects.ts";
import { silentLogger } from "../../../support/silent_logger.ts";

const NEVER = new AbortController().signal;
const BYTES = cliBundle({ files: scriptAndMap() });
const UPLOAD: Upload = {
  kind: "bundle",
  sha1: sha1(BYTES),
  chunks: [sha1(BYTES)],
  release: "",
  dist: "",
  name: "",
};

async function withStores() {
  const stack = new AsyncDisposableStack();
  const { sql } = stack.use(await testDatabase());
  const { objects } = stack.use(await testObjects());
  return { sql, objects, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Works on what is there, once, as a process with these stores would. */
async function runOnce(sql: Sql, objects: ObjectStore): Promise<void> {
  const assembler = startAssembler({ sql, objects, log: silentLogger, config: readConfig({}) });
  await assembler.run();
  await assembler.close();
}

const stateOf = async (sql: Sql) => (await assemble(sql, "1", ["7"], UPLOAD)).state;
const found = (sql: Sql) => findArtifacts(sql, "7", { debugIds: [DEBUG_ID] });

Deno.test("an upload whose process ended is put together by another one when its lease has run out", async () => {
  await using stores = await withStores();
  const { sql, objects } = stores;
  await saveChunk(stores, "1", UPLOAD.sha1, BYTES);
  assert.equal(await stateOf(sql), "created");
  await sql`update artifact_assemblies set state = 'assembling', attempts = 1, leased_until = now() + interval '1 minute'`;
  await runOnce(sql, objects);
  assert.equal(await stateOf(sql), "assembling");
  await sql`update artifact_assemblies set leased_until = now() - interval '1 second'`;
  await runOnce(sql, objects);
  assert.equal(await stateOf(sql), "ok");
  assert.equal((await found(sql)).length, 2);
});

Deno.test("an upload waits while the object store is away, and is put together when it is back", async () => {
  await using stores = await withStores();
  const { sql, objects } = stores;
  await saveChunk(stores, "1", UPLOAD.sha1, BYTES);
  assert.equal(await stateOf(sql), "created");
  const away = { ...objects, put: () => Promise.reject(new Error("away")) };
  await runOnce(sql, away);
  assert.equal(await stateOf(sql), "created");
  assert.deepEqual(await found(sql), []);
  await sql`update artifact_assemblies set leased_until = now()`;
  await runOnce(sql, objects);
  assert.equal(await stateOf(sql), "ok");
});

Deno.test("who was too slow does not have the last word", async () => {
  await using stores = await withStores();
  const { sql, objects } = stores;
  await saveChunk(stores, "1", UPLOAD.sha1, BYTES);
  assert.equal(await stateOf(sql), "created");
  // Another process takes the upload over while this one stores a file.
  const slow: ObjectStore = {
    ...objects,
    async put(key, bytes) {
      await objects.put(key, bytes);
      await sql`update artifact_assemblies set attempts = attempts + 1`;
    },
  };
  await runOnce(sql, slow);
  assert.equal(await stateOf(sql), "assembling");
  assert.deepEqual(await found(sql), []);
});

Deno.test("an upload whose chunks have gone is to be sent again", async () => {
  await using stores = await withStores();
  const { sql, objects } = stores;
  await saveChunk(stores, "1", UPLOAD.sha1, BYTES);
  assert.equal(await stateOf(sql), "created");
  await sql`delete from upload_chunks`;
  await runOnce(sql, objects);
  assert.deepEqual(await assemble(sql, "1", ["7"], UPLOAD), {
    state: "not_found",
    missingChunks: [UPLOAD.sha1],
    detail: null,
  });
});

Deno.test("a failed upload is tried anew a minute later", async () => {
  await using stores = await withStores();
  const { sql, objects } = stores;
  const bad = { ...UPLOAD, sha1: "e".repeat(40) };
  await saveChunk(stores, "1", UPLOAD.sha1, BYTES);
  await assemble(sql, "1", ["7"], bad);
  await runOnce(sql, objects);
  assert.equal((await assemble(sql, "1", ["7"], bad)).state, "error");
  await sql`update artifact_assemblies set changed_at = now() - interval '61 seconds'`;
  assert.equal((await assemble(sql, "1", ["7"], bad)).state, "created");
});

Deno.test("chunks go a day after somebody named them last, an hour when they are part of something", async () => {
  await using stores = await withStores();
  const { sql, objects } = stores;
  const keys = async () => (await Array.fromAsync(objects.list("upload_chunks/"))).length;
  await saveChunk(stores, "1", UPLOAD.sha1, BYTES);
  await sql`update upload_chunks set used_at = now() - interval '23 hours'`;
  await sweepUploads({ ...stores, retentionDays: 90 }, NEVER);
  assert.equal(await keys(), 1);
  assert.equal(await stateOf(sql), "created");
  await runOnce(sql, objects);
  await sweepUploads({ ...stores, retentionDays: 90 }, NEVER);
  assert.equal(await keys(), 1);
  await sql`update upload_chunks set used_at = now() - interval '61 minutes'`;
  await sweepUploads({ ...stores, retentionDays: 90 }, NEVER);
  assert.equal(await keys(), 0);

  await saveChunk(stores, "1", "d".repeat(40), BYTES);
  await sql`update upload_chunks set used_at = now() - interval '25 hours'`;
  await sweepUploads({ ...stores, retentionDays: 90 }, NEVER);
  assert.equal(await keys(), 0);
});

Deno.test("bytes of chunks whose row never came go after two days", async () => {
  await using stores = await withStores();
  const { objects } = stores;
  await objects.put("upload_chunks/1/2026-11-01/lost", BYTES);
  await objects.put("upload_chunks/1/2026-11-19/recent", BYTES);
  const now = new Date("2026-11-20T12:00:00Z");
  await sweepUploads({ ...stores, retentionDays: 90 }, NEVER, now);
  const keys = await Array.fromAsync(objects.list("upload_chunks/"), ({ key }) => key);
  assert.deepEqual(keys, ["upload_chunks/1/2026-11-19/recent"]);
});

Deno.test("uploads go when no event has needed them as long as events are kept, but never the newest release's", async () => {
  await using stores = await withStores();
  const { sql } = stores;
  const now = new Date("2026-11-20T12:00:00Z");
  const bundle = (release: string, day: string, lastUsedOn: string) =>
    storedBundle(sql, "7", release, { uploadedAt: new Date(day), lastUsedOn });
  await bundle("shop@1", "2026-01-01", "2026-01-01");
  await bundle("shop@2", "2026-01-02", "2026-11-01");
  await bundle("", "2026-01-03", "2026-01-03");
  await bundle("shop@3", "2026-02-01", "2026-02-01");
  await bundle("shop@3", "2026-02-02", "2026-02-02");
  const deleted = await sweepUploads({ ...stores, retentionDays: 90 }, NEVER, now);
  assert.deepEqual(deleted, { bundles: 2 });
  const left = await sql`select release from artifact_bundles order by uploaded_at`;
  assert.deepEqual(left.map(({ release }) => release), ["shop@2", "shop@3", "shop@3"]);
});
