import assert from "node:assert/strict";
import type { Frame, NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { openSourceMapper, type SourceMapper } from "@/lib/sourcemaps/mapping/mapper.ts";
import { fileKey } from "@/lib/sourcemaps/artifacts/stored_files.ts";
import { tableKeys } from "@/lib/sourcemaps/mapping/tables.ts";
import { testDatabase } from "../../../support/database.ts";
import { testObjects } from "../../../support/objects.ts";
import { silentLogger } from "../../../support/silent_logger.ts";
import {
  minified,
  positionIn,
  storeBundle,
  type UploadedBundle,
} from "../../../support/source_maps.ts";

const ID = "13cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1";
const SCRIPT = "https://shop.test/assets/app.js";

const CART = `import { log } from "./log";
export class Cart {
  items: number[] = [];
  checkout(discount: number): number {
    const total = this.items.reduce((sum, each) => sum + each, 0);
    if (total <= discount) {
      log("nothing to pay");
      throw new RangeError("the cart is empty");
    }
    return total - discount;
  }
}
export function placeOrder(cart: Cart): number {
  return cart.checkout(5);
}
`;

function eventWith(
  frames: readonly Frame[],
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  return {
    event_id: "0".repeat(32),
    type: "error",
    timestamp: 0,
    received: 0,
    platform: "javascript",
    level: "error",
    exception: {
      values: [{ type: "RangeError", value: "x", stacktrace: { frames: [...frames] } }],
    },
    ...fields,
  };
}

const withDebugId = (codeFile = SCRIPT, debugId = ID) => ({
  debug_meta: { images: [{ type: "sourcemap", code_file: codeFile, debug_id: debugId }] },
});

async function world() {
  await using opened = new AsyncDisposableStack();
  const { sql } = opened.use(await testDatabase());
  const { objects } = opened.use(await testObjects());
  const mapper = openSourceMapper({ sql, objects, log: silentLogger });
  opened.defer(() => mapper.close());
  const stores = opened.move();
  return {
    mapper,
    upload: async (bundle: UploadedBundle, projectId = "1") => {
      const id = await storeBundle({ sql, objects }, projectId, bundle);
      mapper.forget(projectId);
      return id;
    },
    sql,
    objects,
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

async function framesOf(mapper: SourceMapper, event: NormalizedEvent) {
  const { event: mapped } = await mapper.map("1", event);
  return mapped.exception?.values[0]?.stacktrace?.frames ?? [];
}

Deno.test("frames get function, file, line, column and source by debug id", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "../src/cart.ts");
  await stage.upload({
    files: [
      { type: "minified_source", url: "~/x-0.js", text: code, debugId: ID },
      { type: "source_map", url: "~/x-0.js.map", text: map, debugId: ID },
    ],
  });
  const thrown = positionIn(code, "new RangeError");
  const called = positionIn(code, ".checkout(5)");
  const sent = [
    {
      filename: "/assets/app.js",
      abs_path: SCRIPT,
      function: "r",
      ...called,
      colno: called.colno + 1,
    },
    { filename: "/assets/app.js", abs_path: SCRIPT, function: "t.checkout", ...thrown },
  ];

  const { event, mappedFrames } = await stage.mapper.map("1", eventWith(sent, withDebugId()));

  const exception = event.exception?.values[0];
  const [caller, crashed] = exception?.stacktrace?.frames ?? [];
  assert.equal(mappedFrames, 2);
  assert.equal(caller?.function, "placeOrder");
  assert.equal(caller?.lineno, 14);
  assert.deepEqual(crashed, {
    filename: "../src/cart.ts",
    abs_path: "https://shop.test/src/cart.ts",
    module: "src/cart",
    function: "Cart.checkout",
    lineno: 8,
    colno: 13,
    in_app: true,
    pre_context: [
      "  items: number[] = [];",
      "  checkout(discount: number): number {",
      "    const total = this.items.reduce((sum, each) => sum + each, 0);",
      "    if (total <= discount) {",
      '      log("nothing to pay");',
    ],
    context_line: '      throw new RangeError("the cart is empty");',
    post_context: [
      "    }",
      "    return total - discount;",
      "  }",
      "}",
      "export function placeOrder(cart: Cart): number {",
    ],
    data: { symbolicated: true, sourcemap: SCRIPT, resolved_with: "debug-id" },
  });
  assert.deepEqual(exception?.raw_stacktrace?.frames, sent);
});

Deno.test("frames are mapped by release, dist and URL, with the map that the file names", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "../src/cart.ts");
  await stage.upload({
    release: "shop@2",
    dist: "7",
    files: [
      {
        type: "minified_source",
        url: "~/assets/app.js",
        text: `${code}//# sourceMappingURL=maps/app.js.map`,
      },
      { type: "source_map", url: "~/assets/maps/app.js.map", text: map },
    ],
  });
  const frame = { abs_path: `${SCRIPT}?v=1#top`, ...positionIn(code, "new RangeError") };
  const mapped = async (fields: Partial<NormalizedEvent>) =>
    (await framesOf(stage.mapper, eventWith([frame], fields)))[0];

  const found = await mapped({ release: "shop@2", dist: "7" });
  assert.equal(found?.lineno, 8);
  assert.equal(found?.function, "Cart.checkout");
  assert.equal(found?.abs_path, "~/assets/src/cart.ts");
  assert.equal(found?.data?.resolved_with, "release");

  const otherDist = await mapped({ release: "shop@2" });
  assert.match(String(otherDist?.data?.unmapped_reason), /uploaded with dist 7\. Both sides/);
  const otherRelease = await mapped({ release: "shop@3", dist: "7" });
  assert.match(
    String(otherRelease?.data?.unmapped_reason),
    /^Release shop@3, dist 7, has no uploaded file ~\/assets\/app\.js\. Upload/,
  );
  const none = await mapped({});
  assert.match(String(none?.data?.unmapped_reason), /neither a debug id .* nor a release/);
});

