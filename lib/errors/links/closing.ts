/**
 * Closes in trackers what was resolved here, where the connection says so. What is to be done is told by links and
 * issues themselves, so nothing that was resolved is ever forgotten, whoever resolved it; each attempt is counted before
 * it is made, and moves the next one away from the others.
 */
import { findProject } from "../../accounts/projects.ts";
import { MAX_ATTEMPTS, pauseAfter } from "../../core/back_off.ts";
import type { Logger } from "../../core/log.ts";
import { SECOND_MS } from "../../core/time.ts";
import { repeat, type Repeated } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { ofProject, projectsApart } from "../../store/sharding.ts";
import { type AskTools, TrackerFailure } from "./ask.ts";
import { findConnection } from "./connections.ts";
import { askTracker, type LinkTools } from "./link_actions.ts";
import { TRACKER_KINDS } from "./tracker_types.ts";
import { t } from "../../core/language/translate.ts";

export interface ClosingOptions extends LinkTools {
  readonly log: Logger;
  /** How often is looked for what is due, in milliseconds; null: only when `run()` is called. @default 5_000 */
  readonly pollMs?: number | null;
  readonly ask?: Omit<AskTools, "config">;
}

const POLL_MS = 5 * SECOND_MS;
/** While the database is away. */
const LONG_POLL_MS = 30 * SECOND_MS;
const LINKS_A_ROUND = 20;

interface DueLink {
  readonly projectId: string;
  readonly id: string;
  readonly connectionId: string;
  readonly key: string;
  readonly url: string;
  readonly attempts: number;
}

/** Starts the work. Any number of processes may do it: what one has taken is due for no other. */
export function startClosing(options: ClosingOptions): Repeated {
  const { log, pollMs = POLL_MS } = options;
  let isAway = false;
  return repeat(async (stopping) => {
    try {
      while (!stopping.aborted) {
        const links = await claim(options.sql);
        isAway = false;
        for (const link of links) if (!stopping.aborted) await close(options, link, stopping);
        if (links.length < LINKS_A_ROUND) return;
      }
    } catch (error) {
      if (!isAway && !stopping.aborted) log.error("cannot close issues in trackers", { error });
      isAway = true;
    }
  }, () => pollMs === null ? null : isAway ? LONG_POLL_MS : pollMs);
}

/** Takes what is due, with an attempt counted. A later resolution of the same issue begins anew. */
async function claim(sql: Sql): Promise<DueLink[]> {
  const due: DueLink[] = [];
  const isClosing = sql`closes_since is not null`;
  for (const projectId of await projectsApart(sql, "tracker_connections", isClosing)) {
    due.push(...await claimOf(sql, projectId));
    if (due.length >= LINKS_A_ROUND) break;
  }
  return due;
}

async function claimOf(sql: Sql, projectId: string | null): Promise<DueLink[]> {
  const pauses = Array.from({ length: MAX_ATTEMPTS }, (_, made) => pauseAfter(made + 1, null) ?? 0);
  const made = sql`
    case when link.closes_for = issue.status_changed_at then link.attempts else 0 end
  `;
  // The time is added up in the selection: Citus takes no such sum of columns as a value of an update.
  return await sql<DueLink[]>`
    with due as (
      select link.project_id, link.id, issue.status_changed_at, ${made} as made,
        now() + (${pauses}::float8[])[${made} + 1] * interval '1 ms' as again_at
      from tracker_connections as tracker
        join issue_links as link on link.project_id = tracker.project_id
          and link.connection_id = tracker.connection_id and link.state <> 'closed'
        join issues as own on own.project_id = link.project_id and own.id = link.issue_id
        join issues as issue on issue.project_id = own.project_id
          and issue.id = coalesce(own.merged_into, own.id)
      where tracker.closes_since is not null and issue.status = 'resolved'
        and issue.status_changed_at > greatest(tracker.closes_since, link.created_at)
        and (
          link.closes_for is distinct from issue.status_changed_at
          or (link.attempts < ${MAX_ATTEMPTS} and link.due_at <= now())
        )
        ${ofProject(sql, projectId, "tracker")}
      order by link.due_at
      limit ${LINKS_A_ROUND}
      for update of link skip locked
    )
    update issue_links as link set
      closes_for = due.status_changed_at, attempts = due.made + 1, due_at = due.again_at
    from due
    where link.project_id = due.project_id and link.id = due.id ${ofProject(sql, projectId, "link")}
    returning link.project_id::text as "projectId", link.id::text as id,
      link.connection_id as "connectionId", link.key, link.url, link.attempts
  `;
}

async function close(options: ClosingOptions, link: DueLink, stopping: AbortSignal): Promise<void> {
  const { sql, kv, log } = options;
  const { projectId } = link;
  const connection = await findConnection(sql, projectId, link.connectionId);
  if (connection === null || await findProject(kv, projectId) === null) return;
  const ref = TRACKER_KINDS[connection.type].refOf(connection.settings, link.url);
  try {
    if (ref === null) {
      throw new TrackerFailure(t("The link leads to another project now."), null, false);
    }
    const tools = { ...options, ask: { ...options.ask, signal: stopping } };
    await askTracker(tools, connection, (api, ask, settings) => api.close(ask, settings, ref));
    await sql`
      update issue_links set state = 'closed', close_error = ''
      where project_id = ${projectId} and id = ${link.id}
    `;
  } catch (error) {
    if (stopping.aborted) return;
    if (!(error instanceof TrackerFailure)) throw error;
    const isLast = !error.mayPass || link.attempts >= MAX_ATTEMPTS;
    if (isLast) {
      log.warn("gave up on closing an issue in a tracker", { project: projectId, link: link.id });
    }
    await sql`
      update issue_links set close_error = ${error.message},
        attempts = case when ${isLast} then ${MAX_ATTEMPTS} else attempts end
      where project_id = ${projectId} and id = ${link.id}
    `;
  }
}
