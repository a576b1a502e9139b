import { page } from "fresh";
import { loadShell } from "../../../../../lib/ui/shell.ts";
import { loadTracing } from "../../../../../lib/ui/tracing/load_tracing.ts";
import { loadTransactionList } from "../../../../../lib/ui/transactions/load_list.ts";
import {
  TransactionListPage,
  type TransactionListView,
} from "../../../../../lib/ui/transactions/transaction_list_page.tsx";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

export default define.page<typeof handler>(({ data }) => <TransactionListPage {...data} />);

export const handler = define.handlers<TransactionListView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const [shell, tracing] = await Promise.all([
      loadShell(ctx, project),
      loadTracing(sql, project, searchParams),
    ]);
    meta.title = `Transactions · ${project.name}`;
    return page({ shell, tracing, ...await loadTransactionList(sql, tracing, searchParams) });
  },
});
