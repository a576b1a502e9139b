import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { countLogs, countSoon, listLogs } from "@/lib/logs/queries.ts";
import { nullIfSlow } from "@/lib/store/query_limits.ts";
import { PAGE_SIZE } from "@/lib/errors/issue_list.ts";
import { LogListPage, type LogListView, parseLogParams } from "@/lib/logs/list_page.tsx";
import { bucketSecondsFor, intervalOf, parseScope } from "@/lib/ui/scope.ts";
import { loadFrame } from "@/lib/server/shell.tsx";
import { deployMarkers } from "@/lib/releases/mod.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { SERVER, serverDsn } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <LogListPage {...data} />);

export const handler = define.handlers<LogListView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const scope = parseScope(searchParams);
    const params = parseLogParams(searchParams);
    const interval = intervalOf(scope, new Date());
    const bucketSec = bucketSecondsFor(interval);
    const { environments, releases } = scope;
    const selection = { projectId: project.id, ...interval, environments, releases, ...params };
    const cursor = searchParams.get("cursor");
    const [frame, dsn, logs, counts, markers] = await Promise.all([
      loadFrame(ctx, project),
      serverDsn(ctx, SERVER),
      nullIfSlow(listLogs(sql, { ...selection, cursor, limit: PAGE_SIZE })),
      nullIfSlow(
        searchParams.get("count") === "all"
          ? countLogs(sql, selection, bucketSec)
          : countSoon(sql, selection, bucketSec),
      ),
      deployMarkers(sql, project.id, interval, scope),
    ]);
    meta.title = `${t("Logs")} · ${project.name}`;
    return page({ ...frame, dsn, interval, params, logs, bucketSec, counts, markers });
  },
});
