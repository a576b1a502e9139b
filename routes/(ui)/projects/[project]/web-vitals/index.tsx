import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadVitals } from "@/lib/traces/vitals/load_vitals.ts";
import { VitalsPage, type VitalsView } from "@/lib/traces/vitals/vitals_page.tsx";
import { define } from "@/lib/server/define.ts";
import { BROWSER, openPage, serverDsn } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <VitalsPage {...data} />);

export const handler = define.handlers<VitalsView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    meta.title = `${t("Web Vitals")} · ${project.name}`;
    const [dsn, vitals] = await Promise.all([
      serverDsn(ctx, BROWSER),
      loadVitals(sql, pageScope, searchParams),
    ]);
    return page({ shell, pageScope, dsn, ...vitals });
  },
});
