import assert from "node:assert/strict";
import fc from "fast-check";
import {
  checkEmail,
  checkName,
  checkSlug,
  freeSlug,
  isSlug,
  normalizeEmail,
  slugOf,
} from "@/lib/accounts/names.ts";

Deno.test("checkName() trims and joins blanks", () => {
  assert.equal(checkName("name", "  Ann \t\n Miller "), "Ann Miller");
  assert.equal(checkName("name", "Zoe\u0308"), "Zoë");
  assert.equal([...checkName("name", "🦊".repeat(64))].length, 64);
});

Deno.test("checkName() refuses what is empty, too long or deceptive, and names the field", () => {
  const f = (text: string, message: RegExp) =>
    assert.throws(() => checkName("title", text), {
      name: "InvalidInput",
      field: "title",
      message,
    });
  f("", /Enter a name/);
  f(" \u2003 ", /Enter a name/);
  f("x".repeat(65), /at most 64/);
  f("a\0b", /control/);
  f("abc\u202etxt", /control/);
  f("a\ud800b", /control/);
});

Deno.test("normalizeEmail() has one spelling for each address and none for other text", () => {
  assert.equal(normalizeEmail("  Ann@Example.COM "), "ann@example.com");
  assert.equal(normalizeEmail("ann@localhost"), "ann@localhost");
  const f = (text: string) => assert.equal(normalizeEmail(text), null, text);
  f("");
  f("ann");
  f("@example.com");
  f("ann@");
  f("ann@@example.com");
  f("a b@example.com");
  f("ann@example.com\nbcc:eve@example.com");
  f("ann\0@example.com");
  f("<ann@example.com>");
  f(`${"a".repeat(251)}@b.c`);
  assert.throws(() => checkEmail("ann"), { name: "InvalidInput", field: "email" });
});

Deno.test("slugOf() makes readable slugs", () => {
  const f = (name: string, slug: string) => assert.equal(slugOf(name, "project"), slug);
  f("Café Wien", "cafe-wien");
  f("My App (2.0)", "my-app-2-0");
  f("snake_case", "snake_case");
  f("  --x--  ", "x");
  f("Проект", "project");
  f("日本語", "project");
  f("2026", "project-2026");
  f("a".repeat(80), "a".repeat(50));
  f("7".repeat(80), `project-${"7".repeat(42)}`);
});

Deno.test("slugOf() makes a valid slug of any name", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => isSlug(slugOf(name, "project"))));
});

Deno.test("checkSlug() refuses what is no slug", () => {
  const f = (text: string) =>
    assert.throws(() => checkSlug(text), { name: "InvalidInput", field: "slug" }, text);
  assert.equal(checkSlug("a"), "a");
  assert.equal(checkSlug("0day_x-y"), "0day_x-y");
  f("");
  f("-a");
  f("_a");
  f("A");
  f("a b");
  f("a/b");
  f("a\n");
  f("é");
  f("123");
  f("a".repeat(51));
});

Deno.test("freeSlug() counts up, then ends in something random", async () => {
  const taken = new Set(["app"]);
  const isTaken = (slug: string) => Promise.resolve(taken.has(slug));
  const next = () => freeSlug({ chosen: null, name: "App", fallback: "project" }, isTaken);
  assert.equal(await next(), "app-2");
  for (let number = 2; number < 10; number++) taken.add(`app-${number}`);
  assert.match(await next(), /^app-[0-9a-f]{8}$/);
  taken.add("b".repeat(50));
  const long = await freeSlug({ chosen: null, name: "b".repeat(60), fallback: "project" }, isTaken);
  assert.equal(long, `${"b".repeat(48)}-2`);
});

Deno.test("freeSlug() never changes a chosen slug", async () => {
  const choose = (taken: boolean) =>
    freeSlug({ chosen: "app", name: "x", fallback: "y" }, () => Promise.resolve(taken));
  assert.equal(await choose(false), "app");
  await assert.rejects(choose(true), { name: "InvalidInput", field: "slug", reason: "taken" });
});
