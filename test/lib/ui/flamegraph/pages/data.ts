import { define } from "@/lib/server/define.ts";
import { chart, graph, type GraphName } from "../graphs.ts";

/** What the island asks for. */
export const handler = define.handlers({
  GET({ url: { searchParams } }) {
    const thread = searchParams.get("thread");
    if (thread !== null) return Response.json(chart(thread));
    const path = searchParams.get("path")?.split(",") ?? [];
    return Response.json(graph(searchParams.get("graph") as GraphName, path));
  },
});
