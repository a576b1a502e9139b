/** What time alone does to issues: archiving ends, new ones become usual ones, old ones are resolved, some escalate. */
import { startLeased } from "../../accounts/leased_clock.ts";
import { listAllProjects, settingsOf } from "../../accounts/projects.ts";
import type { Logger } from "../../core/log.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { Repeated } from "../../core/waiting.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { ofProject, projectsApart } from "../../store/sharding.ts";
import { changeIssues } from "./change.ts";
import { ceilingAt, forecast, hourlyCounts } from "./forecast.ts";
import { type Snooze, SYSTEM } from "./state.ts";

interface ClockServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
}

const EVERY_MS = MINUTE_MS;
/** Outlasts the pause between two looks. */
const LEASE_MS = 2 * MINUTE_MS;
/** A batch is a transaction of its own, so that writers never wait long. */
const ISSUES_A_BATCH = 500;
const ONGOING_AFTER_DAYS = 7;
const FORECAST_MS = 7 * DAY_MS;

/** Looks after the states of issues every minute, in one isolate at a time. */
export function startIssueClock({ kv, sql, log }: ClockServices): Repeated {
  let resolvedAt = -Infinity;
  return startLeased({ kv, log }, {
    name: "issues",
    everyMs: EVERY_MS,
    leaseMs: LEASE_MS,
    failure: "cannot look after issues",
    async work(stopping) {
      await passTime(sql, new Date(), stopping);
      if (performance.now() - resolvedAt <= HOUR_MS) return;
      await resolveByAge({ kv, sql }, new Date(), stopping);
      resolvedAt = performance.now();
    },
  });
}

/** Does everything that is due but resolving by age. */
export async function passTime(sql: Sql, now: Date, stopping: AbortSignal): Promise<void> {
  for (const step of [endSnoozes, settleDown]) {
    for (const projectId of await projectsApart(sql, "issues")) {
      while (!stopping.aborted && await step(sql, now, projectId) >= ISSUES_A_BATCH);
    }
  }
  if (!stopping.aborted) await findEscalating(sql, now, stopping);
}

/** Issues whose archiving has lasted as long as it was to. */
async function endSnoozes(sql: Sql, now: Date, projectId: string | null): Promise<number> {
  const changed = await sql`
    with due as (
      select project_id, id from issues
      where substatus = 'archived_until_condition_met' and status = 'ignored'
        and (snooze->>'until')::timestamptz <= ${now} ${ofProject(sql, projectId)}
      order by project_id, id
      limit ${ISSUES_A_BATCH}
      for update skip locked
    ),
    changed as (
      update issues set
        status = 'unresolved', status_changed_at = ${now}, substatus = 'ongoing',
        substatus_since = ${now}, snooze = null
      from due
      where issues.project_id = due.project_id and issues.id = due.id
    )
    insert into issue_activity (project_id, issue_id, type, actor_kind, created_at)
    select project_id, id, 'set_unresolved', 'system', ${now} from due
  `;
  return changed.count;
}

/** What was new, regressed or escalating for a week is usual; its priority is what it was at first. */
async function settleDown(sql: Sql, now: Date, projectId: string | null): Promise<number> {
  const before = new Date(now.getTime() - ONGOING_AFTER_DAYS * DAY_MS);
  const data = JSON.stringify({ after_days: ONGOING_AFTER_DAYS });
  const changed = await sql`
    with due as (
      select project_id, id from issues
      where substatus in ('new', 'regressed', 'escalating') and status = 'unresolved'
        and substatus_since <= ${before} ${ofProject(sql, projectId)}
      order by project_id, id
      limit ${ISSUES_A_BATCH}
      for update skip locked
    ),
    changed as (
      update issues set
        substatus = 'ongoing', substatus_since = ${now},
        priority = case
          when priority_locked_at is not null then priority
          when level in ('info', 'debug') then 'low'
          when level = 'warning' then 'medium'
          else 'high' end
      from due
      where issues.project_id = due.project_id and issues.id = due.id
    )
    insert into issue_activity (project_id, issue_id, type, actor_kind, data, created_at)
    select project_id, id, 'auto_set_ongoing', 'system', ${data}::text::jsonb, ${now} from due
  `;
  return changed.count;
}

