/** Finds the owners of issues that have come or come again: soon after their events are stored, and not while they are. */
import { startLeased } from "../../accounts/leased_clock.ts";
import { findProject } from "../../accounts/projects.ts";
import type { Logger } from "../../core/log.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { Repeated } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { dayOf } from "../../store/query_limits.ts";
import { settleOwners, type UnownedIssue } from "./find_owners.ts";
import { RulesCache } from "./load_rules.ts";

export interface OwnershipServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
}

const EVERY_MS = 5 * SECOND_MS;
/** Outlasts the pause between two looks. */
const LEASE_MS = MINUTE_MS;
/** New issues are found by their ids; those that happen again are looked for less often. */
const AGAIN_EVERY_MS = MINUTE_MS;
/** An issue is judged once in so long, unless its rules change. */
const JUDGED_FOR_MS = DAY_MS;
/** Of one project, so that all have their turn. */
const ISSUES_A_ROUND = 200;

export function startOwnership(services: OwnershipServices): Repeated {
  const rounds = new OwnershipRounds(services);
  return startLeased(services, {
    name: "ownership",
    everyMs: EVERY_MS,
    leaseMs: LEASE_MS,
    failure: "cannot find the owners of issues",
    async work(stopping) {
      await rounds.run(new Date(), stopping);
    },
  });
}

interface Owned {
  readonly projectId: string;
  /** When its rules were last changed. */
  readonly changedAt: Date;
}

/** What is remembered from one look to the next; whoever takes over begins with a look at all. */
export class OwnershipRounds {
  readonly #cache: RulesCache;
  /** The newest issue that was seen, by project. */
  readonly #newest = new Map<string, string>();
  #projects: readonly Owned[] = [];
  #lookedAt = -Infinity;

  constructor(readonly services: OwnershipServices) {
    this.#cache = new RulesCache(services);
  }

  /** Finds the owners of all issues that are due. @returns of how many */
  async run(now: Date, stopping: AbortSignal): Promise<number> {
    const looksAtAll = performance.now() - this.#lookedAt >= AGAIN_EVERY_MS;
    this.#projects = await this.#ownedProjects(looksAtAll);
    let count = 0;
    for (const owned of this.#projects) {
      if (stopping.aborted) return count;
      const known = this.#newest.get(owned.projectId);
      const newest = await newestIssue(this.services.sql, owned.projectId);
      if (looksAtAll || known === undefined) {
        count += await this.#settle(owned, await issuesAgain(this.services.sql, owned, now), now);
      } else if (newest !== known) {
        count += await this.#settle(
          owned,
          await issuesAfter(this.services.sql, owned, known, newest, now),
          now,
        );
      }
      this.#newest.set(owned.projectId, newest);
    }
    if (looksAtAll) this.#lookedAt = performance.now();
    return count;
  }

  /** Those with rules, and now and then those with commits. */
  async #ownedProjects(looksAtAll: boolean): Promise<Owned[]> {
    const { sql } = this.services;
    const withRules = await sql<Owned[]>`
      select project_id::text as "projectId", max(updated_at) as "changedAt" from (
        select project_id, updated_at from ownership_rules
        union all select project_id, updated_at from codeowners
      ) as changed
      group by project_id order by project_id
    `;
    const named = new Set(withRules.map(({ projectId }) => projectId));
    const others = looksAtAll
      ? await sql<Owned[]>`
        select distinct project_id::text as "projectId", to_timestamp(0) as "changedAt"
        from releases where commit_count > 0
      `
      : this.#projects;
    return [...withRules, ...others.filter(({ projectId }) => !named.has(projectId))];
  }

  async #settle(
    { projectId }: Owned,
    issues: readonly UnownedIssue[],
    now: Date,
  ): Promise<number> {
    if (issues.length === 0) return 0;
    const { kv, sql, log } = this.services;
    const project = await findProject(kv, projectId);
    if (project === null) return 0;
    const rules = await this.#cache.of(project);
    let count = 0;
    for (const issue of issues) {
      try {
        if (await settleOwners(sql, projectId, issue, rules, now)) count++;
      } catch (error) {
        // Of one issue: the others have owners as well.
        log.error("cannot find the owners of an issue", { projectId, issue: issue.id, error });
      }
    }
    return count;
  }
}

async function newestIssue(sql: Sql, projectId: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id::text as id from issues where project_id = ${projectId} order by id desc limit 1
  `;
  return row?.id ?? "0";
}

async function issuesAfter(
  sql: Sql,
  owned: Owned,
  after: string,
  until: string,
  now: Date,
): Promise<UnownedIssue[]> {
  return await sql<UnownedIssue[]>`
    select ${columns(sql, owned, now)} from issues
    left join issue_owner_checks as checked
      on checked.project_id = issues.project_id and checked.issue_id = issues.id
    where issues.project_id = ${owned.projectId} and issues.id > ${after} and issues.id <= ${until}
      and merged_into is null and checked.checked_at is null
    order by issues.id desc limit ${ISSUES_A_ROUND}
  `;
}

/** Issues with events since they were judged, or since the rules were changed. */
async function issuesAgain(sql: Sql, owned: Owned, now: Date): Promise<UnownedIssue[]> {
  const since = new Date(now.getTime() - JUDGED_FOR_MS);
  const from = owned.changedAt > since ? owned.changedAt : since;
  return await sql<UnownedIssue[]>`
    select ${columns(sql, owned, now)} from issues
    left join issue_owner_checks as checked
      on checked.project_id = issues.project_id and checked.issue_id = issues.id
    where issues.project_id = ${owned.projectId} and merged_into is null
      and status in ('unresolved', 'resolved', 'ignored')
      and last_seen_on >= ${dayOf(from)}::date and last_seen >= ${from}
      and (checked.checked_at is null
        or last_seen > checked.checked_at and checked.checked_at < ${from})
    order by last_seen desc limit ${ISSUES_A_ROUND}
  `;
}

function columns(sql: Sql, { projectId, changedAt }: Owned, now: Date) {
  const since = new Date(now.getTime() - JUDGED_FOR_MS);
  return sql`
    issues.id::text as id, first_release as "firstRelease",
    checked.checked_at is null and status = 'unresolved'
      and first_seen >= ${changedAt > since ? changedAt : since} as "isNew",
    assignee_id is null and exists (
      select from issue_activity
      where issue_activity.project_id = ${projectId} and issue_activity.issue_id = issues.id
        and type = 'unassigned' and actor_kind = 'user'
    ) as "isTakenBack"
  `;
}
