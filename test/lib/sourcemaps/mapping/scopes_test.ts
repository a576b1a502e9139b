import assert from "node:assert/strict";
import { compileMap } from "@/lib/sourcemaps/mapping/compile_map.ts";
import { MapTable } from "@/lib/sourcemaps/mapping/map_table.ts";
import { packScopes, readScopes, scopeAt, unpackScopes } from "@/lib/sourcemaps/mapping/scopes.ts";
import { minified, positionIn } from "../../../support/source_maps.ts";

/** The function that `mark` stands in, of code that a build tool has minified. */
async function namesOf(source: string, marks: readonly string[]) {
  const { code, map } = await minified(source, "a.ts");
  const table = new MapTable(compileMap(new TextEncoder().encode(map)));
  const scopes = unpackScopes(packScopes(readScopes(code, table)));
  return marks.map((mark) => {
    const { lineno, colno } = positionIn(code, JSON.stringify(mark));
    return scopeAt(scopes, lineno - 1, colno - 1);
  });
}

Deno.test("functions are named by themselves, by what holds them, and by their class", async () => {
  const source = `
    export function declared() { return "declared"; }
    const assigned = () => "assigned";
    const shop: Record<string, unknown> = { listed() { return "listed"; }, keyed: () => "keyed" };
    (shop as any).cart.added = function () { return "added"; };
    class Cart {
      constructor() { console.log("made"); }
      static total() { return "total"; }
      get size() { return "size"; }
      #hidden() { return "hidden"; }
      field = () => "field";
      call() { return [this.#hidden, () => "inner"]; }
    }
    console.log("outside", assigned, shop, Cart);
    setTimeout(() => console.log("nobody"), 1);
  `;
  assert.deepEqual(
    await namesOf(source, [
      "declared",
      "assigned",
      "listed",
      "keyed",
      "added",
      "made",
      "total",
      "size",
      "hidden",
      "field",
      "inner",
      "outside",
      "nobody",
    ]),
    [
      "declared",
      "assigned",
      "<object>.listed",
      "<object>.keyed",
      "shop.cart.added",
      "new Cart",
      "Cart.total",
      "get Cart.size",
      "Cart.#hidden",
      "Cart.field",
      "<anonymous>",
      undefined,
      "<anonymous>",
    ],
  );
});

Deno.test("a file that cannot be parsed has no names, and does not fail", () => {
  const table = new MapTable(
    compileMap(new TextEncoder().encode('{"version":3,"sources":[],"mappings":""}')),
  );
  for (const code of ["function (", "<html>", "(".repeat(200_000), "", "//".repeat(3 * 2 ** 20)]) {
    assert.equal(scopeAt(readScopes(code, table), 0, 0), undefined);
  }
});
