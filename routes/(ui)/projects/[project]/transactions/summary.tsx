import { page } from "fresh";
import { sectionPath } from "../../../../../lib/ui/sections.ts";
import { loadSummary, readSummaryParams } from "../../../../../lib/ui/transactions/load_summary.ts";
import { SummaryPage, type SummaryView } from "../../../../../lib/ui/transactions/summary_page.tsx";
import { define } from "../../../../../lib/web/define.ts";
import { openTracing } from "../../../../../lib/web/open_tracing.ts";

export default define.page<typeof handler>(({ data }) => <SummaryPage {...data} />);

export const handler = define.handlers<SummaryView>({
  async GET(ctx) {
    const { project, shell, tracing } = await openTracing(ctx);
    const { services: { sql }, meta } = ctx.state;
    const params = readSummaryParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "transactions"));
    meta.title = `${params.name} · ${project.name}`;
    return page({ shell, tracing, ...await loadSummary(sql, tracing, params) });
  },
});
