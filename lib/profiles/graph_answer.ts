import { flamePayload } from "./trees/flame_payload.ts";
import type { FlameData } from "../ui/flamegraph/flame_data.ts";
import type { CallTree, DiffTree } from "./trees/stack_profile.ts";
import { readPath } from "../ui/flamegraph/path.ts";

/** The graph as the page draws it, or what is below the path that its address names. */
export function graphData(
  tree: CallTree | DiffTree,
  path: string | null,
  platform: string | undefined,
): FlameData {
  return flamePayload(tree, { path: readPath(path), platform });
}

/** Answers the script of a graph with `FlameData`: the whole, or what is below `path`. */
export function graphResponse(
  tree: CallTree | DiffTree,
  query: URLSearchParams,
  platform: string | undefined,
): Response {
  return jsonResponse(graphData(tree, query.get("path"), platform));
}

/** Answers a page's script in JSON; nobody else may keep it. */
export function jsonResponse(body: unknown, status = 200): Response {
  return Response.json(body, {
    status,
    headers: { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" },
  });
}
