import assert from "node:assert/strict";
import { openFolder } from "@/lib/store/objects/open.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function namesIn(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
}

Deno.test("an object is a file of its name, and no other files stay behind", async () => {
  await using dir = await tempDir();
  const objects = await openFolder(dir.join("blobs"));
  await objects.put("profiles/7/a.pprof", bytes("x"));
  await objects.check();

  assert.equal(await Deno.readTextFile(dir.join("blobs", "profiles", "7", "a.pprof")), "x");
  assert.deepEqual(await namesIn(dir.join("blobs")), [".temp", "profiles"]);
  assert.deepEqual(await namesIn(dir.join("blobs", ".temp")), []);
});

Deno.test("a put that fails leaves neither an object nor a file", async () => {
  await using dir = await tempDir();
  const objects = await openFolder(dir.join("blobs"));
  await objects.put("taken", bytes("x"));

  await assert.rejects(objects.put("taken/below", bytes("y")));

  assert.deepEqual(await namesIn(dir.join("blobs", ".temp")), []);
  assert.deepEqual(await Array.fromAsync(objects.list("")), [{ key: "taken", size: 1 }]);
  assert.equal(await objects.get("taken/below"), null);
});

Deno.test("what a writer has begun is removed by the first who opens the folder, and left alone by others", async () => {
  await using dir = await tempDir();
  await openFolder(dir.join("blobs"));
  await Deno.writeTextFile(dir.join("blobs", ".temp", "begun"), "x");
  await openFolder(dir.join("blobs"), false);
  assert.deepEqual(await namesIn(dir.join("blobs", ".temp")), ["begun"]);
  await openFolder(dir.join("blobs"));
  assert.deepEqual(await namesIn(dir.join("blobs", ".temp")), []);
});

Deno.test("folders go with their last object", async () => {
  await using dir = await tempDir();
  const objects = await openFolder(dir.join("blobs"));
  await objects.put("a/b/c", bytes("x"));
  await objects.put("a/d", bytes("x"));

  await objects.delete("a/b/c");
  assert.deepEqual(await namesIn(dir.join("blobs", "a")), ["d"]);
  await objects.delete("a/d");
  assert.deepEqual(await namesIn(dir.join("blobs")), [".temp"]);
});

Deno.test("what a killed process left unfinished is cleared away and never listed", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(dir.join("blobs", ".temp"), { recursive: true });
  await Deno.writeTextFile(dir.join("blobs", ".temp", "half"), "ha");

  const objects = await openFolder(dir.join("blobs"));

  assert.deepEqual(await namesIn(dir.join("blobs", ".temp")), []);
  assert.deepEqual(await Array.fromAsync(objects.list("")), []);
});

Deno.test("check() fails when the folder is gone", async () => {
  await using dir = await tempDir();
  const objects = await openFolder(dir.join("blobs"));
  await Deno.remove(dir.join("blobs"), { recursive: true });

  await assert.rejects(objects.check(), { name: "NotFound" });
});

Deno.test("many puts at once are all there, and those of a folder that could not be made fail by themselves", async () => {
  await using dir = await tempDir();
  const objects = await openFolder(dir.join("blobs"));
  await objects.put("taken", bytes("x"));
  const keys = Array.from({ length: 60 }, (_, index) => `p/${index % 3}/${index}`);

  const [bad, ...good] = await Promise.allSettled(
    ["taken/below", ...keys].map((key) => objects.put(key, bytes(key))),
  );

  assert.equal(bad?.status, "rejected");
  assert.ok(good.every(({ status }) => status === "fulfilled"));
  for (const key of keys) assert.deepEqual(await objects.get(key), bytes(key));
});
