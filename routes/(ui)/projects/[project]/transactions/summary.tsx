import { page } from "fresh";
import { sectionPath } from "../../../../../lib/ui/sections.ts";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { loadSummary, readSummaryParams } from "../../../../../lib/ui/transactions/load_summary.ts";
import { SummaryPage, type SummaryView } from "../../../../../lib/ui/transactions/summary_page.tsx";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <SummaryPage {...data} />);

export const handler = define.handlers<SummaryView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const params = readSummaryParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "transactions"));
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, ctx.url.searchParams),
    ]);
    meta.title = `${params.name} · ${project.name}`;
    return page({ shell, tracing, ...await loadSummary(sql, tracing, params) });
  },
});
