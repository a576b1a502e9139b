import { page } from "fresh";
import { ComparePage, type CompareView } from "@/lib/releases/pages/compare_page.tsx";
import { loadComparison } from "@/lib/releases/pages/load_compare.ts";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";
import { issueSlot, quoted } from "@/lib/server/release_issues.tsx";
import { visible } from "@/lib/ui/json.ts";
import { t } from "@/lib/core/language/translate.ts";

/** Two releases beside each other, named by `base` and `version`. */
export default define.page<typeof handler>(({ data }) => <ComparePage {...data} />);

export const handler = define.handlers<CompareView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    meta.title = `${t("Compare releases")} · ${project.name}`;
    const compared = await loadComparison(sql, pageScope, ctx.url.searchParams);
    const { base, version, figures } = compared;
    const pairs = figures === null ? [] : [[version, base], [base, version]] as const;
    const issues = await Promise.all(pairs.map(([only, other], place) =>
      issueSlot(sql, pageScope, {
        id: `only-${place}`,
        title: t("Issues only in {release}", { release: visible(only) }),
        query: `release:${quoted(only)} !release:${quoted(other)}`,
        release: only,
        none: t("No issue is only in {release}", { release: visible(only) }),
      })
    ));
    return page({ shell, pageScope, ...compared, issues });
  },
});
