import { t } from "@/lib/core/language/translate.ts";
import { HttpError } from "fresh";
import { findTraceSpan } from "@/lib/traces/open_trace.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** One span of a trace with all its attributes, for the waterfall's script. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { trace = "", span = "" } = ctx.params;
    const detail = await findTraceSpan(ctx.state.services.sql, project.id, trace, span);
    if (detail === null) throw new HttpError(404, t("There is no such span in this trace."));
    return Response.json(detail, {
      headers: { "cache-control": "private, max-age=30", "x-content-type-options": "nosniff" },
    });
  },
});
