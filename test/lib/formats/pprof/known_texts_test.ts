import assert from "node:assert/strict";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { KnownTexts } from "@/lib/formats/pprof/known_texts.ts";
import { makeProfile } from "@/test/bench/pprof_profiles.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function keep(known: KnownTexts, text: string): void {
  const bytes = bytesOf(text);
  known.keep(bytes, 0, bytes.length, text);
}

function find(known: KnownTexts, text: string): string | undefined {
  const bytes = bytesOf(`<${text}>`);
  return known.find(bytes, 1, bytes.length - 1);
}

Deno.test("a text is found by its bytes wherever they stand, and no other is taken for it", () => {
  const known = new KnownTexts();
  assert.equal(find(known, "main"), undefined);
  for (const text of ["main", "main.go", "niam", "größe.go"]) keep(known, text);

  for (const text of ["main", "main.go", "niam", "größe.go"]) assert.equal(find(known, text), text);
  for (const text of ["mai", "main.g", "maim", "grosse.go"]) {
    assert.equal(find(known, text), undefined);
  }
});

Deno.test("texts too long to be kept are read each time", () => {
  const known = new KnownTexts();
  keep(known, "x".repeat(255));
  keep(known, "x".repeat(256));

  assert.equal(find(known, "x".repeat(255)), "x".repeat(255));
  assert.equal(find(known, "x".repeat(256)), undefined);
});

Deno.test("more texts than there is room for begin anew, and none is wrong", () => {
  const known = new KnownTexts();
  const texts = Array.from({ length: 40_000 }, (_, place) => `example.com/shop.Method${place}`);
  for (const text of texts) {
    keep(known, text);
    assert.equal(find(known, text) ?? text, text);
  }

  assert.equal(find(known, texts.at(-1) ?? ""), texts.at(-1));
  const found = texts.filter((text) => find(known, text) !== undefined);
  assert(found.length > 5_000 && found.length < 32_769, `${found.length} are known`);
  assert(found.every((text) => find(known, text) === text));
});

Deno.test("a profile is read the same whether its texts came before or not", () => {
  const size = { samples: 50, functions: 80, locations: 90, depth: 8, types: 2 } as const;
  const bytes = makeProfile(size, 7);
  const first = decodePprof(bytes);
  const again = decodePprof(bytes);
  const others = decodePprof(makeProfile({ ...size, functions: 70 }, 8)).profile.strings;

  assert.deepEqual(again, first);
  assert(others.includes("example.com/shop/internal/part3.(*Type3).Method3"));
});
