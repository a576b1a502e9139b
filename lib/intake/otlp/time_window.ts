import type { DecodeContext } from "../protocol.ts";

/** Clocks that are further ahead are wrong, and what they say belongs to no day that exists. */
const MAX_AHEAD_SEC = 3_600;
const DAY_SEC = 86_400;

/** Whether something that happened then is taken at all. @param time in seconds since 1970 */
export function isInWindow(
  time: number,
  { receivedAt, retentionDays }: Pick<DecodeContext, "receivedAt" | "retentionDays">,
): boolean {
  const now = receivedAt.getTime() / 1000;
  return time <= now + MAX_AHEAD_SEC && time >= now - retentionDays * DAY_SEC;
}
