import { equal, ok } from "node:assert/strict";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { compileMap } from "@/lib/sourcemaps/mapping/compile_map.ts";
import { MapTable } from "@/lib/sourcemaps/mapping/map_table.ts";
import { minified } from "../../../support/source_maps.ts";

Deno.test("finds every position that a library finds", async () => {
  const source = await Deno.readTextFile("lib/core/bytes.ts");
  const { code, map } = await minified(source, "lib/core/bytes.ts");
  const table = new MapTable(compileMap(new TextEncoder().encode(map)));
  const oracle = new TraceMap(map);
  const lines = code.split("\n");
  let compared = 0;
  for (const [line, text] of lines.entries()) {
    for (let column = 0; column < text.length; column += 3) {
      const found = table.find(line, column);
      const expected = originalPositionFor(oracle, { line: line + 1, column });
      equal(found === null ? null : found.sourceLine + 1, expected.line);
      equal(found === null ? null : found.sourceColumn, expected.column);
      equal(found?.name ?? null, expected.name);
      compared++;
    }
  }
  ok(compared > 500);
  equal(table.sourceName(0), "lib/core/bytes.ts");
  equal(table.text(0), source);
});