Deno.test("a map inside its file is used", async () => {
  await using stage = await world();
  const { code } = await minified(CART, "cart.ts", { sourcemap: "inline" });
  await stage.upload({
    release: "shop@2",
    files: [{ type: "minified_source", url: "~/assets/app.js", text: code }],
  });
  const frame = { abs_path: SCRIPT, ...positionIn(code, "new RangeError") };
  const [found] = await framesOf(stage.mapper, eventWith([frame], { release: "shop@2" }));
  assert.equal(found?.lineno, 8);
  assert.equal(found?.abs_path, "~/assets/cart.ts");
});

Deno.test("a map that was uploaded to another project helps nobody else", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "cart.ts");
  await stage.upload({
    release: "shop@2",
    files: [{ type: "source_map", url: "~/assets/app.js.map", text: map, debugId: ID }],
  }, "2");
  const frame = { abs_path: SCRIPT, ...positionIn(code, "new RangeError") };
  const [found] = await framesOf(
    stage.mapper,
    eventWith([frame], { release: "shop@2", ...withDebugId() }),
  );
  assert.equal(found?.abs_path, SCRIPT);
  assert.match(String(found?.data?.unmapped_reason), /^No source map with debug id 13cc92ca-1f0d/);
  assert.equal(await stage.mapper.hasMaps("1"), false);
  assert.equal(await stage.mapper.hasMaps("2"), true);
});

Deno.test("a broken map is told in words, once compiled and when it is asked for again", async () => {
  await using stage = await world();
  const files = [{ type: "source_map" as const, url: "~/a.js.map", text: "{", debugId: ID }];
  await stage.upload({ files });
  const event = eventWith([{ abs_path: SCRIPT, lineno: 1, colno: 5 }], withDebugId());
  for (let times = 0; times < 2; times++) {
    const { event: mapped, unmapped } = await stage.mapper.map("1", event);
    assert.equal(unmapped[0]?.problem.sentence, "The source map is not JSON.");
    assert.deepEqual(mapped.errors, [{
      url: SCRIPT,
      type: "js_invalid_source",
      symbolicator_type: "malformed_sourcemap",
      message: "The source map is not JSON.",
    }]);
  }
});

