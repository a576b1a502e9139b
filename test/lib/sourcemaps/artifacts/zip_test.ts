import assert from "node:assert/strict";
import { BadUpload } from "@/lib/sourcemaps/artifacts/limits.ts";
import { inMemory, readDirectory, readEntry } from "@/lib/sourcemaps/artifacts/zip.ts";
import { type TestEntry, zipOf } from "../../../support/artifact_bundles.ts";

const MIB = 1024 * 1024;

/** The texts of an archive by their names. */
async function textsOf(bytes: Uint8Array, prefix = 0): Promise<Record<string, string>> {
  const file = inMemory(bytes);
  const texts = new Map<string, string>();
  for (const entry of await readDirectory(file, prefix)) {
    texts.set(entry.name, new TextDecoder().decode(await readEntry(file, entry, 4 * MIB)));
  }
  return Object.fromEntries(texts);
}

async function assertRefused(entries: TestEntry[], reason: RegExp): Promise<void> {
  await assert.rejects(textsOf(zipOf(entries)), (error) => {
    assert.ok(error instanceof BadUpload, String(error));
    assert.match(error.message, reason);
    return true;
  });
}

Deno.test("files of an archive are read, deflated and stored, whatever stands before and behind it", async () => {
  const entries = [
    { name: "a.js", bytes: "alert(1)" },
    { name: "sub/b.js", bytes: "alert(2)", isStored: true },
    { name: "sub/", bytes: "", isStored: true },
    { name: "empty", bytes: "" },
  ];
  const expected = { "a.js": "alert(1)", "sub/b.js": "alert(2)", empty: "" };
  assert.deepEqual(await textsOf(zipOf(entries)), expected);
  const header = new Uint8Array(8);
  assert.deepEqual(await textsOf(zipOf(entries, header), 8), expected);
  // With offsets that do not know of what stands before.
  const shifted = new Uint8Array([...header, ...zipOf(entries)]);
  assert.deepEqual(await textsOf(shifted, 8), expected);
  const commented = new Uint8Array([...zipOf(entries), ...new TextEncoder().encode("hello")]);
  commented[commented.length - 5 - 2] = 5;
  assert.deepEqual(await textsOf(commented), expected);
});

Deno.test("names of files are keys: no path in them means anything", async () => {
  const names = [
    "../../etc/passwd",
    "/abs",
    "C:\\x",
    "a\\..\\b",
    "nul\0l",
    "__proto__",
    "constructor",
  ];
  const texts = await textsOf(zipOf(names.map((name) => ({ name, bytes: name }))));
  assert.deepEqual(Object.entries(texts).toSorted(), names.map((name) => [name, name]).toSorted());
});

Deno.test("what unfolds to more than it says is refused", async () => {
  await assertRefused(
    [{ name: "a", bytes: "x".repeat(5_000), size: 4_999 }],
    /does not have the size/,
  );
  await assertRefused(
    [{ name: "a", bytes: "x".repeat(5_000), size: 5_001 }],
    /does not have the size/,
  );
  await assertRefused(
    [{ name: "a", bytes: "x", isStored: true, size: 2 }],
    /does not have the size/,
  );
});

Deno.test("a gigabyte that is announced is refused before any of it is made", async () => {
  await assertRefused(
    [{ name: "a", bytes: "x", size: 1024 * MIB }],
    /"a" has 1024 MiB: a file may have 4 MiB/,
  );
});

Deno.test("a file that unfolds to hundreds of times its size is refused", async () => {
  await assertRefused(
    [{ name: "a", bytes: new Uint8Array(3 * MIB) }],
    /unfolds to more than 200 times/,
  );
});

Deno.test("two files of one name are refused", async () => {
  await assertRefused(
    [{ name: "a", bytes: "1" }, { name: "a", bytes: "2" }],
    /"a" is in the archive twice/,
  );
});

Deno.test("files that lie over each other are refused", async () => {
  await assertRefused([
    { name: "a", bytes: "1" },
    { name: "b", bytes: "2", offset: 0 },
  ], /lies over another part/);
  await assertRefused([
    { name: "a", bytes: "1".repeat(100), isStored: true, compressedSize: 150, size: 150 },
    { name: "b", bytes: "2" },
  ], /lies over another part/);
  await assertRefused([{ name: "a", bytes: "1", offset: 5_000 }], /lies over another part/);
});

Deno.test("encrypted files, and those of other methods, are refused", async () => {
  await assertRefused([{ name: "a", bytes: "1", flags: 1 }], /is encrypted/);
  await assertRefused([{ name: "a", bytes: "1", method: 9 }], /neither stored nor deflated/);
});

Deno.test("a file whose own header has another name is refused", async () => {
  await assertRefused(
    [{ name: "a", bytes: "1", localName: "b" }],
    /another name in its own header/,
  );
});

Deno.test("damaged files are refused", async () => {
  await assertRefused([{ name: "a", bytes: "1", crc: 7 }], /is damaged/);
  const bytes = zipOf([{ name: "a", bytes: "x".repeat(500) }]);
  bytes[35] = (bytes[35] ?? 0) ^ 0xff;
  await assert.rejects(textsOf(bytes), BadUpload);
});

Deno.test("archives that are none, or not whole, are refused", async () => {
  const whole = zipOf([{ name: "a", bytes: "1" }]);
  for (
    const bytes of [new Uint8Array(), new Uint8Array(100), whole.subarray(0, -1), whole.subarray(1)]
  ) {
    await assert.rejects(textsOf(bytes), BadUpload);
  }
  const large = zipOf([{ name: "a", bytes: "1" }]);
  large.writeUInt32LE(0xffffffff, large.length - 6);
  await assert.rejects(textsOf(large), /ZIP64/);
});

Deno.test("whatever bytes are changed, an archive is read or refused", async () => {
  const whole = zipOf([
    { name: "manifest.json", bytes: '{"files":{}}' },
    { name: "b", bytes: "alert(2)".repeat(20) },
  ]);
  for (let at = 0; at < whole.length; at++) {
    for (const value of [0, 0xff, 0x7f, (whole[at] ?? 0) ^ 1]) {
      const changed = new Uint8Array(whole);
      changed[at] = value;
      await textsOf(changed).catch((error) => {
        assert.ok(error instanceof BadUpload, `byte ${at} as ${value}: ${error}`);
      });
    }
  }
});
