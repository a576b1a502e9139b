import { FlameGraphPanel } from "@/lib/profiles/graphs.tsx";
import { SIDE_NAMES } from "@/lib/ui/flamegraph/words.ts";
import { define } from "@/lib/server/define.ts";
import { graph, type GraphName } from "../graphs.ts";

/** One graph; `graph` in the query says which. */
export default define.page(({ url }) => {
  const name = (url.searchParams.get("graph") ?? "small") as GraphName;
  const path = url.searchParams.get("path")?.split(",");
  return (
    <main class="p-4 max-sm:p-2">
      <h1 class="mb-2 text-xl font-semibold">Flame graph</h1>
      <FlameGraphPanel
        id="graph"
        data={graph(name)}
        page={url}
        zoomedData={name === "cut" && path ? graph(name, path) : null}
        settings={{
          title: `CPU time of ${name}`,
          prefix: "",
          dataHref: `/data?graph=${name}`,
          links: {
            function: "/?function={name}",
            focus: "/?focus={regexp}",
            source: "https://example.com/blob/main/{file}#L{line}",
          },
          exports: [{ label: "pprof", href: "/export?format=pprof" }],
          sides: SIDE_NAMES,
          timeOrder: name === "small"
            ? {
              threads: [{ id: "1", name: "main" }, { id: "2", name: "worker" }],
              href: "/data?thread={thread}",
            }
            : null,
        }}
      />
    </main>
  );
});
