/** What Sentry does not count as a failure; everything else is one. */
const FINE: ReadonlySet<string> = new Set([
  "",
  "ok",
  "cancelled",
  "canceled",
  "unknown",
  "unknown_error",
]);

/** Whether a span's status, as `internal_error`, says that it failed. */
export function isFailedStatus(status: string): boolean {
  return !FINE.has(status);
}
