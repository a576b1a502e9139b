const DAY_SEC = 86_400;

/**
 * Whether something began before all that is kept. If it ended lately, it has not lasted that long: its client counts
 * in other units, or from the start of its machine, and one such duration would outweigh all others together.
 *
 * @param time in seconds since 1970, by the server's clock
 */
export function isBeforeRetention(
  time: number,
  { receivedAt, retentionDays }: { readonly receivedAt: Date; readonly retentionDays: number },
): boolean {
  return time < receivedAt.getTime() / 1000 - retentionDays * DAY_SEC;
}
