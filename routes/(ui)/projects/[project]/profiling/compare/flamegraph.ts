import { readComparison } from "@/lib/profiles/compare/load_compare.ts";
import { graphResponse, jsonResponse } from "@/lib/profiles/responses.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** The graph of a comparison for its script, as `FlameData`; `path` asks for what is below a function. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { searchParams } = ctx.url;
    const read = await readComparison(ctx.state.services, project.id, searchParams);
    if (typeof read === "string") return jsonResponse({ detail: read }, 400);
    return graphResponse(read.tree, searchParams, undefined);
  },
});
