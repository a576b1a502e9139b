import assert from "node:assert/strict";
import { asCount, asInstant, asList, asPairs, asText, visible } from "@/lib/ui/json.ts";

Deno.test("asText() writes any value as one text", () => {
  const f = (value: unknown, expected: string) => assert.equal(asText(value), expected);
  f(null, "");
  f(undefined, "");
  f("a", "a");
  f(7, "7");
  f(false, "false");
  f({ a: [1] }, '{"a":[1]}');
});

Deno.test("visible() leaves ordinary text alone, line feeds, tabs, emoji and right-to-left text too", () => {
  const f = (text: string) => assert.equal(visible(text), text);
  f("a\n\tb");
  f("👩‍👩‍👧 שלום مرحبا");
});

Deno.test("visible() shows what would hide or pose as something else", () => {
  const f = (text: string, expected: string) => assert.equal(visible(text), expected);
  f("\u001b[31mred", "␛[31mred");
  f("a\r\nb\rc", "a\nb␍c");
  f("\u0000\u007f\u0085", "␀␡[U+0085]");
  f("exe\u202egnp.txt", "exe[U+202E]gnp.txt");
  f("\ud800x", "[U+D800]x");
});

Deno.test("asList() takes a list in each of Sentry's forms and skips nulls", () => {
  const f = (value: unknown, expected: unknown[]) => assert.deepEqual(asList(value), expected);
  f([1, null, 2], [1, 2]);
  f({ values: [1, null] }, [1]);
  f({ type: "Error" }, [{ type: "Error" }]);
  f({ values: 7 }, []);
  f({}, []);
  f("text", []);
  f(null, []);
});

Deno.test("asPairs() takes an object and a list of pairs, and repeats a name for each of its values", () => {
  assert.deepEqual(asPairs({ a: 1, b: ["x", "y"] }), [["a", "1"], ["b", "x"], ["b", "y"]]);
  assert.deepEqual(asPairs([["a", 1], ["a", null], "odd", []]), [["a", "1"], ["a", ""]]);
  assert.deepEqual(asPairs("a=1"), []);
});

Deno.test("asCount() takes whole numbers, as text too, and nothing else", () => {
  const f = (value: unknown, expected: number | null) => assert.equal(asCount(value), expected);
  f(0, 0);
  f("12", 12);
  f(-1, null);
  f(1.5, null);
  f("", null);
  f("x", null);
  f(true, null);
  f(null, null);
});

Deno.test("asInstant() takes Unix seconds and ISO 8601, which is UTC when it names no zone", () => {
  const f = (value: unknown, expected: string | null) =>
    assert.equal(asInstant(value)?.toISOString() ?? null, expected);
  f(1767323045.678, "2026-01-02T03:04:05.678Z");
  f("1767323045", "2026-01-02T03:04:05.000Z");
  f("2026-01-02T03:04:05.678", "2026-01-02T03:04:05.678Z");
  f("2026-01-02T05:04:05.678901+02:00", "2026-01-02T03:04:05.678Z");
  f("nonsense", null);
  f("", null);
  f(1e300, null);
  f(null, null);
});
