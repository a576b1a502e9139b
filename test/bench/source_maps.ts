/**
 * Measures source maps: compiling one of about 50 MB, and mapping an event with 30 frames by it, cold (the table lies in the object
 * store) and warm (it is open), with the memory that the process takes beyond what it had before.
 *
 *   deno run -A test/bench/source_maps.ts [megabytes]
 */
import { Buffer } from "node:buffer";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { openSourceMapper } from "@/lib/sourcemaps/mapping/mapper.ts";
import { testDatabase } from "../support/database.ts";
import { testObjects } from "../support/objects.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { storeBundle } from "../support/source_maps.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ID = "13cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
const SCRIPT = "https://shop.test/app.js";
const FRAMES = 30;
const LINES_A_SOURCE = 200;

function vlq(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

/** A map of a bundle on one line: sources of 200 lines, five segments a line. */
function makeMap(megabytes: number): { readonly map: string; readonly columns: number } {
  const sources: string[] = [];
  const contents: string[] = [];
  const names = Array.from({ length: 20_000 }, (_, index) => `identifier${index}`);
  const segments: string[] = [];
  let [size, columns, name] = [0, 0, 0];
  while (size < megabytes * 2 ** 20) {
    const number = sources.length;
    const lines = Array.from(
      { length: LINES_A_SOURCE },
      (_, line) => `  const value${line} = compute(${number}, ${line}) + ${Math.random()}; // line`,
    );
    sources.push(`webpack://shop/./src/module${number}.ts`);
    contents.push(lines.join("\n"));
    size += lines.length * 68;
    for (let line = 0; line < LINES_A_SOURCE; line++) {
      for (let part = 0; part < 5; part++) {
        const next = Math.floor(Math.random() * names.length);
        const isFirst = part === 0;
        const newSource = isFirst && line === 0 && number > 0 ? 1 : 0;
        const lineStep = isFirst ? line === 0 ? (number > 0 ? 1 - LINES_A_SOURCE : 0) : 1 : 0;
        const text = vlq(7) + vlq(newSource) + vlq(lineStep) +
          vlq(isFirst ? -32 * Number(number + line > 0) : 8) +
          (part === 2 ? vlq(next - name) : "");
        if (part === 2) name = next;
        columns += 7;
        size += text.length + 1;
        segments.push(text);
      }
    }
  }
  const map = JSON.stringify({
    version: 3,
    sources,
    sourcesContent: contents,
    names,
    mappings: segments.join(","),
  });
  return { map, columns };
}

const resident = () => Deno.memoryUsage().rss / 2 ** 20;

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

function eventIn(columns: number): NormalizedEvent {
  const frames = Array.from({ length: FRAMES }, () => ({
    abs_path: SCRIPT,
    function: "e",
    lineno: 1,
    colno: 1 + Math.floor(Math.random() * columns),
  }));
  return {
    event_id: "0".repeat(32),
    type: "error",
    timestamp: 0,
    received: 0,
    platform: "javascript",
    level: "error",
    exception: { values: [{ type: "E", value: "x", stacktrace: { frames } }] },
    debug_meta: { images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: ID }] },
  };
}

await using database = await testDatabase();
await using folder = await testObjects();
const { sql } = database;
const { objects } = folder;
const { map, columns } = makeMap(Number(Deno.args[0] ?? 50));
const bytes = Buffer.byteLength(map);
await storeBundle({ sql, objects }, "1", {
  files: [{ type: "source_map", url: "~/app.js.map", text: map, debugId: ID }],
});
const SMALL = "23cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
await storeBundle({ sql, objects }, "1", {
  files: [{
    type: "source_map",
    url: "~/small.js.map",
    text: '{"version":3,"sources":["a"],"mappings":"AAAA"}',
    debugId: SMALL,
  }],
});
const smallEvent = (): NormalizedEvent => ({
  ...eventIn(1),
  debug_meta: { images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: SMALL }] },
});
const show = (what: string, value: number, unit: string) =>
  console.log(`${what.padEnd(46)} ${value.toFixed(1).padStart(9)} ${unit}`);
show("source map", bytes / 2 ** 20, "MiB");

const first = openSourceMapper({ sql, objects, log: silentLogger });
const [mapped, compiled] = await timed(() => first.map("1", eventIn(columns)));
show("first event ever, with compiling", compiled, "ms");
show("  frames mapped", mapped.mappedFrames, `of ${FRAMES}`);
first.close();
await new Promise((resolve) => setTimeout(resolve, 2_000));

const cold: number[] = [];
for (let run = 0; run < 5; run++) {
  const mapper = openSourceMapper({ sql, objects, log: silentLogger });
  // The thread itself starts with the process' first map.
  await mapper.map("1", smallEvent());
  const [, took] = await timed(() => mapper.map("1", eventIn(columns)));
  cold.push(took);
  mapper.close();
}
show("cold: table in the object store, median of 5", cold.sort((a, b) => a - b)[2] ?? 0, "ms");

const mapper = openSourceMapper({ sql, objects, log: silentLogger });
await mapper.map("1", smallEvent());
const before = resident();
await mapper.map("1", eventIn(columns));
const warm: number[] = [];
for (let run = 0; run < 200; run++) {
  const [, took] = await timed(() => mapper.map("1", eventIn(columns)));
  warm.push(took);
}
warm.sort((a, b) => a - b);
show("warm: median of 200", warm[100] ?? 0, "ms");
show("warm: p95", warm[190] ?? 0, "ms");
show("memory beyond that of the idle mapper", resident() - before, "MiB");
mapper.close();
