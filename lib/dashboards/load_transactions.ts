import type { TransactionsPanel } from "./content.ts";
import type { Sql } from "../store/database.ts";
import { readStats, readStatsOverTime } from "../store/stats/read_stats.ts";
import { NO_STATS } from "../store/stats/stats.ts";
import { selectionOf, type Tracing } from "../releases/load_tracing.ts";
import { alongInterval, stepOf } from "../store/stats/steps.ts";
import type { PanelData } from "./panels/panel_data.ts";

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
