import { loadUsageRows, usageCsv } from "@/lib/usage/load_usage.ts";
import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { auditExport } from "@/lib/store/audit.ts";
import { define } from "@/lib/server/define.ts";

/** The figures of the Usage page for a spreadsheet. */
export const handler = define.handlers({
  async GET(ctx) {
    const access = await requireOrganization(ctx, "organization:read");
    const { organization } = access;
    const { rows, month, projects } = await loadUsageRows(
      ctx.state.services,
      access,
      ctx.url.searchParams,
    );
    await auditExport(ctx.state.services.sql, "usage", `usage-${month.name}.csv`);
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    return new Response(usageCsv(rows, names), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition":
          `attachment; filename="usage-${organization.slug}-${month.name}.csv"`,
      },
    });
  },
});
