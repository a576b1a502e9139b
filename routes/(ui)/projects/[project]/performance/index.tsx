import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadPerformance } from "@/lib/traces/performance/load_performance.ts";
import {
  PerformancePage,
  type PerformanceView,
} from "@/lib/traces/performance/performance_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <PerformancePage {...data} />);

export const handler = define.handlers<PerformanceView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    meta.title = `${t("Performance")} · ${project.name}`;
    return page({ shell, pageScope, ...await loadPerformance(sql, pageScope) });
  },
});
