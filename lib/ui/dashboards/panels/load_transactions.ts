import type { TransactionsPanel } from "@/lib/dashboards/content.ts";
import type { Sql } from "@/lib/store/database.ts";
import { readStats, readStatsOverTime } from "@/lib/store/stats/read_stats.ts";
import { NO_STATS } from "@/lib/store/stats/stats.ts";
import { selectionOf, type Tracing } from "@/lib/releases/load_tracing.ts";
import { alongInterval, stepOf } from "@/lib/store/stats/steps.ts";
import type { PanelData } from "./panel_data.ts";

/** Reads how the transactions of a panel did over the time of the page. */
export async function loadTransactions(
  sql: Sql,
  tracing: Tracing,
  { transaction }: Pick<TransactionsPanel, "transaction">,
): Promise<PanelData> {
  const { interval, now } = tracing;
  const stepMs = stepOf(interval, now);
  const selection = transaction === ""
    ? selectionOf(tracing, "total")
    : selectionOf(tracing, "transaction", { where: { name: transaction } });
  const [totals, points] = await Promise.all([
    readStats(sql, selection, []),
    readStatsOverTime(sql, selection, stepMs, ["users"]),
  ]);
  return {
    kind: "transactions",
    total: totals[0] ?? NO_STATS,
    steps: alongInterval(points, interval, stepMs, now),
  };
}
