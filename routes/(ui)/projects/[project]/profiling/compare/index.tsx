import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { ComparePage, type ComparePageView } from "@/lib/profiles/compare/compare_page.tsx";
import { loadCompare } from "@/lib/profiles/compare/load_compare.ts";
import { define } from "@/lib/server/define.ts";
import { openPage, profilingSnippet } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <ComparePage {...data} />);

export const handler = define.handlers<ComparePageView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services, meta } = ctx.state;
    const [snippet, comparison] = await Promise.all([
      profilingSnippet(ctx),
      loadCompare(services, pageScope, ctx.url.searchParams),
    ]);
    meta.title = `${t("Compare profiles")} · ${project.name}`;
    return page({ shell, page: ctx.url, snippet, ...comparison });
  },
});
