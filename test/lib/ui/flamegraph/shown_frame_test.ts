import assert from "node:assert/strict";
import { nameOf, placeOf, shownFrame } from "@/lib/ui/flamegraph/frames.ts";

const shown = (name: string, file = "", line = 0) =>
  Object.values(shownFrame({ name, file, line }));

Deno.test("names with the file and the line of py-spy and Pyroscope's Node agent are taken apart", () => {
  assert.deepEqual(shown("price_of (main.py:6)"), ["price_of", "main.py", 6]);
  assert.deepEqual(shown("price_of (shop/main.py)"), ["price_of", "shop/main.py", 0]);
  assert.deepEqual(shown("_load (<frozen importlib>:20)"), ["_load", "<frozen importlib>", 20]);
  assert.deepEqual(shown("./main.cjs:priceOf:13", "/app/main.cjs", 15), [
    "priceOf",
    "/app/main.cjs",
    15,
  ]);
  assert.deepEqual(shown("./main.cjs::3", "/app/main.cjs"), ["(anonymous)", "/app/main.cjs", 3]);
  assert.deepEqual(shown("node:internal/timers:listOnTimeout:5"), [
    "listOnTimeout",
    "node:internal/timers",
    5,
  ]);
});

Deno.test("names that only look like it stay as they are", () => {
  for (
    const name of ["call(x.py:1)", "std::map<int>:2", "a:b:1", "(main.py:6)", "f (x.go:1)", ""]
  ) {
    assert.deepEqual(shown(name), [name, "", 0]);
  }
  assert.deepEqual(shown("run (main.py:6)", "/x.py", 1), ["run (main.py:6)", "/x.py", 1]);
  assert.deepEqual(shown("./main.cjs:f:1", "/app/other.js", 2), [
    "./main.cjs:f:1",
    "/app/other.js",
    2,
  ]);
});

Deno.test("boxes show them apart", () => {
  const frames = {
    names: ["", "price_of (main.py:6)"],
    files: [""],
    fileOf: [0, 0],
    modules: [""],
    moduleOf: [0, 0],
    lines: [0, 0],
    isInApp: [2, 2],
  } as const;
  assert.deepEqual([nameOf(frames, 1), placeOf(frames, 1)], ["price_of", "main.py:6"]);
});
