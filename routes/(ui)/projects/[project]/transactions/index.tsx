import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadTransactionList } from "@/lib/traces/transactions/load_transactions.ts";
import {
  TransactionListPage,
  type TransactionListView,
} from "@/lib/traces/transactions/transaction_list_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <TransactionListPage {...data} />);

export const handler = define.handlers<TransactionListView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    meta.title = `${t("Transactions")} · ${project.name}`;
    return page({ shell, pageScope, ...await loadTransactionList(sql, pageScope, searchParams) });
  },
});
