import assert from "node:assert/strict";
import { hyphenated, normalDebugId } from "@/lib/sourcemaps/artifacts/debug_ids.ts";

const ID = "13cc92ca1f0d4f3c9f2ad5be5aa8c9f1";

Deno.test("a debug id is known in every spelling that clients have for it", () => {
  for (
    const text of [
      ID,
      "13CC92CA-1F0D-4F3C-9F2A-D5BE5AA8C9F1",
      "13cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1-0",
      ` ${ID}0 `,
    ]
  ) assert.equal(normalDebugId(text), ID, text);
});

Deno.test("what is no UUID is no debug id", () => {
  for (const text of ["", "undefined", "13cc", `${ID}xyz`, "0".repeat(32), `g${ID.slice(1)}`]) {
    assert.equal(normalDebugId(text), null, text);
  }
});

Deno.test("a debug id is shown with hyphens", () => {
  assert.equal(hyphenated(ID), "13cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1");
});
