import type { Sql } from "../../store/database.ts";
import { listRules, type StoredRule } from "../rules.ts";
import { summariesOf } from "../states.ts";
import { type Channel, listChannels } from "../channels/channels.ts";
import type { AlertListView } from "./alert_list_page.tsx";
import type { AlertRow } from "./alert_table.tsx";
import { compareSummaries, filterOf, LIST_FILTERS, type ListFilter, summaryOf } from "../summary.ts";
import { sourceWords } from "../words.ts";

const MAX_QUERY = 200;

type AlertList = Pick<AlertListView, "rows" | "counts" | "filter" | "query">;

/** Reads the alerts of a project with how they stand, narrowed by `status` and `query` of the address. */
export async function loadAlertList(
  sql: Sql,
  projectId: string,
  search: URLSearchParams,
  now: Date,
): Promise<AlertList> {
  const [rules, summaries, channels] = await Promise.all([
    listRules(sql, projectId),
    summariesOf(sql, projectId),
    listChannels(sql, projectId),
  ]);
  const all = rules.map((rule): AlertRow => ({
    rule,
    summary: summaryOf(summaries.get(rule.ruleId)),
    channels: channelsOf(rule, channels),
  }));
  const filter = LIST_FILTERS.find((each) => each === search.get("status")) ?? "all";
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const rows = all
    .filter(({ rule, summary }) => filter === "all" || filterOf(rule, summary, now) === filter)
    .filter(({ rule }) => matches(rule, query))
    .sort((a, b) => rank(a, now) - rank(b, now) || compareSummaries(a.summary, b.summary));
  return { rows, counts: countsOf(all, now), filter, query };
}

/** What nobody is told of goes below what somebody is. */
function rank({ rule, summary }: AlertRow, now: Date): number {
  const filter = filterOf(rule, summary, now);
  return filter === "off" ? 2 : filter === "muted" ? 1 : 0;
}

function countsOf(rows: readonly AlertRow[], now: Date): Record<ListFilter, number> {
  const counts = {
    all: rows.length,
    firing: 0,
    pending: 0,
    no_data: 0,
    ok: 0,
    muted: 0,
    off: 0,
  };
  for (const { rule, summary } of rows) counts[filterOf(rule, summary, now)] += 1;
  return counts;
}

function channelsOf({ channelIds }: StoredRule, channels: readonly Channel[]): Channel[] {
  return channels.filter(({ channelId }) => channelIds.includes(channelId));
}

/** Whether all words of a search stand in the name or in what is watched. */
function matches({ name, source }: StoredRule, query: string): boolean {
  const text = `${name} ${sourceWords(source)}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
