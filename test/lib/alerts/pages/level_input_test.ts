import assert from "node:assert/strict";
import { levelHelp, levelText, parseLevel } from "@/lib/alerts/pages/form_params.ts";
import type { ValueKind } from "@/lib/alerts/measures.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";

Deno.test("levels are read in the unit of their kind, and with another one", () => {
  const cases: readonly (readonly [text: string, kind: ValueKind, value: number])[] = [
    ["1500", "duration", 1_500],
    ["1.5 s", "duration", 1_500],
    ["2min", "duration", 120_000],
    ["5", "percent", 0.05],
    ["7 %", "percent", 0.07],
    ["1,000", "count", 1_000],
    ["10k", "count", 10_000],
    ["3x", "times", 3],
    ["60/min", "rate", 60],
    ["-0.5", "score", -0.5],
    ["250 ms", { unit: "s" }, 0.25],
    ["0.25", { unit: "s" }, 0.25],
    ["512 MiB", { unit: "By" }, 512 * 1024 ** 2],
    ["1.5 GB", { unit: "By" }, 1.5e9],
    ["1 MB/s", { unit: "By/s" }, 1e6],
    ["80%", { unit: "%" }, 80],
    ["1.5M", { unit: "{request}" }, 1.5e6],
  ];
  for (const [text, kind, value] of cases) assert.equal(parseLevel(text, kind), value, text);
});

Deno.test("levels are read and written in a Russian reader's units, with a comma", () => {
  const cases: readonly (readonly [text: string, kind: ValueKind, value: number])[] = [
    ["1,5 с", "duration", 1_500],
    ["1.5 s", "duration", 1_500],
    ["2 мин", "duration", 120_000],
    ["0,125", "score", 0.125],
    ["10 000", "count", 10_000],
    ["10 тыс", "count", 10_000],
    ["60/мин", "rate", 60],
    ["512 МиБ", { unit: "By" }, 512 * 1024 ** 2],
    ["1 МБ/с", { unit: "By/s" }, 1e6],
  ];
  inLanguage({ language: "ru" }, () => {
    for (const [text, kind, value] of cases) assert.equal(parseLevel(text, kind), value, text);
    assert.equal(levelText(1_500, "duration"), "1,5 с");
    assert.equal(levelText(2.5 * 1024 ** 3, { unit: "By" }), "2,5 ГиБ");
    assert.equal(levelText(0.025, "percent"), "2,5");
    assert.equal(parseLevel(levelText(0.125, "score"), "score"), 0.125);
    assert.doesNotMatch(levelHelp("duration") + levelHelp({ unit: "By" }), /[A-Za-z]/);
  });
  // An address that a Russian reader has made.
  assert.equal(parseLevel("1,5 с", "duration"), 1_500);
});

Deno.test("what is no level of its kind is none", () => {
  const cases: readonly (readonly [text: string, kind: ValueKind])[] = [
    ["", "count"],
    ["abc", "count"],
    ["1e999", "count"],
    ["5%", "count"],
    ["5 s", "count"],
    ["5 k", "duration"],
    ["3 %", "duration"],
    ["2x", "percent"],
    ["5 s", { unit: "By" }],
    ["1 constructor", "duration"],
    ["1.2.3", "score"],
  ];
  for (const [text, kind] of cases) assert.ok(Number.isNaN(parseLevel(text, kind)), text);
});

Deno.test("a level is written as it is read back", () => {
  const kinds: readonly ValueKind[] = [
    "count",
    "duration",
    "percent",
    "score",
    { unit: "s" },
    { unit: "By" },
  ];
  for (const kind of kinds) {
    for (const value of [0, 0.07, 0.1 + 0.2, 1234.5, -3, 86_400, 3_600_000, 3 * 1024 ** 2]) {
      const read = parseLevel(levelText(value, kind), kind);
      assert.ok(Math.abs(read - value) < 1e-12, `${value}`);
    }
  }
  assert.equal(levelText(0.07, "percent"), "7");
  assert.equal(levelText(1_500, "duration"), "1.5 s");
  assert.equal(levelText(2.5 * 1024 ** 3, { unit: "By" }), "2.5 GiB");
  assert.equal(levelText(1_000_003, { unit: "By" }), "1000003");
  assert.equal(levelText(null, "count"), "");
});

Deno.test("the form says what a level is entered in", () => {
  assert.match(levelHelp("percent"), /percent/);
  assert.match(levelHelp({ unit: "By" }), /MiB/);
  assert.match(levelHelp({ unit: "{request}/s" }), /requests\/s/);
});
