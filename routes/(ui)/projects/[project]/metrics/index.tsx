import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadMetricList, readMetricListParams } from "@/lib/metrics/list/load_list.ts";
import { MetricListPage, type MetricListView } from "@/lib/metrics/list/metric_list_page.tsx";
import { firstMetrics } from "@/lib/projects/snippets/metrics.ts";
import { opentelemetry } from "@/lib/projects/snippets/opentelemetry.ts";
import { define } from "@/lib/server/define.ts";
import { openMetrics, serverDsn } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <MetricListPage {...data} />);

export const handler = define.handlers<MetricListView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openMetrics(ctx);
    const { services, meta } = ctx.state;
    meta.title = `${t("Metrics")} · ${project.name}`;
    const params = readMetricListParams(ctx.url.searchParams);
    const [list, dsn] = await Promise.all([
      loadMetricList(services, pageScope, params),
      serverDsn(ctx, opentelemetry),
    ]);
    return page({ shell, pageScope, firstSteps: firstMetrics(dsn), ...list });
  },
});
