import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { ExplorePage, type ExploreView } from "@/lib/metrics/explore/explore_page.tsx";
import { loadExplore } from "@/lib/metrics/explore/load_explore.ts";
import { exploreHref } from "@/lib/metrics/exploration.ts";
import { loadQueryForm } from "@/lib/metrics/query_form/load_query_form.ts";
import { firstMetrics } from "@/lib/projects/snippets/metrics.ts";
import { opentelemetry } from "@/lib/projects/snippets/opentelemetry.ts";
import { define } from "@/lib/server/define.ts";
import { openMetrics, serverDsn } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <ExplorePage {...data} />);

export const handler = define.handlers<ExploreView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openMetrics(ctx);
    const { services, meta } = ctx.state;
    const params = ctx.url.searchParams;
    const form = await loadQueryForm(services.sql, project.id, params);
    // The form's own address is full of empty fields: nobody wants to share that.
    if (params.has("form") && !params.has("add") && form.problems.length === 0) {
      return ctx.redirect(exploreHref(project.id, form, pageScope.scope), 303);
    }
    meta.title = `${t("Explore metrics")} · ${project.name}`;
    const [explored, firstSteps] = await Promise.all([
      loadExplore(services, pageScope, form),
      form.queries.length > 0 ? [] : serverDsn(ctx, opentelemetry).then(firstMetrics),
    ]);
    return page({ shell, baseUrl: services.config.baseUrl, firstSteps, ...explored });
  },
});
