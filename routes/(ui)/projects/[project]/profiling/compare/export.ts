import { readComparison } from "@/lib/profiles/compare/load_compare.ts";
import { exportResponse, jsonResponse } from "@/lib/profiles/responses.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** The graph of a comparison as a file; `format` is svg, as the other formats know one side only. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { searchParams } = ctx.url;
    if (searchParams.get("format") !== "svg") {
      return jsonResponse({ detail: "format: Of a comparison there is svg." }, 400);
    }
    const read = await readComparison(ctx.state.services, project.id, searchParams);
    if (typeof read === "string") return jsonResponse({ detail: read }, 400);
    return exportResponse("svg", { ...read, whole: null, name: `compared-${read.tree.type.type}` });
  },
});
