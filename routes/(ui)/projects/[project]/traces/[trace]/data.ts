import { requireTrace } from "../../../../../../lib/ui/trace/load_trace.ts";
import { packTrace } from "../../../../../../lib/ui/trace/model/wire.ts";
import { requireProject } from "../../../../../../lib/web/access.ts";
import { define } from "../../../../../../lib/web/define.ts";

/** A trace for the waterfall's script, as `packTrace()` makes it. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const trace = await requireTrace(ctx.state.services.sql, project.id, ctx.params.trace ?? "");
    return Response.json(packTrace(trace), {
      headers: { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" },
    });
  },
});
