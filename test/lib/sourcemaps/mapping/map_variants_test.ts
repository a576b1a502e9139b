import assert from "node:assert/strict";
import { compileMap } from "@/lib/sourcemaps/mapping/compile_map.ts";
import { MapTable } from "@/lib/sourcemaps/mapping/map_table.ts";

/** Line 1, columns 0, 10 and 20 of the generated file are lines 1, 2 and 3 of the first source. */
const PLAIN = {
  version: 3,
  names: ["one", "two"],
  sources: ["a.js"],
  mappings: "AAAAA,UACAC,UACA",
};

function compile(map: unknown, before = ""): MapTable {
  const text = typeof map === "string" ? map : JSON.stringify(map);
  return new MapTable(compileMap(new TextEncoder().encode(before + text)));
}

/** Source, line from 1 and name of a place. */
function at(table: MapTable, line: number, column: number): string | null {
  const found = table.find(line, column);
  if (found === null) return null;
  if (found.source < 0) return "nowhere";
  const name = found.name === null ? "" : ` ${found.name}`;
  return `${table.sourceName(found.source)}:${found.sourceLine + 1}${name}`;
}

const VARIANTS: readonly (readonly [what: string, map: unknown, expected: string | null])[] = [
  ["a plain map", PLAIN, "a.js:2 two"],
  ["a map without version", { ...PLAIN, version: undefined }, "a.js:2 two"],
  ["a root, put in front", { ...PLAIN, sourceRoot: "src" }, "src/a.js:2 two"],
  ["a root with a slash", { ...PLAIN, sourceRoot: "/src/" }, "/src/a.js:2 two"],
  ["a source with a scheme of a bundler behind a root", {
    ...PLAIN,
    sourceRoot: "/src/",
    sources: ["webpack://app/./src/a.ts"],
  }, "/src/webpack://app/./src/a.ts:2 two"],
  ["an absolute source, which keeps its name", {
    ...PLAIN,
    sourceRoot: "/src/",
    sources: ["https://cdn.test/a.ts"],
  }, "https://cdn.test/a.ts:2 two"],
  ["a source that is null", { ...PLAIN, sources: [null] }, "null:2 two"],
  ["numbers among names", { ...PLAIN, names: ["one", 7] }, "a.js:2 7"],
  ["names that are too few", { ...PLAIN, names: ["one"] }, "a.js:2"],
  ["no names", { ...PLAIN, names: undefined }, "a.js:2"],
  ["a file that is no text", { ...PLAIN, file: { a: 1 } }, "a.js:2 two"],
  ["texts that are too few", { ...PLAIN, sourcesContent: [] }, "a.js:2 two"],
  ["a segment of one field", { ...PLAIN, mappings: "AAAA,U" }, "nowhere"],
  [
    "a source that does not exist, which is left out",
    { ...PLAIN, mappings: "AAAA,UCCA" },
    "a.js:1",
  ],
  ["segments in no order", { ...PLAIN, mappings: "UACAC,VADAD" }, "a.js:2 two"],
  ["an empty map", { ...PLAIN, mappings: "" }, null],
];

for (const [what, map, expected] of VARIANTS) {
  Deno.test(`reads ${what}`, () => {
    assert.equal(at(compile(map), 0, 15), expected);
  });
}

Deno.test("reads a map behind a line of junk", () => {
  assert.equal(at(compile(PLAIN, ")]}'\n"), 0, 25), "a.js:3");
});

Deno.test("reads sections, nested and with an offset, and leaves out those that are elsewhere", () => {
  const inner = { sections: [{ offset: { line: 1, column: 5 }, map: PLAIN }] };
  const table = compile({
    version: 3,
    sections: [
      { offset: { line: 0, column: 0 }, map: { ...PLAIN, sources: ["first.js"] } },
      { offset: { line: 0, column: 15 }, url: "https://cdn.test/second.map" },
      { offset: { line: 2, column: 0 }, map: inner },
      { offset: { line: 4, column: 3 }, map: { ...PLAIN, sources: ["last.js"] } },
    ],
  });
  assert.equal(at(table, 0, 12), "first.js:2 two");
  assert.equal(at(table, 3, 4), null);
  assert.equal(at(table, 3, 16), "a.js:2 two");
  assert.equal(at(table, 4, 13), "last.js:2 two");
});

