import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { exportedAudit } from "@/lib/audit/exported.ts";
import { whileHeld } from "@/lib/core/held_right.ts";
import { rightToPage } from "@/lib/server/held_right.ts";
import { define } from "@/lib/server/define.ts";

/** The audit log of an organization as a file. */
export const handler = define.handlers({
  async GET(ctx) {
    const { organization } = await requireOrganization(ctx, "audit:read");
    const file = await exportedAudit(ctx.state.services, organization, ctx.url.searchParams);
    return whileHeld(file, rightToPage(ctx, (again) => requireOrganization(again, "audit:read")));
  },
});
