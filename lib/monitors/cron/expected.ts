/** When the next run of an environment is expected, as it is stored: found out once, and looked up from then on. */
import { MINUTE_MS } from "../../core/time.ts";
import type { CheckIn } from "../../records/mod.ts";
import type { Transaction } from "../../store/database.ts";
import type { MonitorConfig } from "./config.ts";
import type { Place } from "./judge.ts";
import { nextAfter } from "./schedule.ts";

export interface Expected {
  readonly nextAt: Date | null;
  /** Later than this it is missed. */
  readonly latestAt: Date | null;
}

/**
 * The next run after a check-in. Intervals begin anew with each, and a crontab's minute that has begun is over.
 *
 * @param from when the check-in came
 */
export function expectedAfter(config: MonitorConfig | null, from: Date): Expected {
  const nextAt = config === null ? null : nextAfter(config, from);
  if (config === null || nextAt === null) return { nextAt: null, latestAt: null };
  return { nextAt, latestAt: new Date(nextAt.getTime() + config.checkin_margin * MINUTE_MS) };
}

/** Moves an environment on after its latest check-in. */
export async function expectAfter(
  tx: Transaction,
  { projectId, slug, environment, config }: Place,
  { timestamp, receivedAt }: CheckIn,
): Promise<void> {
  const { nextAt, latestAt } = expectedAfter(config, receivedAt);
  await tx`
    update monitor_environments
    set last_check_in_at = ${timestamp}, next_at = ${nextAt}, latest_at = ${latestAt}
    where project_id = ${projectId} and slug = ${slug} and environment = ${environment}
  `;
}

interface Changed {
  readonly projectId: string;
  readonly slug: string;
  readonly config: MonitorConfig;
}

/**
 * Finds the next run of every environment again, when the schedule, its zone or the margin have changed: what an old
 * schedule expected would be missed otherwise. Those that never had a check-in expect none.
 *
 * @param former what held before
 */
export async function expectAgain(
  tx: Transaction,
  { projectId, slug, config }: Changed,
  former: MonitorConfig | null,
  now: Date,
): Promise<void> {
  if (timing(config) === timing(former)) return;
  const { nextAt, latestAt } = expectedAfter(config, now);
  await tx`
    update monitor_environments set next_at = ${nextAt}, latest_at = ${latestAt}
    where project_id = ${projectId} and slug = ${slug} and last_check_in_at is not null
  `;
}

function timing(config: MonitorConfig | null): string {
  return JSON.stringify([
    config?.schedule_type,
    config?.schedule,
    config?.timezone,
    config?.checkin_margin,
  ]);
}
