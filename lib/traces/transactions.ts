import type { ProjectAccess } from "../accounts/authorize.ts";
import { readStats } from "../store/stats/read_stats.ts";
import { selectionOf } from "../releases/load_tracing.ts";
import { rowsOf, type TransactionRow } from "./transactions/load_transactions.ts";
import type { ApiContext } from "../api/api.ts";
import { listReply } from "../api/api_page.ts";
import { rounded } from "../api/figures.ts";
import { readText, readTracing } from "../releases/read_tracing.ts";
import { sortedPage, type SortFields } from "../api/sorted_page.ts";

type TransactionJson = ReturnType<typeof transactionJson>;

const SORTS: SortFields<TransactionJson> = {
  name: ({ name }) => name,
  count: ({ count }) => count,
  tpm: ({ tpm }) => tpm,
  p50: ({ p50 }) => p50,
  p75: ({ p75 }) => p75,
  p95: ({ p95 }) => p95,
  p99: ({ p99 }) => p99,
  failureRate: ({ failureRate }) => failureRate,
  users: ({ users }) => users,
  totalTime: ({ totalTime }) => totalTime,
};

/** The transactions of a project by name and operation; `query` is part of the name, `op` the whole operation. */
export async function transactionListReply(
  ctx: ApiContext,
  access: ProjectAccess,
): Promise<Response> {
  const tracing = readTracing(ctx, access);
  const { searchParams } = ctx.url;
  const query = readText(searchParams, "query");
  const op = readText(searchParams, "op");
  const groups = await readStats(
    ctx.state.services.sql,
    selectionOf(tracing, "transaction", query === "" ? {} : { nameLike: query }),
    ["name", "op"],
  );
  const wanted = op === "" ? groups : groups.filter((group) => group.op === op);
  const rows = rowsOf(wanted, groups, tracing).map(transactionJson);
  const page = sortedPage(rows, searchParams, SORTS, "-totalTime");
  return listReply(ctx, page.rows, page);
}

function transactionJson(row: TransactionRow) {
  return {
    name: row.name,
    op: row.op,
    count: row.count,
    tpm: row.perMinute,
    p50: rounded(row.p50),
    p75: rounded(row.p75),
    p95: rounded(row.p95),
    p99: rounded(row.p99),
    failureRate: row.failureRate,
    users: row.users,
    totalTime: rounded(row.totalMs),
    share: row.share,
  };
}
