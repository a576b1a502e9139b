import type { ErrorsPanel } from "./content.ts";
import type { Sql } from "../store/database.ts";
import { errorCounts } from "../errors/error_counts.ts";
import { parseIssueSearch } from "../errors/issue_search.ts";
import { bucketSecondsFor } from "../ui/chart_buckets.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import type { PanelData } from "./panels/panel_data.ts";

const HOUR_SEC = 3_600;
/** Of longer times, tallies by the hour are read instead of every event. */
const EXACT_RANGE_MS = 6 * HOUR_SEC * 1000;

/** Counts the errors of a panel over the time of the page. @throws {QueryTooSlow} */
export async function loadErrors(
  sql: Sql,
  { project, scope, interval, now }: Tracing,
  { search }: Pick<ErrorsPanel, "search">,
  timeoutMs: number,
): Promise<PanelData> {
  const isLong = interval.end.getTime() - interval.start.getTime() > EXACT_RANGE_MS;
  const bucketSec = Math.max(bucketSecondsFor(interval), isLong ? HOUR_SEC : 0);
  const { filter, statuses, problems } = parseIssueSearch(search, now);
  const { start, counts } = await errorCounts(sql, {
    projectId: project.id,
    environments: scope.environments,
    releases: scope.releases,
    ...interval,
    bucketSec,
    filter: search.trim() === "" ? null : filter,
    statuses,
  }, timeoutMs);
  const bucketMs = bucketSec * 1000;
  return {
    kind: "errors",
    times: counts.map((_, place) => start.getTime() + place * bucketMs),
    bucketMs,
    counts,
    problems: problems.map(({ part, reason }) => `${part}: ${reason}.`),
  };
}
