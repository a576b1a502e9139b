import assert from "node:assert/strict";
import { commandOf, pageCommand } from "@/lib/ui/flamegraph/live_stage.tsx";
import { tickStep } from "@/lib/ui/flamegraph/draw.ts";
import { type FlameAddress, hrefOf, readAddress } from "@/lib/ui/flamegraph/address.ts";
import { flameTree } from "@/lib/ui/flamegraph/flame_tree.ts";
import { boxBeside, type Direction, layoutOf } from "@/lib/ui/flamegraph/layout.ts";
import { smallData } from "./trees.ts";

// 1 main, 2 a, 3 b, 4 c, 5 none, 6 d, 7 e
const LAYOUT = layoutOf(
  flameTree(smallData({ main: { a: { b: 2, c: 3 }, none: 0, d: { e: 4 } } })),
);
const go = (node: number, direction: Direction, top = 0) => boxBeside(LAYOUT, node, direction, top);

Deno.test("arrow keys go to the caller, to the widest call, and along the row", () => {
  assert.deepEqual([go(0, "up"), go(2, "up"), go(0, "down"), go(2, "down"), go(4, "down")], [
    0,
    1,
    1,
    4,
    4,
  ]);
  assert.deepEqual([go(2, "right"), go(6, "left"), go(4, "right"), go(7, "right"), go(3, "left")], [
    6,
    2,
    7,
    7,
    3,
  ]);
});

Deno.test("while zoomed, the row ends with what is zoomed to, and callers lead down to it", () => {
  assert.deepEqual([go(4, "right", 2), go(1, "down", 6), go(6, "left", 6), go(6, "up", 6)], [
    4,
    6,
    6,
    1,
  ]);
});

Deno.test("keys mean commands; others mean nothing", () => {
  const press = (key: string, shiftKey = false) =>
    commandOf({ key, shiftKey }, LAYOUT, 2, 0)?.kind ?? null;
  assert.deepEqual(
    ["ArrowDown", "Enter", " ", "+", "-", "ContextMenu", "n", "/", "0", "Escape", "x", "F10"]
      .map((key) => press(key)),
    [
      "focus",
      "zoom",
      "zoom",
      "scale",
      "scale",
      "menu",
      "next",
      "search",
      "reset",
      "reset",
      null,
      null,
    ],
  );
  assert.equal(press("F10", true), "menu");
  assert.equal(pageCommand("Enter"), null);
});

Deno.test("an address gives back the state of the graph and keeps what is not its own", () => {
  const page = new URL("https://host/profiling?service=shop&b_find=x");
  const address: FlameAddress = {
    path: ["0123abcd", "0123abcd.2"],
    find: "a, b",
    colour: "own",
    thread: "7",
    tab: "table",
    collapsesRecursion: true,
    hidden: ["89abcdef"],
  };
  const href = hrefOf(page, address);
  assert.match(href, /^\/profiling\?service=shop&b_find=x&path=0123abcd,0123abcd\.2&/);
  const query = new URL(href, page).searchParams;
  assert.deepEqual(readAddress(query), address);
  assert.equal(readAddress(query, "b_").find, "x");
  assert.equal(
    hrefOf(new URL(href, page), readAddress(new URLSearchParams())),
    page.pathname + page.search,
  );
});

Deno.test("an address with nonsense in it is the graph as it comes", () => {
  const query = new URLSearchParams("path=zz&colour=red&tab=x&hide=1,2&recursion=1");
  assert.deepEqual(readAddress(query), readAddress(new URLSearchParams()));
});

Deno.test("ticks stand at round values", () => {
  assert.deepEqual([tickStep(100, 10), tickStep(100, 7), tickStep(1, 4), tickStep(7e9, 8)], [
    10,
    20,
    0.5,
    1e9,
  ]);
});
