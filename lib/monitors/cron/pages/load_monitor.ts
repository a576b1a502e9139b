import { openSigner } from "@/lib/accounts/secrets.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import type { Backend } from "@/lib/store/stores.ts";
import type { Monitor } from "../monitors.ts";
import { pingToken } from "../ping.ts";
import { listErrors } from "../processing_errors.ts";
import { type Bar, errorsOfRuns, listIncidents, listRuns, logOfRun, timelines } from "../runs.ts";
import type { CronView } from "./monitor_page.tsx";

const RUNS_A_PAGE = 50;
const INCIDENTS = 20;

type Loaded = Pick<
  CronView,
  | "monitor"
  | "runs"
  | "errorsByTrace"
  | "incidents"
  | "errors"
  | "bars"
  | "environment"
  | "log"
  | "pingUrl"
>;

/**
 * Reads what the page of a monitor shows.
 *
 * @param maySeePing whether whoever asks may know the address for pings
 */
export async function loadMonitor(
  { sql, kv, config }: Backend,
  monitor: Monitor,
  search: URLSearchParams,
  maySeePing: boolean,
  now: Date = new Date(),
): Promise<Loaded> {
  const { projectId, slug, environments } = monitor;
  const since = new Date(now.getTime() - config.retentionDays * DAY_MS);
  const chosen = environments.find(({ environment }) => environment === search.get("environment"))
    ?.environment;
  const [runs, incidents, errors, bars, log] = await Promise.all([
    listRuns(sql, {
      projectId,
      slug,
      environments: chosen === undefined ? [] : [chosen],
      since,
      cursor: search.get("cursor"),
      limit: RUNS_A_PAGE,
    }),
    listIncidents(sql, projectId, slug, since, INCIDENTS),
    listErrors(sql, projectId, slug, now),
    timelines(sql, environments.map(({ environment }) => ({ projectId, slug, environment })), now),
    logOfRun(sql, projectId, slug, search.get("run") ?? ""),
  ]);
  return {
    monitor,
    runs,
    incidents,
    errors,
    bars: new Map([...bars].map(([key, each]): [string, Bar[]] => [
      key.slice(`${projectId}/${slug}/`.length),
      each,
    ])),
    environment: chosen ?? "",
    log,
    errorsByTrace: await errorsOfRuns(sql, projectId, slug, runs.rows),
    pingUrl: maySeePing
      ? `${config.baseUrl}/ping/${await pingToken(await openSigner(kv, config), {
        projectId,
        slug,
        nonce: monitor.pingNonce,
      })}`
      : null,
  };
}
