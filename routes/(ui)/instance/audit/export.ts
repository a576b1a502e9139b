import { exportedAudit } from "@/lib/audit/exported.ts";
import { whileHeld } from "@/lib/core/held_right.ts";
import { define } from "@/lib/server/define.ts";
import { rightToPage } from "@/lib/server/held_right.ts";
import { requireInstanceAdmin } from "@/lib/server/require_instance_admin.ts";

/** The audit log of the whole instance as a file. */
export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    requireInstanceAdmin(ctx.state);
    const file = await exportedAudit(services, null, ctx.url.searchParams);
    const right = rightToPage(
      ctx,
      ({ state }) => Promise.resolve(state).then(requireInstanceAdmin),
    );
    return whileHeld(file, right);
  },
});