interface Waiting {
  readonly projectId: string;
  readonly id: string;
  readonly snooze: Snooze;
  readonly count: number;
}

/** Archived issues that happen more often this hour than was expected of them; forecasts a week old are made anew. */
async function findEscalating(sql: Sql, now: Date, stopping: AbortSignal): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
  let after = { projectId: "0", id: "0" };
  while (!stopping.aborted) {
    const waiting = await sql<Waiting[]>`
      select i.project_id as "projectId", i.id, i.snooze, (
        select coalesce(sum(times_seen), 0)::float8 from issue_hours
        where issue_hours.project_id = i.project_id and hour = ${hour} and issue_id = i.id
      ) as count
      from issues as i
      where i.substatus = 'archived_until_escalating' and i.snooze is not null
        and (i.project_id, i.id) > (${after.projectId}, ${after.id})
      order by i.project_id, i.id
      limit ${ISSUES_A_BATCH}
    `;
    for (const issue of waiting) await sql.begin((tx) => judge(tx, issue, now));
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < ISSUES_A_BATCH) return;
    after = last;
  }
}

async function judge(
  tx: Transaction,
  { projectId, id, snooze, count }: Waiting,
  now: Date,
): Promise<void> {
  const { ceilings = [], ceilingsFrom } = snooze;
  const from = new Date(ceilingsFrom ?? now);
  const ceiling = ceilingAt(ceilings, from, now);
  if (count > ceiling) {
    const changed = await tx`
      update issues set
        status = 'unresolved', status_changed_at = ${now}, substatus = 'escalating',
        substatus_since = ${now}, snooze = null,
        priority = case
          when priority_locked_at is not null then priority
          when priority = 'low' then 'medium' else 'high' end
      where project_id = ${projectId} and id = ${id} and substatus = 'archived_until_escalating'
    `;
    if (changed.count === 0) return;
    await tx`
      insert into issue_activity (project_id, issue_id, type, actor_kind, data, created_at)
      values (${projectId}, ${id}, 'set_escalating', 'system',
        ${JSON.stringify({ forecast: ceiling })}::text::jsonb, ${now})
    `;
  } else if (now.getTime() - from.getTime() >= FORECAST_MS) {
    const made = forecast(await hourlyCounts(tx, projectId, id, now));
    const anew: Snooze = { ...snooze, ceilings: made, ceilingsFrom: now.toISOString() };
    await tx`
      update issues set snooze = ${JSON.stringify(anew)}::text::jsonb
      where project_id = ${projectId} and id = ${id} and substatus = 'archived_until_escalating'
    `;
  }
}

/** Resolves issues that have not happened for as many days as their project's settings say. */
export async function resolveByAge(
  { kv, sql }: Pick<ClockServices, "kv" | "sql">,
  now: Date,
  stopping: AbortSignal,
): Promise<void> {
  for await (const project of listAllProjects(kv)) {
    const { resolveAfterDays } = settingsOf(project);
    if (resolveAfterDays === 0) continue;
    const before = new Date(now.getTime() - resolveAfterDays * DAY_MS);
    let isFull = true;
    while (isFull && !stopping.aborted) {
      const old = await sql<{ id: string }[]>`
        select id from issues
        where project_id = ${project.id} and status = 'unresolved' and merged_into is null
          and last_seen_on <= ${before.toISOString().slice(0, 10)}::date and last_seen <= ${before}
        order by id
        limit ${ISSUES_A_BATCH}
      `;
      isFull = old.length === ISSUES_A_BATCH;
      const ids = old.map(({ id }) => id);
      const status = { to: "resolved", ageHours: resolveAfterDays * 24 } as const;
      await changeIssues({ sql }, project.id, ids, { status }, SYSTEM, now);
    }
  }
}
