const DAY_MS = 86_400_000;

/** Events are clamped to the retention when they arrive; a day later none of them can still be on its way. */
const GRACE_DAYS = 1;

/** The start of the oldest UTC day that is kept. What lies before may be removed. */
export function oldestKept(retentionDays: number, now: Date): Date {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return new Date(today - (retentionDays + GRACE_DAYS) * DAY_MS);
}
