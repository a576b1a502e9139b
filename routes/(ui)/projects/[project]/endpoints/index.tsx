import { page } from "fresh";
import {
  EndpointListPage,
  type EndpointListView,
} from "../../../../../lib/ui/endpoints/endpoint_list_page.tsx";
import { loadEndpointList } from "../../../../../lib/ui/endpoints/load_list.ts";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <EndpointListPage {...data} />);

export const handler = define.handlers<EndpointListView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, searchParams),
    ]);
    meta.title = `Endpoints · ${project.name}`;
    return page({ shell, tracing, ...await loadEndpointList(sql, tracing, searchParams) });
  },
});
