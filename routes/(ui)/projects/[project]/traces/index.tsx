import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadTraceList, readTraceListParams } from "@/lib/traces/list/load_traces.ts";
import { TraceListPage, type TraceListView } from "@/lib/traces/list/trace_list_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";
import { traceHref } from "@/lib/ui/links.ts";

export default define.page<typeof handler>(({ data }) => <TraceListPage {...data} />);

export const handler = define.handlers<TraceListView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const params = readTraceListParams(ctx.url.searchParams);
    const { traceId } = params.search;
    if (traceId !== null) {
      return ctx.redirect(traceHref(project.id, traceId, null, pageScope.scope), 303);
    }
    meta.title = `${t("Traces")} · ${project.name}`;
    return page({ shell, pageScope, ...await loadTraceList(sql, pageScope, params) });
  },
});
