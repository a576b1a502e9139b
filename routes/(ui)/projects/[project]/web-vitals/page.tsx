import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { sectionPath } from "@/lib/ui/links.ts";
import { loadPageVitals, readPageVitalsParams } from "@/lib/traces/vitals/load_page_vitals.ts";
import { PageVitalsPage, type PageVitalsView } from "@/lib/traces/vitals/page_vitals_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <PageVitalsPage {...data} />);

export const handler = define.handlers<PageVitalsView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const params = readPageVitalsParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "web-vitals"));
    meta.title = `${params.name} · ${t("Web Vitals")} · ${project.name}`;
    return page({ shell, pageScope, ...await loadPageVitals(sql, pageScope, params) });
  },
});
