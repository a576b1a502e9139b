import { page } from "fresh";
import { loadPerformance } from "../../../../../lib/ui/performance/load_performance.ts";
import {
  PerformancePage,
  type PerformanceView,
} from "../../../../../lib/ui/performance/performance_page.tsx";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <PerformancePage {...data} />);

export const handler = define.handlers<PerformanceView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, ctx.url.searchParams),
    ]);
    meta.title = `Performance · ${project.name}`;
    return page({ shell, tracing, ...await loadPerformance(sql, tracing) });
  },
});
