import { page } from "fresh";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTraceList, readTraceListParams } from "../../../../../lib/ui/traces/load_traces.ts";
import {
  TraceListPage,
  type TraceListView,
} from "../../../../../lib/ui/traces/trace_list_page.tsx";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { traceHref } from "../../../../../lib/ui/tracing/paths.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <TraceListPage {...data} />);

export const handler = define.handlers<TraceListView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const params = readTraceListParams(ctx.url.searchParams);
    const { traceId } = params.search;
    if (traceId !== null) return ctx.redirect(traceHref(project.id, traceId), 303);
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, ctx.url.searchParams),
    ]);
    meta.title = `Traces · ${project.name}`;
    return page({ shell, tracing, ...await loadTraceList(sql, tracing, params) });
  },
});
