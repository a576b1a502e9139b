import { requireTrace, waterfallData } from "@/lib/traces/open_trace.ts";
import { packTrace } from "@/lib/traces/waterfall/compact_trace.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** A trace for the waterfall's script, as `packTrace()` makes it. */
export const handler = define.handlers({
  async GET(ctx) {
    const access = await requireProject(ctx, "project:read");
    const opened = await requireTrace(ctx.state, access, ctx.params.trace ?? "");
    return Response.json(packTrace(waterfallData(opened)), {
      headers: { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" },
    });
  },
});
