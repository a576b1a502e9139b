import assert from "node:assert/strict";
import fc from "fast-check";
import { parseJson, parseJsonText, put } from "@/lib/formats/json.ts";

Deno.test("parseJson() reads what JSON.parse reads, wherever nothing needs repair", () => {
  const plain = fc.json({ maxDepth: 5 }).filter((text) => !/\\u/.test(text));
  fc.assert(
    fc.property(plain, (text) => {
      assert.deepEqual(parseJson(new TextEncoder().encode(text)), JSON.parse(text));
    }),
  );
});

Deno.test("parseJson() replaces NUL and lone surrogates, and leaves pairs and escaped backslashes alone", () => {
  const cases: [json: string, value: string][] = [
    ['"a\\u0000b"', "a\ufffdb"],
    ['"\\ud800"', "\ufffd"],
    ['"\\udc00\\ud800x"', "\ufffd\ufffdx"],
    ['"\\ud83d\\ude00"', "😀"],
    ['"\\uD83D\\uDE00\\uD83D"', "😀\ufffd"],
    ['"\\ud800\\ud83d\\ude00"', "\ufffd😀"],
    ['"\\\\u0000"', "\\u0000"],
    ['"\\\\\\u0000"', "\\\ufffd"],
    ['"\\\\\\\\ud800"', "\\\\ud800"],
    ['"\\u0001"', "\u0001"],
  ];
  for (const [json, value] of cases) assert.equal(parseJsonText(json), value, json);
  assert.deepEqual(parseJsonText('{"a\\u0000":1}'), { "a\ufffd": 1 });
});

Deno.test("parseJson() never yields a text that cannot be stored", () => {
  const escape = fc.constantFrom(
    "\\u0000",
    "\\ud800",
    "\\udfff",
    "\\ud83d\\ude00",
    "\\\\",
    "\\n",
    "u",
  );
  fc.assert(
    fc.property(fc.array(escape), (escapes) => {
      const text = parseJsonText(`"${escapes.join("")}"`) as string;
      assert.ok(text.isWellFormed());
      assert.ok(!text.includes("\0"));
    }),
  );
});

Deno.test("parseJson() replaces invalid UTF-8 and skips a byte order mark", () => {
  assert.equal(parseJson(new Uint8Array([0xef, 0xbb, 0xbf, 0x22, 0x61, 0xff, 0x22])), "a\ufffd");
});

Deno.test("parseJson() reads bare NaN and Infinity as null, but not inside strings", () => {
  const json = '{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN, \\"-Infinity\\"","NaN":1}';
  assert.deepEqual(parseJsonText(json), {
    a: null,
    b: [null, null],
    c: 'NaN, "-Infinity"',
    NaN: 1,
  });
});

Deno.test("parseJson() takes raw control characters in strings for blanks", () => {
  assert.deepEqual(parseJsonText('{"a":"x\0\ny",\n"b":1}'), { a: "x y", b: 1 });
});

Deno.test("parseJson() throws SyntaxError for what is no JSON", () => {
  const wrong = ["", "{", "{'a':1}", "undefined", '{"a":1', "NaNs", '"', "[1,]"];
  for (const text of wrong) assert.throws(() => parseJsonText(text), SyntaxError, text);
});

Deno.test("parseJson() keeps __proto__ as a key of its own and no prototype changes", () => {
  const value = parseJsonText('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
  assert.equal(JSON.stringify(value), '{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
  assert.equal((value as Record<string, unknown>).polluted, undefined);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

Deno.test("parseJson() cuts off nesting beyond 64 levels", () => {
  const json = '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000);
  const text = JSON.stringify(parseJsonText(json));
  assert.equal(text.match(/"a"/g)?.length, 64);
  assert.match(text, /"\[too deep\]"/);
});

Deno.test("parseJson() keeps the first 2,000 keys of an object", () => {
  const wide = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`k${i}`, i]));
  const value = parseJsonText(JSON.stringify({ wide, after: 1 })) as typeof wide;
  assert.equal(Object.keys(value.wide ?? {}).length, 2_000);
  assert.equal(value.after, 1);
});

Deno.test("put() sets a property of any name, even where the runtime keeps the __proto__ setter", () => {
  // Deno has none unless it is told to with --unstable-unsafe-proto.
  Object.defineProperty(Object.prototype, "__proto__", {
    set(value) {
      Object.setPrototypeOf(this, value);
    },
    configurable: true,
  });
  try {
    const target = {};
    put(target, "__proto__", { polluted: true });
    put(target, "a", 1);
    assert.equal(Object.getPrototypeOf(target), Object.prototype);
    assert.equal(JSON.stringify(target), '{"__proto__":{"polluted":true},"a":1}');
  } finally {
    Reflect.deleteProperty(Object.prototype, "__proto__");
  }
});
