/** Whether it is this server that has lost its network, and not everything that it watches. */
import { isIP } from "node:net";
import type { Sql } from "../../store/database.ts";
import type { ProbeProblem, ProbeResult } from "../probes/probe.ts";
import type { Prober } from "../probes/prober.ts";

/** What is asked whether there is a network at all. */
export interface Reference {
  readonly host: string;
  readonly port: number;
}

/** Failures of the way to a target, and not of the target itself. */
const NETWORK_PROBLEMS: ReadonlySet<ProbeProblem> = new Set(["timeout", "dns", "connection"]);
/** Without a reference, so many sites that fail together are no chance. */
const LEAST_SITES = 3;
const REFERENCE_TIMEOUT_MS = 5_000;

/** Whether a check failed on its way. */
export function isNetworkProblem({ problem }: Pick<ProbeResult, "problem">): boolean {
  return problem !== null && NETWORK_PROBLEMS.has(problem.kind);
}

/**
 * Judges before an incident opens whether it is ours: all monitors of the instance failed on their way within a minute,
 * and the reference does so too. Without a reference, they must be of several sites.
 *
 * @param failing the monitor that fails, by its host; `since` its first failure, or since when this server is known to
 *   have no network
 */
export async function isCutOff(
  sql: Sql,
  { host, since, now, wasCutOff }: {
    readonly host: string;
    readonly since: Date;
    readonly now: Date;
    readonly wasCutOff: boolean;
  },
  reference: Reference | null,
  prober: Pick<Prober, "probe">,
  signal: AbortSignal,
): Promise<boolean> {
  const lately = await sql<{ host: string; hasSucceeded: boolean }[]>`
    select host, coalesce(succeeded_at >= ${since}, false) or not is_network_failure as "hasSucceeded"
    from uptime_monitors
    where not is_paused and checked_at >= ${since} and checked_at <= ${now}
  `;
  if (lately.some(({ hasSucceeded, host: other }) => hasSucceeded && other !== host)) return false;
  if (reference === null) {
    return wasCutOff ||
      new Set([host, ...lately.map((each) => each.host)].map(siteOf)).size >= LEAST_SITES;
  }
  const target = {
    kind: "tcp",
    family: "any",
    timeoutMs: REFERENCE_TIMEOUT_MS,
    slowMs: null,
    ...reference,
  } as const;
  const result = await prober.probe(target, { signal });
  return result.state === "down" && isNetworkProblem(result);
}

/** So many others tell enough. */
const NEIGHBOURS = 5;

/**
 * Has some monitors of other hosts checked at once, when one begins to fail on its way: by the time that it is certain,
 * they have told whether it is the only one.
 */
export async function askNeighbours(sql: Sql, host: string, now: Date): Promise<void> {
  await sql`
    update uptime_monitors set due_at = ${now}
    where (project_id, monitor_id) in (
      select project_id, monitor_id from (
        select distinct on (host) project_id, monitor_id from uptime_monitors
        where host <> ${host} and not is_paused and claimed_by is null and failures = 0
          and due_at > ${now} and checked_at < ${new Date(now.getTime() - FRESH_MS)}
      ) as others
      limit ${NEIGHBOURS}
    ) and claimed_by is null
  `;
}

/** Whoever was checked so lately need not be asked again. */
const FRESH_MS = 2_000;

/** `example.com` of `shop.example.com`: what one outage may take down together. */
function siteOf(host: string): string {
  return isIP(host) !== 0 ? host : host.split(".").slice(-2).join(".");
}
