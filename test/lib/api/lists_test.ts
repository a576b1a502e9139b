import assert from "node:assert/strict";
import { ApiError } from "@/lib/api/route.ts";
import { sortedPage } from "@/lib/api/lists.ts";

const ROWS = [{ name: "b", p95: 7 }, { name: "a", p95: null }, { name: "c", p95: 9 }];
const FIELDS = {
  name: ({ name }: typeof ROWS[number]) => name,
  p95: ({ p95 }: typeof ROWS[number]) => p95,
};

function page(search: string) {
  const { rows, ...cursors } = sortedPage(ROWS, new URLSearchParams(search), FIELDS, "-p95");
  return { names: rows.map(({ name }) => name).join(""), ...cursors };
}

Deno.test("sortedPage() sorts by any of its fields, what has no value last", () => {
  const names = ["", "sort=p95", "sort=name", "sort=-name"].map((search) => page(search).names);
  assert.deepEqual(names, ["cba", "bca", "abc", "cba"]);
});

Deno.test("sortedPage() leads from page to page and back", () => {
  const first = page("per_page=2");
  assert.deepEqual(first, { names: "cb", previousCursor: null, nextCursor: "0:2:0" });
  const second = page(`limit=2&cursor=${first.nextCursor}`);
  assert.deepEqual(second, { names: "a", previousCursor: "0:0:1", nextCursor: null });
  assert.deepEqual(page(`limit=2&cursor=${second.previousCursor}`), first);
  assert.deepEqual(page("limit=2&cursor="), first);
  assert.equal(page("cursor=0:900:0").names, "");
});

Deno.test("sortedPage() refuses unknown fields and made-up cursors", () => {
  const wrong = ["sort=size", "sort=--p95", "sort=toString", "cursor=1", "cursor=0:-1:0"];
  for (const search of wrong) assert.throws(() => page(search), ApiError, search);
});
