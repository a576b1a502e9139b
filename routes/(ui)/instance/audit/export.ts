import { authorize } from "@/lib/accounts/authorize.ts";
import { exportedAudit } from "@/lib/audit/exported.ts";
import { define } from "@/lib/server/define.ts";

/** The audit log of the whole instance as a file. */
export const handler = define.handlers({
  async GET(ctx) {
    const { services, actor } = ctx.state;
    await authorize(services.kv, actor, { instance: true }, "instance:admin");
    return await exportedAudit(services, null, ctx.url.searchParams);
  },
});
