import { page } from "fresh";
import {
  EndpointDetailPage,
  type EndpointDetailView,
} from "../../../../../lib/ui/endpoints/detail_page.tsx";
import {
  loadEndpointDetail,
  readEndpointParams,
} from "../../../../../lib/ui/endpoints/load_detail.ts";
import { sectionPath } from "../../../../../lib/ui/sections.ts";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <EndpointDetailPage {...data} />);

export const handler = define.handlers<EndpointDetailView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const params = readEndpointParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "endpoints"));
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, ctx.url.searchParams),
    ]);
    meta.title = `${params.key} · ${project.name}`;
    return page({ shell, tracing, ...await loadEndpointDetail(sql, tracing, params) });
  },
});
