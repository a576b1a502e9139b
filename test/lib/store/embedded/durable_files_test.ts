import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";
import { DurableFiles, durableStartParams } from "@/lib/store/embedded/durable_files.ts";
import { copyTemplate } from "@/test/support/postgres_template.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

/** The part of PGlite's file system through which Postgres flushes. */
interface Files {
  readonly FS: { readonly filesystems: { readonly NODEFS: { readonly stream_ops: Flushing } } };
}

interface Flushing {
  fsync: (stream: unknown) => number;
}

async function openDurable(dir: string) {
  await copyTemplate(dir);
  const db = await PGlite.create({
    fs: new DurableFiles(dir, () => {}),
    startParams: durableStartParams(PGlite.defaultStartParams),
  });
  const files: unknown = db.Module;
  return { db, flushing: (files as Files).FS.filesystems.NODEFS.stream_ops };
}

Deno.test("every commit flushes a file before it returns", async () => {
  await using dir = await tempDir();
  const { db, flushing } = await openDurable(dir.join("postgres"));
  await db.exec("create table things (name text)");
  const results: number[] = [];
  const flush = flushing.fsync;
  flushing.fsync = (stream) => {
    const result = flush(stream);
    results.push(result);
    return result;
  };

  for (let i = 0; i < 5; i++) await db.query("insert into things values ('x')");
  const flushes = [...results];
  await db.close();

  assert.deepEqual(flushes, [0, 0, 0, 0, 0]);
});
