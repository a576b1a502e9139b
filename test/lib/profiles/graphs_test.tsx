import assert from "node:assert/strict";
import { graphLinks, Graphs, type GraphsProps } from "@/lib/profiles/graphs.tsx";
import { filledLink } from "@/lib/ui/flamegraph/settings.ts";
import { PLAIN } from "@/lib/profiles/params.ts";
import { rendered } from "../../support/rendered.ts";

const PAGE = new URL("http://localhost/p/1/profiling?range=1h&focus=a%26b");
const PROPS: Omit<GraphsProps, "reading"> = {
  project: {},
  id: "graph",
  title: "CPU time",
  shape: PLAIN,
  page: PAGE,
  dataPath: "/p/1/profiling/flamegraph",
  dataParams: [["range", "1h"]],
  pageParams: [["range", "1h"]],
  exports: [],
};

Deno.test("without script a page whose graph takes longer is asked for again, and waits", async () => {
  const html = await rendered(<Graphs {...PROPS} reading={{ kind: "pending" }} />);
  assert.match(html, /being put together/);
  assert.match(
    html,
    /<noscript><meta http-equiv="refresh" content="0;url=\/p\/1\/profiling\?range=1h&amp;focus=a%26b&amp;wait=1"/,
  );
});

Deno.test("a graph that cannot be made says so and offers to try again", async () => {
  const reading = { kind: "failed", error: new Error("secret of the store") } as const;
  const html = await rendered(<Graphs {...PROPS} reading={reading} />);
  assert.match(html, /could not be made.*href="\/p\/1\/profiling\?range=1h&amp;focus=a%26b"/s);
  assert.doesNotMatch(html, /secret/);
});

Deno.test("functions lead to their own view with the filters of the graph, whatever they are called", () => {
  const links = graphLinks("/p", [["range", "1h"]], { ...PLAIN, ignore: "{name}" });
  const at = { name: "a&b{file}", file: "x.go", line: 1 };
  const href = new URL(filledLink(links.function, at) ?? "", "http://localhost");
  assert.deepEqual([...href.searchParams], [
    ["range", "1h"],
    ["ignore", "{name}"],
    ["function", "a&b{file}"],
  ]);
  const focus = new URL(filledLink(links.focus, at) ?? "", "http://localhost");
  assert.equal(focus.searchParams.get("focus"), "^a&b\\{file\\}$");
  assert.deepEqual(graphLinks("/p", [], { ...PLAIN, by: "file" }), {});
});
