import { page } from "fresh";
import { sectionPath } from "../../../../../lib/ui/sections.ts";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import {
  loadPageVitals,
  readPageVitalsParams,
} from "../../../../../lib/ui/vitals/load_page_vitals.ts";
import {
  PageVitalsPage,
  type PageVitalsView,
} from "../../../../../lib/ui/vitals/page_vitals_page.tsx";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <PageVitalsPage {...data} />);

export const handler = define.handlers<PageVitalsView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const params = readPageVitalsParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "web-vitals"));
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, ctx.url.searchParams),
    ]);
    meta.title = `${params.name} · Web Vitals · ${project.name}`;
    return page({ shell, tracing, ...await loadPageVitals(sql, tracing, params) });
  },
});
