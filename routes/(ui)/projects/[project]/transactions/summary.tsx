import { page } from "fresh";
import { loadTransactionCode } from "@/lib/profiles/transaction_code.tsx";
import { PAGE_WAIT_MS } from "@/lib/profiles/selection.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { loadSummary, readSummaryParams } from "@/lib/traces/transactions/load_summary.ts";
import { SummaryPage, type SummaryView } from "@/lib/traces/transactions/summary_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <SummaryPage {...data} />);

export const handler = define.handlers<SummaryView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services, meta } = ctx.state;
    const params = readSummaryParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "transactions"));
    meta.title = `${params.name} · ${project.name}`;
    const limitMs = ctx.url.searchParams.has("wait") ? Infinity : PAGE_WAIT_MS;
    const [summary, code] = await Promise.all([
      loadSummary(services.sql, pageScope, params),
      loadTransactionCode(services, project.id, pageScope.scope, params.name, limitMs),
    ]);
    return page({ shell, pageScope, ...summary, code, url: ctx.url });
  },
});
