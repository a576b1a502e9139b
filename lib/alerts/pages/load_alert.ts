import type { Project } from "../../accounts/projects.ts";
import type { Services } from "../../server/services.ts";
import { historyBetween, historyOf } from "../history.ts";
import type { StoredRule } from "../rules.ts";
import { statesOf } from "../states.ts";
import { listChannels } from "../channels/channels.ts";
import { intervalOf, parseScope, type Scope } from "../../ui/scope.ts";
import type { AlertView } from "./alert_page.tsx";
import { bandsOf, spansOf } from "./firing_bands.ts";
import { rangeFor } from "./ranges.ts";
import { summaryOfStates } from "../summary.ts";
import { chartedValues, tryPreview, untilNow } from "./try_preview.ts";

const HISTORY_ROWS = 50;

type LoadedAlert = Omit<AlertView, "shell" | "project" | "mayWrite" | "deleteError">;

/** What the page of an alert shows: its states, its values over the time that the address names, its history. */
export async function loadAlert(
  services: Pick<Services, "sql" | "log">,
  project: Project,
  rule: StoredRule,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<LoadedAlert> {
  const { sql } = services;
  const { ruleId } = rule;
  const scope = scopeOf(search, rule);
  const interval = intervalOf(scope, now);
  const [states, history, within, channels, tried] = await Promise.all([
    statesOf(sql, project.id, ruleId),
    historyOf(sql, project.id, ruleId, { cursor: search.get("cursor"), limit: HISTORY_ROWS }),
    historyBetween(sql, project.id, ruleId, interval),
    listChannels(sql, project.id),
    tryPreview(services, project, rule, interval),
  ]);
  return {
    rule,
    now,
    scope,
    states,
    summary: summaryOfStates(states),
    history,
    channels: channels.filter(({ channelId }) => rule.channelIds.includes(channelId)),
    chart: tried.ok
      ? {
        charted: untilNow(chartedValues(tried.preview), states, now),
        bands: bandsOf(spansOf(within, states, { start: interval.start, end: now })),
      }
      : tried.reason,
  };
}

/** Of the address, where the usual time is that which suits the window. */
function scopeOf(search: URLSearchParams, { windowMinutes }: StoredRule): Scope {
  const isChosen = search.has("range") || search.has("start");
  const scope = parseScope(search);
  return isChosen ? scope : { ...scope, range: rangeFor(windowMinutes) };
}
