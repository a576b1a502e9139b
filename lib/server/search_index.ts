/** The clock that makes segments of logs and transactions, by which searches find where in time to look. */
import { startLeased } from "../accounts/leased_clock.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { Repeated } from "../core/waiting.ts";
import { INDEXED_LOGS } from "../logs/mod.ts";
import { buildSegments, type Indexed } from "../store/search_index/build_segments.ts";
import { projectsIn } from "../store/sharding.ts";
import type { Backend } from "../store/stores.ts";
import { INDEXED_TRANSACTIONS } from "../traces/mod.ts";

const INTERVAL_MS = 5 * MINUTE_MS;
const LEASE_MS = 15 * MINUTE_MS;

/** Makes what is missing every five minutes, each project after the other. */
export function startSearchIndex(
  { kv, sql, log }: Pick<Backend, "kv" | "sql" | "log">,
): Repeated {
  async function work(stopping: AbortSignal): Promise<void> {
    await buildAll(INDEXED_LOGS, stopping);
    await buildAll(INDEXED_TRANSACTIONS, stopping);
  }

  async function buildAll<Row>(indexed: Indexed<Row>, stopping: AbortSignal): Promise<void> {
    for (const projectId of await projectsIn(sql, indexed.table)) {
      if (stopping.aborted) return;
      await buildSegments(sql, indexed, projectId, { now: new Date(), stopping });
    }
  }

  return startLeased({ kv, log }, {
    name: "search_index",
    everyMs: INTERVAL_MS,
    leaseMs: LEASE_MS,
    failure: "cannot make lists for searches",
    work,
  });
}
