import assert from "node:assert/strict";
import {
  changeColour,
  COLOUR_CLASSES,
  hueOf,
  legendOf,
  nodeColours,
} from "@/lib/ui/flamegraph/colours.ts";
import { flameTree } from "@/lib/ui/flamegraph/flame_tree.ts";
import { fitted } from "@/lib/ui/flamegraph/frames.ts";
import { filledLink } from "@/lib/ui/flamegraph/settings.ts";
import {
  boxLabel,
  changeText,
  differenceText,
  factsOf,
  sentenceOf,
  shareText,
} from "@/lib/ui/flamegraph/words.ts";
import { chart } from "./graphs.ts";
import { largeTree, smallData, wholePayload } from "./trees.ts";

const MS = 1e6;

Deno.test("a box tells its values with shares of the view and of all", () => {
  const tree = flameTree(smallData({ a: { self: 10 * MS, b: { self: 20 * MS, c: 10 * MS } } }));
  assert.deepEqual(factsOf(tree, 2, 0).figures, [
    { label: "Total", value: "30 ms", shares: "75.0% of all" },
    { label: "Self", value: "20 ms", shares: "50.0% of all" },
  ]);
  assert.equal(
    sentenceOf(factsOf(tree, 3, 2)),
    "c, /app/shop.ts:30; total 10 ms, 33.3% of the view, 25.0% of all; " +
      "self 10 ms, 33.3% of the view, 25.0% of all",
  );
});

Deno.test("a box of a comparison tells both sides and the change", () => {
  const tree = flameTree(smallData({ a: 30 * MS, b: 10 * MS }, { a: 20 * MS }));
  const sides = { before: "v1", after: "v2" };
  assert.deepEqual(factsOf(tree, 1, 0, sides).figures.slice(0, 3), [
    { label: "Total, v1", value: "20 ms", shares: "100.0% of all" },
    { label: "Total, v2", value: "30 ms", shares: "75.0% of all" },
    { label: "Total, change", value: "+10 ms", shares: "+50.0%" },
  ]);
  assert.equal(boxLabel(tree, 1, 20), "+50% a");
  assert.equal(boxLabel(tree, 2, 20), "new b");
  assert.equal(boxLabel(tree, 1, 4), "+50%");
  assert.equal(boxLabel(tree, 1, 3), "");
});

Deno.test("a box in order of time tells when it began", () => {
  const tree = flameTree(chart("1"));
  assert.deepEqual(factsOf(tree, 3, 0).figures[0], {
    label: "Begins at",
    value: "30 ms",
    shares: "",
  });
});

Deno.test("changes and shares are written with their sign, and nothing only when it is nothing", () => {
  assert.deepEqual(
    [[1, 1], [0, 5], [5, 0], [10, 5], [10, 15], [1, 21]].map(([a = 0, b = 0]) => changeText(a, b)),
    ["±0%", "new", "gone", "−50.0%", "+50.0%", "+2000%"],
  );
  assert.deepEqual([shareText(1, 3), shareText(0, 3), shareText(1, 1e6), shareText(1, 0)], [
    "33.3%",
    "0.0%",
    "<0.1%",
    "–",
  ]);
  const { type } = smallData({});
  assert.deepEqual([0, 2 * MS, -2 * MS].map((value) => differenceText({ type }, value)), [
    "±0",
    "+2 ms",
    "−2 ms",
  ]);
});

Deno.test("names lose the path of their package before they are cut", () => {
  const name = "github.com/lib/pq.(*conn).Query";
  assert.deepEqual([40, 17, 10, 3, 2].map((room) => fitted(name, room)), [
    name,
    "pq.(*conn).Query",
    "pq.(*conn…",
    "pq…",
    "",
  ]);
  assert.equal(fitted("a[b/c].d", 6), "a[b/c…");
  assert.equal(fitted("ab😀cdef", 4), "ab…");
});

Deno.test("a package has the same hue in every profile, and hues are spread", () => {
  assert.equal(hueOf("net/http"), hueOf("net/http"));
  const hues = new Set(Array.from({ length: 200 }, (_, index) => hueOf(`package-${index}`)));
  assert.equal(hues.size, 24);
  const tree = flameTree(wholePayload(largeTree(500)));
  const colours = nodeColours(tree, "package");
  for (const colour of colours) assert.ok(COLOUR_CLASSES[colour]);
  const classOf = (owner: string) => {
    const node = tree.nodeFrames.findIndex((frame) =>
      (tree.frames.names[frame] ?? "").startsWith(owner)
    );
    return COLOUR_CLASSES[colours[node] ?? 0];
  };
  assert.match(classOf("main.") ?? "", /^flame-own flame-h\d+$/);
  assert.match(classOf("net/http.") ?? "", /^flame-library flame-h\d+$/);
});

Deno.test("colours of changes go from less to more", () => {
  const classOf = (before: number, after: number) => COLOUR_CLASSES[changeColour(before, after)];
  assert.deepEqual(
    [classOf(5, 5), classOf(0, 0), classOf(0, 5), classOf(5, 0), classOf(100, 120)],
    ["flame-same", "flame-same", "flame-more5", "flame-less5", "flame-more2"],
  );
});

Deno.test("the legend names the packages with most self", () => {
  const tree = flameTree(wholePayload(largeTree(2_000)));
  const labels = legendOf(tree, "package").map(({ label }) => label);
  assert.equal(labels.length, 6);
  assert.equal(new Set(labels).size, 6);
});

Deno.test("links are filled in, but lead neither to scripts nor to what is not known", () => {
  const at = { name: "a.(*b)", file: "./src/x y.go", line: 0 };
  assert.equal(
    filledLink("https://host/{file}#L{line}", at),
    "https://host/src/x%20y.go#L1",
  );
  assert.equal(filledLink("/f?focus={regexp}", at), "/f?focus=%5Ea%5C.%5C(%5C*b%5C)%24");
  assert.equal(filledLink("/f?name={name}", { ...at, name: "\ud800" }), "/f?name=%EF%BF%BD");
  assert.equal(filledLink("https://host/{file}", { ...at, file: "" }), null);
  assert.equal(filledLink("javascript:{name}", at), null);
  assert.equal(filledLink(undefined, at), null);
});