Deno.test("a place that the map does not have leaves the frame as it was, with the reason", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "cart.ts");
  await stage.upload({
    files: [{ type: "source_map", url: "~/a.js.map", text: map, debugId: ID }],
  });
  const sent = [
    { abs_path: SCRIPT, function: "a", lineno: 900, colno: 5 },
    { abs_path: SCRIPT, function: "t", ...positionIn(code, "new RangeError") },
  ];
  const [first, second] = await framesOf(stage.mapper, eventWith(sent, withDebugId()));
  assert.equal(first?.lineno, 900);
  assert.equal(first?.data?.unmapped, "no_position");
  assert.match(String(first?.data?.unmapped_reason), /nothing for line 900, column 5/);
  assert.equal(second?.lineno, 8);
});

Deno.test("without the minified file a frame is named by what its caller calls", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "cart.ts");
  await stage.upload({
    files: [{ type: "source_map", url: "~/a.js.map", text: map, debugId: ID }],
  });
  const call = positionIn(code, "checkout(5)");
  const sent = [
    { abs_path: SCRIPT, function: "n", ...call },
    { abs_path: SCRIPT, function: "t.checkout", ...positionIn(code, "new RangeError") },
  ];
  const [caller, crashed] = await framesOf(stage.mapper, eventWith(sent, withDebugId()));
  assert.equal(caller?.function, "<anonymous>");
  assert.equal(crashed?.function, "t.checkout");
});

Deno.test("what is built into Node is no file, and never the application's", async () => {
  await using stage = await world();
  const event = eventWith([
    { abs_path: "node:internal/process/task_queues", lineno: 5, in_app: true },
    { abs_path: "internal/timers.js", filename: "internal/timers.js", lineno: 5, in_app: true },
    { abs_path: "/srv/app.js", lineno: 5, in_app: true },
  ], { platform: "node", release: "a" });
  const frames = await framesOf(stage.mapper, event);
  assert.deepEqual(frames.map(({ in_app }) => in_app), [false, false, true]);
  assert.deepEqual(frames.map(({ data }) => data?.unmapped), [
    undefined,
    undefined,
    "no_file_in_release",
  ]);
});

Deno.test("libraries are not the application's: by their path, and by what the build tool ignores", async () => {
  await using stage = await world();
  const map = JSON.stringify({
    version: 3,
    sources: [
      "../node_modules/lodash/get.js",
      "src/vendor/old.js",
      "webpack/bootstrap",
      "src/own.js",
    ],
    ignoreList: [1],
    names: [],
    mappings: "AAAA,UCAA,UCAA,UCAA",
  });
  await stage.upload({
    files: [{ type: "source_map", url: "~/a.js.map", text: map, debugId: ID }],
  });
  const sent = [1, 11, 21, 31].map((colno) => ({
    abs_path: SCRIPT,
    lineno: 1,
    colno,
    in_app: true,
  }));
  const frames = await framesOf(stage.mapper, eventWith(sent, withDebugId()));
  assert.deepEqual(frames.map(({ in_app }) => in_app), [false, false, false, true]);
  assert.deepEqual(frames.map(({ data }) => data?.missing_source), [true, true, true, true]);
});

Deno.test("a second snippet that the deployed file does not have shifts its lines back", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "cart.ts");
  const snippet = "!function(){globalThis._sentryDebugIds={}}();\n";
  const stored = JSON.parse(map);
  stored.mappings = `;${stored.mappings}`;
  await stage.upload({
    files: [
      {
        type: "minified_source",
        url: "~/a.js",
        text: `${snippet}!function(){globalThis._sentryDebugIds={}}();${code}`,
        debugId: ID,
      },
      { type: "source_map", url: "~/a.js.map", text: JSON.stringify(stored), debugId: ID },
    ],
  });
  const sent = [{ abs_path: SCRIPT, ...positionIn(code, "new RangeError") }];
  const [found] = await framesOf(stage.mapper, eventWith(sent, withDebugId()));
  assert.equal(found?.lineno, 8);
  assert.equal(found?.data?.shifted, true);
});

