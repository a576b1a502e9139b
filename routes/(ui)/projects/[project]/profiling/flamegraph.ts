import { graphResponse, jsonResponse } from "@/lib/profiles/responses.ts";
import { mergedTree, readGraph, readGraphRequest } from "@/lib/profiles/selection.ts";
import { combiningWords } from "@/lib/profiles/words.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/**
 * The merged graph of the page for its script, as `FlameData`; `path` asks for what is below a function, `words=1` for
 * how the profiles were put together.
 */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services } = ctx.state;
    const { searchParams } = ctx.url;
    const asked = await readGraphRequest(services, project.id, searchParams);
    if (typeof asked === "string") return jsonResponse({ detail: asked }, 400);
    const { merged, selection, params, side, platform } = await readGraph(services, asked);
    if (searchParams.get("words") === "1") return jsonResponse({ words: combiningWords(merged) });
    return graphResponse(mergedTree(merged, selection, params.shape, side), searchParams, platform);
  },
});
