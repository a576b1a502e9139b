import { complete } from "@/lib/metrics/query_form/load_query_form.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** What may stand in a field of a query: `?what=value&metric=…&label=route&prefix=/ca`. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const found = await complete(ctx.state.services.sql, project.id, ctx.url.searchParams);
    return Response.json(found, { headers: { "cache-control": "private, max-age=30" } });
  },
});
