import assert from "node:assert/strict";
import fc from "fast-check";
import type { ObjectStore } from "@/lib/store/objects/store.ts";
import { objectsKind, testObjects } from "@/test/support/objects.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function keysOf(objects: ObjectStore, prefix: string): Promise<string[]> {
  return await Array.fromAsync(objects.list(prefix), ({ key }) => key);
}

Deno.test("what is put is what one gets, byte for byte", async () => {
  await using store = await testObjects();
  const content = crypto.getRandomValues(new Uint8Array(50_000));
  await store.objects.put("profiles/7/a.pprof", content, {
    contentType: "application/octet-stream",
  });
  await store.objects.put("empty", new Uint8Array());

  assert.deepEqual(await store.objects.get("profiles/7/a.pprof"), content);
  assert.deepEqual(await store.objects.get("empty"), new Uint8Array());
});

Deno.test("put() replaces what was there", async () => {
  await using store = await testObjects();
  await store.objects.put("a/b", bytes("a long first content"));
  await store.objects.put("a/b", bytes("second"));

  assert.deepEqual(await store.objects.get("a/b"), bytes("second"));
  assert.deepEqual(await Array.fromAsync(store.objects.list("")), [{ key: "a/b", size: 6 }]);
});

Deno.test("get() of what is not there is null", async () => {
  await using store = await testObjects();
  await store.objects.put("a/b", bytes("x"));

  assert.equal(await store.objects.get("a/c"), null);
  assert.equal(await store.objects.get("nothing/at/all"), null);
});

Deno.test("delete() removes one key and minds neither absent keys nor repetition", async () => {
  await using store = await testObjects();
  await store.objects.put("a/b", bytes("x"));
  await store.objects.put("a/c", bytes("y"));
  await store.objects.delete("a/b");
  await store.objects.delete("a/b");
  await store.objects.delete("nothing/at/all");

  assert.deepEqual(await keysOf(store.objects, ""), ["a/c"]);
});

Deno.test("list() gives the keys below a prefix, in key order, with their sizes", async () => {
  await using store = await testObjects();
  const keys = ["a-b", "a/b/c", "a/b", "a.b", "a0", "b", "spool/0002", "spool/0001", "spool2"]
    .filter((key) => key !== "a/b");
  for (const key of keys) await store.objects.put(key, bytes(key));

  assert.deepEqual(await keysOf(store.objects, ""), [...keys].sort());
  assert.deepEqual(await keysOf(store.objects, "a"), ["a-b", "a.b", "a/b/c", "a0"]);
  assert.deepEqual(await keysOf(store.objects, "a/"), ["a/b/c"]);
  assert.deepEqual(await keysOf(store.objects, "spool"), ["spool/0001", "spool/0002", "spool2"]);
  assert.deepEqual(await keysOf(store.objects, "spool/0002"), ["spool/0002"]);
  assert.deepEqual(await keysOf(store.objects, "nothing/"), []);
  assert.deepEqual(await Array.fromAsync(store.objects.list("spool/0001")), [
    { key: "spool/0001", size: 10 },
  ]);
});

Deno.test("list() goes beyond what fits in one answer of S3", async () => {
  await using store = await testObjects();
  const keys = Array.from({ length: 1_005 }, (_, i) => `many/${String(i).padStart(5, "0")}`);
  const waiting = [...keys];
  const workers = Array.from({ length: 16 }, async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      await store.objects.put(key, bytes("x"));
    }
  });
  await Promise.all(workers);

  assert.deepEqual(await keysOf(store.objects, "many/"), keys);
});

Deno.test("puts of many keys at once, and of one key at once, all arrive whole", async () => {
  await using store = await testObjects();
  const contents = Array.from({ length: 20 }, (_, i) => new Uint8Array(10_000).fill(i));
  await Promise.all(contents.map((content, i) => store.objects.put(`at/once/${i}`, content)));
  await Promise.all(contents.map((content) => store.objects.put("same", content)));

  const stored = await Promise.all(contents.map((_, i) => store.objects.get(`at/once/${i}`)));
  assert.deepEqual(stored, contents);
  const last = await store.objects.get("same");
  assert.ok(contents.some((content) => content.every((byte, i) => byte === last?.[i])));
});

Deno.test({
  name: "puts and deletes in one place at once lose nothing that was put",
  // The folder's own promise: its deletes remove empty directories that others put into. On S3 it is the server's,
  // and versitygw on a file system was seen to break it now and then.
  ignore: objectsKind === "s3",
  async fn() {
    await using store = await testObjects();
    await Promise.all(Array.from({ length: 10 }, async (_, i) => {
      for (let round = 0; round < 5; round++) {
        await store.objects.put(`shared/place/${i}`, bytes("x"));
        if (round < 4) await store.objects.delete(`shared/place/${i}`);
      }
    }));

    assert.equal((await keysOf(store.objects, "shared/")).length, 10);
  },
});

Deno.test("keys that are no plain relative path are refused by every function", async () => {
  await using store = await testObjects();
  const refuses = async (key: string) => {
    const expected = { name: "RangeError" };
    await assert.rejects(store.objects.put(key, bytes("x")), expected, key);
    await assert.rejects(store.objects.get(key), expected, key);
    await assert.rejects(store.objects.delete(key), expected, key);
  };
  await refuses("");
  await refuses("/etc/passwd");
  await refuses("../secret");
  await refuses("a/../../secret");
  await refuses("a/./b");
  await refuses("a//b");
  await refuses("a/");
  await refuses(".temp/x");
  await refuses("a\\b");
  await refuses("a\0b");
  await refuses("a b");
  await refuses("ключ");
  await refuses("a".repeat(513));
  assert.throws(() => store.objects.list("../"), { name: "RangeError" });
  assert.throws(() => store.objects.list("/"), { name: "RangeError" });
  assert.throws(() => store.objects.list("a/.."), { name: "RangeError" });
});

Deno.test("any sequence of puts and deletes leaves what a map would hold", async () => {
  await using store = await testObjects();
  let round = 0;
  const part = fc.stringMatching(/^[a-z0-9_-][a-z0-9._-]{0,5}$/);
  // Ends in `.o`, which no folder's name does: a key is never the folder of another.
  const key = fc.tuple(
    fc.array(part.filter((text) => !text.endsWith(".o")), { maxLength: 2 }),
    part,
  )
    .map(([folders, name]) => [...folders, `${name}.o`].join("/"));
  const step = fc.record({ key, content: fc.option(fc.uint8Array({ maxLength: 20 })) });

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const root = `round-${round++}/`;
      const expected = new Map<string, Uint8Array>();
      for (const { key, content } of steps) {
        if (content === null) {
          await store.objects.delete(root + key);
          expected.delete(root + key);
        } else {
          await store.objects.put(root + key, content);
          expected.set(root + key, content);
        }
      }
      assert.deepEqual(
        await Array.fromAsync(store.objects.list(root)),
        [...expected].map(([key, { length }]) => ({ key, size: length }))
          .sort((one, other) => one.key < other.key ? -1 : 1),
      );
    }),
    { numRuns: 30 },
  );
});

Deno.test("check() is content with a store that works", async () => {
  await using store = await testObjects();
  await store.objects.check();
});
