/** Asks registries once a day when the domains of monitors end, and has channels told in time. */
import { enqueueNotice } from "../../alerts/mod.ts";
import type { Logger } from "../../core/log.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../core/time.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { domainExpiry, type DomainOptions } from "../probes/rdap.ts";
import { daysUntil, type Monitor } from "./monitor.ts";
import { monitorColumns } from "./monitors.ts";
import { domainNotice, type NoticePlace, thresholdOf } from "./notices.ts";

export interface DomainWatchOptions {
  readonly sql: Sql;
  readonly log: Logger;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** How registries are asked; null: they are not. */
  readonly registries: DomainOptions | null;
}

export interface DomainWatch {
  /** After a check of a monitor: has its registry asked if that is due. Never throws, and holds nothing up. */
  look(monitor: Monitor, place: NoticePlace): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** For all of the list of registries, and redirects. */
const TIME_LIMIT_MS = 30 * SECOND_MS;
/** Domains that were first asked for together do not stay together. */
const SPREAD_MS = 2 * HOUR_MS;

/** One request at a time: who comes meanwhile is asked for after its next check. */
export function startDomainWatch(options: DomainWatchOptions): DomainWatch {
  const { registries, now, signal, log } = options;
  let underWay: Promise<void> | null = null;
  return {
    look(monitor, place) {
      if (registries === null || underWay !== null || signal.aborted) return;
      if (!isDue(monitor, now())) return;
      underWay = ask({ ...options, registries }, monitor, place).catch((error) => {
        log.warn("cannot ask when a domain ends", { monitor: monitor.monitorId, error });
      }).finally(() => underWay = null);
    },
    settled: async () => await underWay ?? undefined,
  };
}

/** Whoever wants no warnings has nobody asked. */
function isDue({ domain, certificateDays, domainDueAt }: Monitor, now: Date): boolean {
  return domain !== "" && certificateDays.length > 0 &&
    (domainDueAt === null || domainDueAt <= now || domainDueAt > farAhead(now));
}

/** Such a time was set by a clock that went ahead. */
function farAhead(now: Date): Date {
  return new Date(now.getTime() + 2 * DAY_MS);
}

async function ask(
  { sql, now, signal, registries }: DomainWatchOptions & { readonly registries: DomainOptions },
  { projectId, domain }: Monitor,
  place: NoticePlace,
): Promise<void> {
  // Before the request: whatever becomes of it, the next one is tomorrow's.
  if (!await claimDomain(sql, projectId, domain, now())) return;
  const ending = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  const endsAt = await domainExpiry(domain, { ...registries, signal: ending });
  await sql.begin((tx) => save(tx, { projectId, domain, endsAt, now: now(), place }));
}

/** @returns false when another process, or another monitor of the project, has asked in the last day */
async function claimDomain(
  sql: Sql,
  projectId: string,
  domain: string,
  now: Date,
): Promise<boolean> {
  const next = new Date(now.getTime() + DAY_MS + Math.random() * SPREAD_MS);
  const { count } = await sql`
    insert into uptime_domains (project_id, domain, due_at)
    values (${projectId}, ${domain}, ${next})
    on conflict (project_id, domain) do update set due_at = excluded.due_at
      where uptime_domains.due_at <= ${now} or uptime_domains.due_at > ${farAhead(now)}
  `;
  return count > 0;
}

interface Answer {
  readonly projectId: string;
  readonly domain: string;
  /** Null: the registry did not tell. */
  readonly endsAt: Date | null;
  readonly now: Date;
  readonly place: NoticePlace;
}

/** What was known before goes on without an answer. Each channel hears once, however many monitors have the domain. */
async function save(tx: Queryable, answer: Answer): Promise<void> {
  const { projectId, domain, now, place } = answer;
  const [known] = await tx<{ endsAt: Date | null }[]>`
    update uptime_domains set ends_at = coalesce(${answer.endsAt}::timestamptz, ends_at)
    where project_id = ${projectId} and domain = ${domain}
    returning ends_at as "endsAt"
  `;
  const endsAt = known?.endsAt ?? null;
  if (endsAt === null) return;
  // Locked by themselves: Citus locks nothing in a statement with subqueries.
  await tx`
    select 1 from uptime_monitors
    where project_id = ${projectId} and domain = ${domain} and not is_paused
    order by monitor_id for update
  `;
  const monitors = await tx<(Monitor & { readonly toldDomainDays: number | null })[]>`
    select ${monitorColumns(tx)},
      case when told_domain_end = ${endsAt} then told_domain_days end as "toldDomainDays"
    from uptime_monitors
    where project_id = ${projectId} and domain = ${domain} and not is_paused
    order by monitor_id
  `;
  const told = new Set<string>();
  for (const monitor of monitors) {
    const daysLeft = daysUntil(endsAt, now);
    const threshold = thresholdOf(monitor.certificateDays, daysLeft, monitor.toldDomainDays);
    if (threshold === null) continue;
    await tx`
      update uptime_monitors set told_domain_end = ${endsAt}, told_domain_days = ${threshold}
      where project_id = ${projectId} and monitor_id = ${monitor.monitorId}
    `;
    const channelIds = monitor.channelIds.filter((id) => !told.has(id));
    channelIds.forEach((id) => told.add(id));
    if (channelIds.length === 0) continue;
    await enqueueNotice(tx, domainNotice(monitor, endsAt, now, place), channelIds);
  }
}
