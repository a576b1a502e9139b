import { page } from "fresh";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { loadVitals } from "../../../../../lib/ui/vitals/load_vitals.ts";
import { VitalsPage, type VitalsView } from "../../../../../lib/ui/vitals/vitals_page.tsx";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <VitalsPage {...data} />);

export const handler = define.handlers<VitalsView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, searchParams),
    ]);
    meta.title = `Web Vitals · ${project.name}`;
    return page({ shell, tracing, ...await loadVitals(sql, tracing, searchParams) });
  },
});
