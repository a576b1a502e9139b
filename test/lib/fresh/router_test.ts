import assert from "node:assert/strict";
import { Router } from "@/lib/fresh/router.ts";

const PATTERNS = [
  "/a/:x/c",
  "/:x/b/c",
  "/a/b/:x{/}?",
  "/a/b/c/:rest*",
  "/a/:x?",
  "/a{/b}?/d",
  "/e/:x",
  "/api/0/:x",
  "/api/:x/envelope{/}?",
  "/*",
];
const PATHS = [
  "/",
  "/a",
  "/a/",
  "/a/b",
  "/a/b/",
  "/a/b/c",
  "/a/b/c/",
  "/a/b/c/d/e",
  "/a/d",
  "/a/x/c",
  "/x/b/c",
  "/e/1",
  "/e/1/2",
  "/api/0/x",
  "/api/0/envelope/",
  "/api/7/envelope",
  "/api/7/other",
  "/%61/b",
  "//a/b",
];

Deno.test("a path belongs to the first registered pattern that fits, however many begin otherwise", () => {
  for (const patterns of [PATTERNS, PATTERNS.toReversed(), PATTERNS.slice(3, -1)]) {
    const router = new Router<string>();
    for (const pattern of patterns) router.add("GET", pattern, pattern);
    const alone = patterns.map((pattern) => {
      const one = new Router<string>();
      one.add("GET", pattern, pattern);
      return one;
    });
    for (const path of PATHS) {
      const first = alone.map((one) => one.match("GET", path)).find(({ item }) => item !== null);
      const { item, params } = router.match("GET", path);
      assert.deepEqual([item, { ...params }], [first?.item ?? null, { ...first?.params }], path);
    }
  }
});

Deno.test("a pattern that is added after a look-up is found", () => {
  const router = new Router<number>();
  router.add("GET", "/a/:x", 1);
  assert.equal(router.match("GET", "/a/b/c").item, null);
  router.add("GET", "/a/b/:x", 2);
  assert.equal(router.match("GET", "/a/b/c").item, 2);
});
