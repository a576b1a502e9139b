import { exportedAudit } from "@/lib/audit/exported.ts";
import { define } from "@/lib/server/define.ts";
import { requireInstanceAdmin } from "@/lib/server/require_instance_admin.ts";

/** The audit log of the whole instance as a file. */
export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    requireInstanceAdmin(ctx.state);
    return await exportedAudit(services, null, ctx.url.searchParams);
  },
});
