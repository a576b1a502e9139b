import { page } from "fresh";
import { loadQueryList } from "../../../../../lib/ui/queries/load_list.ts";
import {
  QueryListPage,
  type QueryListView,
} from "../../../../../lib/ui/queries/query_list_page.tsx";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <QueryListPage {...data} />);

export const handler = define.handlers<QueryListView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, searchParams),
    ]);
    meta.title = `Queries & calls · ${project.name}`;
    return page({ shell, tracing, ...await loadQueryList(sql, tracing, searchParams) });
  },
});
