import { page } from "fresh";
import { QueryDetailPage, type QueryDetailView } from "@/lib/traces/queries/query_page.tsx";
import { loadQueryDetail, readQueryParams } from "@/lib/traces/queries/load_query.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <QueryDetailPage {...data} />);

/** Of a group in the title of the window. */
const MAX_TITLE = 80;

export const handler = define.handlers<QueryDetailView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const params = readQueryParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "queries"));
    meta.title = `${params.group.slice(0, MAX_TITLE).toWellFormed()} · ${project.name}`;
    return page({ shell, pageScope, ...await loadQueryDetail(sql, pageScope, params) });
  },
});
