/** Keeps status pages current: looks into Postgres each minute, and at once when a monitor's state has changed. */
import { KV_LIMIT_MS, takeLease } from "../../accounts/kv.ts";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { repeat, type Repeated, withTimeLimit } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { refreshSnapshot } from "./snapshot.ts";
import { listPages, type StatusPage } from "./status_page.ts";
import { tellSubscribers } from "./tell_subscribers.ts";

export interface StatusPagesOptions {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Config;
  readonly log: Logger;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** How often is looked for what is new, in milliseconds; null: only when `run()` is called. @default 10_000 */
  readonly pollMs?: number | null;
}

const POLL_MS = 10 * SECOND_MS;
const REFRESH_MS = MINUTE_MS;
/** Many pages on a slow database take some seconds. */
const REFRESH_LIMIT_MS = 15 * SECOND_MS;
const WORK = "status pages";
/** Outlasts the pause between two looks. */
const LEASE_MS = 45 * SECOND_MS;

/** Starts the work; any number of processes may, one of them does it. */
export function startStatusPages(options: StatusPagesOptions): Repeated {
  const { kv, sql, config, log, now = () => new Date(), pollMs = POLL_MS } = options;
  const holder = crypto.randomUUID();
  /** What was seen of the monitors of an organization, and when. */
  const seen = new Map<string, { readonly states: string; readonly at: number }>();
  let isAway = false;
  let refreshing: Promise<void> | null = null;

  async function refreshAll(stopping: AbortSignal): Promise<void> {
    const pages = await withTimeLimit(listPages(kv), KV_LIMIT_MS);
    if (pages.length === 0 || !await takeLease(kv, WORK, holder, LEASE_MS)) return;
    for (const page of pages) {
      if (stopping.aborted) return;
      await refresh(page);
    }
  }

  async function refresh(page: StatusPage): Promise<void> {
    const at = now();
    const states = await statesOf(sql, page);
    const last = seen.get(page.organizationId);
    if (last?.states === states && at.getTime() - last.at < REFRESH_MS) return;
    await refreshSnapshot({ kv, sql }, page, at);
    seen.set(page.organizationId, { states, at: at.getTime() });
  }

  /** Queries may hang while Postgres goes away; mails that tell of it must not wait for them. */
  function refreshInTime(stopping: AbortSignal): Promise<void> {
    refreshing ??= refreshAll(stopping).finally(() => refreshing = null);
    return withTimeLimit(refreshing, REFRESH_LIMIT_MS);
  }

  async function work(stopping: AbortSignal): Promise<void> {
    try {
      await refreshInTime(stopping);
      isAway = false;
    } catch (error) {
      // The pages go on with the last state; whoever reads the log is told once.
      if (!isAway) log.warn("cannot read the state for status pages", { error });
      isAway = true;
    }
    try {
      await tellSubscribers({ kv, config, log, holder, stopping }, now());
    } catch (error) {
      log.error("cannot tell subscribers of status pages", { error });
    }
  }

  return repeat(work, () => pollMs);
}

/** How all monitors stand that a page may show, as a text to be compared. */
async function statesOf(sql: Sql, { entries }: StatusPage): Promise<string> {
  const projectIds = [...new Set(entries.map(({ projectId }) => projectId))];
  if (projectIds.length === 0) return "";
  const rows = await sql<{ id: string; state: string }[]>`
    select monitor_id::text as id, concat(state, is_paused, is_cut_off) as state
    from uptime_monitors where project_id = any (${projectIds}::bigint[])
    union all
    select concat_ws('/', project_id, slug, environment), concat(status, is_muted)
    from monitor_environments where project_id = any (${projectIds}::bigint[])
    order by 1
  `;
  return JSON.stringify([entries.length, ...rows.map(({ id, state }) => [id, state])]);
}