Deno.test("a section ends where the next one begins", () => {
  const table = compile({
    version: 3,
    sections: [
      { offset: { line: 0, column: 0 }, map: { ...PLAIN, sources: ["first.js"] } },
      { offset: { line: 0, column: 15 }, map: { ...PLAIN, sources: ["second.js"] } },
    ],
  });
  assert.equal(at(table, 0, 14), "first.js:2 two");
  assert.equal(at(table, 0, 20), "second.js:1 one");
});

Deno.test("reads the names of functions in Metro's maps", () => {
  const table = compile({
    ...PLAIN,
    x_facebook_sources: [[{ names: ["<global>", "checkout"], mappings: "AAA;KCC" }]],
  });
  assert.equal(table.functionAt(0, 0, 3), "<global>");
  assert.equal(table.functionAt(0, 1, 5), "checkout");
  assert.equal(table.functionAt(0, 40, 0), "checkout");
});

Deno.test("finds positions over many blocks, lines and sources as they were written", () => {
  const sections = Array.from({ length: 700 }, (_, line) => ({
    offset: { line: 3 * line, column: line },
    map: { version: 3, sources: [`${line}.js`], names: [`n${line}`], mappings: "AAAAA,UACA" },
  }));
  const table = compile({ version: 3, sections });
  for (let line = 0; line < 700; line++) {
    assert.equal(at(table, 3 * line, line + 9), `${line}.js:1 n${line}`);
    assert.equal(at(table, 3 * line, line + 10), `${line}.js:2`);
    assert.equal(at(table, 3 * line + 1, 0), null);
  }
});

const MILLIONS = 9_000_000;

const BAD: readonly (readonly [what: string, map: unknown, sentence: RegExp])[] = [
  ["text that is no JSON", "<!doctype html>", /is not JSON/],
  ["a list", [], /no JSON object/],
  ["an object without mappings", { version: 3, sources: [] }, /no "mappings"/],
  ["mappings of garbage", { ...PLAIN, mappings: "AA!A" }, /garbage/],
  ["mappings in other letters", { ...PLAIN, mappings: "AAÄA" }, /garbage/],
  ["mappings that are cut off", { ...PLAIN, mappings: "AAAAg" }, /cut off/],
  ["numbers without end", { ...PLAIN, mappings: "g".repeat(20) }, /garbage/],
  ["segments of two fields", { ...PLAIN, mappings: "AA" }, /2 fields/],
  ["segments of six fields", { ...PLAIN, mappings: "AAAAAA" }, /garbage/],
  ["millions of empty lines", { ...PLAIN, mappings: ";".repeat(3_000_000) }, /positions/],
  ["millions of segments", { ...PLAIN, mappings: "A,".repeat(MILLIONS) }, /positions/],
  ["endless mappings", { ...PLAIN, mappings: "A".repeat(33 * 2 ** 20) }, /longer than 32 MiB/],
  ["a map larger than files may be", " ".repeat(65 * 2 ** 20), /larger than 64 MiB/],
  ["JSON of nothing but brackets", `[${"[],".repeat(5_000_000)}[]]`, /too many parts/],
  [
    "sections in sections without end",
    Array.from({ length: 30 }).reduce(
      (map) => ({ version: 3, sections: [{ offset: { line: 0, column: 0 }, map }] }),
      PLAIN as unknown,
    ),
    /nested too deeply/,
  ],
];

for (const [what, map, sentence] of BAD) {
  Deno.test(`refuses ${what} with a sentence`, () => {
    assert.throws(() => compile(map), { name: "BadMap", message: sentence });
  });
}

Deno.test("names such as __proto__ are names", () => {
  const text =
    `{"version":3,"__proto__":{"mappings":"AAAA"},"sources":["__proto__"],"names":["constructor"],"mappings":"AAAAA"}`;
  assert.equal(at(compile(text), 0, 0), "__proto__:1 constructor");
});