Deno.test("a source that is not in the map is read from the files of the release", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "../src/cart.ts");
  const { sourcesContent: _, ...bare } = JSON.parse(map);
  await stage.upload({
    release: "shop@2",
    files: [
      {
        type: "minified_source",
        url: "~/assets/app.js",
        text: code,
        headers: { sourcemap: "app.js.map" },
      },
      { type: "source_map", url: "~/assets/app.js.map", text: JSON.stringify(bare) },
      { type: "source", url: "~/src/cart.ts", text: CART },
    ],
  });
  const sent = [{ abs_path: SCRIPT, ...positionIn(code, "new RangeError") }];
  const [found] = await framesOf(stage.mapper, eventWith(sent, { release: "shop@2" }));
  assert.equal(found?.context_line, '      throw new RangeError("the cart is empty");');
});

Deno.test("mapping again begins with what the client sent", async () => {
  await using stage = await world();
  const { code, map } = await minified(CART, "cart.ts");
  const sent = [{ abs_path: SCRIPT, function: "t", ...positionIn(code, "new RangeError") }];
  const event = eventWith(sent, withDebugId());
  const before = await stage.mapper.map("1", event);
  assert.equal(before.mappedFrames, 0);
  await stage.upload({
    files: [{ type: "source_map", url: "~/a.js.map", text: map, debugId: ID }],
  });
  const once = await stage.mapper.map("1", before.event);
  const twice = await stage.mapper.map("1", once.event);
  assert.equal(once.event.exception?.values[0]?.stacktrace?.frames[0]?.lineno, 8);
  assert.deepEqual(twice.event, once.event);
  assert.deepEqual(once.event.errors, []);
  assert.deepEqual(once.event.exception?.values[0]?.stacktrace?.frames[0]?.data, {
    symbolicated: true,
    sourcemap: SCRIPT,
    resolved_with: "debug-id",
  });
});

/** An upload of a script with its map, and whether its table is made. */
async function uploadedScript(stage: Awaited<ReturnType<typeof world>>) {
  const { code, map } = await minified(CART, "../src/cart.ts");
  const bundleId = await stage.upload({
    files: [
      { type: "minified_source", url: "~/x-0.js", text: code, debugId: ID },
      { type: "source_map", url: "~/x-0.js.map", text: map, debugId: ID },
    ],
  });
  const [file] = await stage.sql<{ id: string }[]>`
    select file_id as id from artifacts where type = 'source_map'
  `;
  const { table } = tableKeys(fileKey("1", file?.id ?? ""));
  return { bundleId, isPrepared: async () => await stage.objects.get(table) !== null };
}

Deno.test("the maps of an upload are read before an event needs them", async () => {
  await using stage = await world();
  const { bundleId, isPrepared } = await uploadedScript(stage);
  const { signal } = new AbortController();
  await stage.mapper.prepare("2", bundleId, signal);
  assert.equal(await isPrepared(), false, "another project's upload is nobody's business");
  await stage.mapper.prepare("1", bundleId, AbortSignal.abort());
  assert.equal(await isPrepared(), false);
  await stage.mapper.prepare("1", bundleId, signal);
  assert.equal(await isPrepared(), true);
});

Deno.test("a map that was being read when the process ended is not taken for a broken one", async () => {
  await using stage = await world();
  const { bundleId, isPrepared } = await uploadedScript(stage);
  const { signal } = new AbortController();
  stage.mapper.close();
  await stage.mapper.prepare("1", bundleId, signal);
  assert.equal(await isPrepared(), false);
});
