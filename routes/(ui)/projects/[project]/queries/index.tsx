import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadQueryList } from "@/lib/traces/queries/load_queries.ts";
import { QueryListPage, type QueryListView } from "@/lib/traces/queries/query_list_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <QueryListPage {...data} />);

export const handler = define.handlers<QueryListView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    meta.title = `${t("Queries & calls")} · ${project.name}`;
    return page({ shell, pageScope, ...await loadQueryList(sql, pageScope, searchParams) });
  },
});
