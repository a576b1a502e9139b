import assert from "node:assert/strict";
import { type Bundle, debugIdsOf, openBundle } from "@/lib/sourcemaps/artifacts/bundle.ts";
import { BadUpload } from "@/lib/sourcemaps/artifacts/limits.ts";
import { inMemory } from "@/lib/sourcemaps/artifacts/zip.ts";
import {
  cliBundle,
  DEBUG_ID,
  newerBundle,
  scriptAndMap,
  zipOf,
} from "../../../support/artifact_bundles.ts";

const ID = DEBUG_ID.replaceAll("-", "");
const OTHER = `2${ID.slice(1)}`;
const bytesOf = (text: string) => new TextEncoder().encode(text);

function open(bytes: Uint8Array): Promise<Bundle> {
  return openBundle(inMemory(bytes));
}

function withManifest(manifest: unknown): Uint8Array {
  const bytes = typeof manifest === "string" ? manifest : JSON.stringify(manifest);
  return zipOf([{ name: "manifest.json", bytes }, { name: "app.js", bytes: "alert(1)" }]);
}

async function summary(bundle: Bundle) {
  return await Promise.all(bundle.files.map(async (file) => ({
    type: file.type,
    url: file.url,
    headers: file.headers,
    ids: debugIdsOf(file, await file.read()),
  })));
}

Deno.test("bundles of both kinds of tools are read alike", async () => {
  const facts = { release: "shop@1", dist: "7", project: "shop" };
  const cli = await open(cliBundle({ ...facts, files: scriptAndMap() }));
  const newer = await open(newerBundle({ ...facts, files: scriptAndMap(DEBUG_ID, "_/_/") }));
  assert.deepEqual(await summary(newer), await summary(cli));
  assert.deepEqual({ ...cli, files: [] }, { ...facts, files: [] });
  assert.deepEqual(await summary(cli), [
    {
      type: "minified_source",
      url: "~/app.js",
      headers: { sourcemap: "app.js.map", "debug-id": DEBUG_ID },
      ids: [ID],
    },
    { type: "source_map", url: "~/app.js.map", headers: { "debug-id": DEBUG_ID }, ids: [ID] },
  ]);
});

Deno.test("a bundle without the header of newer ones is read, and one of a later version is not", async () => {
  const files = { "app.js": { type: "minified_source", url: "~/app.js" } };
  const bare = withManifest({ files });
  assert.equal((await open(bare)).files.length, 1);
  const later = new Uint8Array([...bytesOf("SYSB"), 3, 0, 0, 0, ...bare]);
  await assert.rejects(open(later), /version that is not supported/);
});

Deno.test("headers mean the same in any case, and others than the known are left out", async () => {
  const headers = { "Debug-Id": DEBUG_ID, "X-SourceMap": "a.map", Other: "x", constructor: "y" };
  const bundle = await open(withManifest({ files: { "app.js": { url: "~/app.js", headers } } }));
  assert.deepEqual(bundle.files[0]?.headers, { sourcemap: "a.map", "debug-id": DEBUG_ID });
});

Deno.test("names that JavaScript gives a meaning are names", async () => {
  const manifest =
    '{"__proto__":{"release":"evil"},"files":{"__proto__":{"url":"~/p.js","headers":{"__proto__":{"debug-id":"x"}}}}}';
  const bytes = zipOf([
    { name: "manifest.json", bytes: manifest },
    { name: "__proto__", bytes: "alert(1)" },
  ]);
  const bundle = await open(bytes);
  assert.equal(bundle.release, "");
  assert.deepEqual(bundle.files.map(({ url, headers }) => ({ url, headers })), [
    { url: "~/p.js", headers: {} },
  ]);
});

Deno.test("a debug id is found in the text of a script or a map, and the header's comes first", () => {
  const script = (text: string, headers = {}) =>
    debugIdsOf({ type: "minified_source", headers }, bytesOf(text));
  const map = (text: string) => debugIdsOf({ type: "source_map", headers: {} }, bytesOf(text));
  assert.deepEqual(script(`x\n//# debugId=${OTHER}\ny\n//# debugId=${DEBUG_ID} \n`), [ID]);
  assert.deepEqual(script(`//@ debugId=${DEBUG_ID}`), []);
  assert.deepEqual(script(`//# debugId=${OTHER}`, { "debug-id": DEBUG_ID }), [ID, OTHER]);
  assert.deepEqual(map(`{"debugId" : "${DEBUG_ID}","mappings":""}`), [ID]);
  assert.deepEqual(map(`{"debugId":"${OTHER}","debug_id":"${DEBUG_ID}"}`), [ID]);
  const quoted = JSON.stringify({ sourcesContent: [`{"debugId":"${OTHER}"}`] });
  assert.deepEqual(map(quoted), []);
  assert.deepEqual(map("not json"), []);
});

Deno.test("bundles that cannot be used are refused with a sentence", async () => {
  const refused: [Uint8Array, RegExp][] = [
    [zipOf([{ name: "a", bytes: "1" }]), /has no manifest\.json/],
    [withManifest("{"), /is not JSON/],
    [withManifest([]), /names no files/],
    [withManifest({ files: [] }), /names no files/],
    [withManifest({ files: {} }), /no source file or source map/],
    [withManifest({ files: { "b.js": {} } }), /names "b\.js", which is not in the bundle/],
    [withManifest({ files: { "app.js": { url: "x".repeat(1_501) } } }), /longer than 1500 bytes/],
    [
      withManifest({ release: "r".repeat(201), files: { "app.js": {} } }),
      /release .* longer than 200/,
    ],
    [withManifest({ files: { "app.js": { type: "preview" } } }), /no source file or source map/],
  ];
  for (const [bytes, reason] of refused) {
    await assert.rejects(open(bytes), (error) => {
      assert.ok(error instanceof BadUpload, String(error));
      assert.match(error.message, reason);
      return true;
    });
  }
});

Deno.test("a bundle of many files that unfold far is refused by their sum", async () => {
  const chunk = new Uint8Array(1024 * 1024);
  const files = Array.from({ length: 65 }, (_, index) => ({ name: `f${index}`, bytes: chunk }));
  await assert.rejects(open(zipOf(files)), /unfolds to more than 16 times its size/);
});
