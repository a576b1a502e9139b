import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadOverview } from "@/lib/profiles/overview/load_overview.ts";
import { OverviewPage, type OverviewView } from "@/lib/profiles/overview/overview_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage, profilingSnippet } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <OverviewPage {...data} />);

export const handler = define.handlers<OverviewView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services, meta } = ctx.state;
    const [snippet, overview] = await Promise.all([
      profilingSnippet(ctx),
      loadOverview(services, pageScope, ctx.url.searchParams),
    ]);
    meta.title = `${t("Profiling")} · ${project.name}`;
    return page({ shell, page: ctx.url, snippet, ...overview });
  },
});
