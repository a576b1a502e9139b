import { requireProject } from "@/lib/accounts/authorize.ts";
import { parseLogParams } from "@/lib/logs/list_page.tsx";
import { countLogs } from "@/lib/logs/queries.ts";
import { define } from "@/lib/server/define.ts";
import { nullIfSlow } from "@/lib/store/query_limits.ts";
import { bucketSecondsFor, intervalOf, parseScope } from "@/lib/ui/scope.ts";

/** How many logs match, as the chart of the page shows it; null: counting took too long. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { searchParams } = ctx.url;
    const scope = parseScope(searchParams);
    const { environments, releases } = scope;
    const interval = intervalOf(scope, new Date());
    const selection = {
      ...{ projectId: project.id, environments, releases },
      ...interval,
      ...parseLogParams(searchParams),
    };
    const counted = await nullIfSlow(
      countLogs(ctx.state.services.sql, selection, bucketSecondsFor(interval)),
    );
    const answer = counted === null
      ? null
      : { ...counted, byLevel: Object.fromEntries(counted.byLevel) };
    return Response.json(answer, { headers: { "cache-control": "private, no-store" } });
  },
});
