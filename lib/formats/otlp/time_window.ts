import type { DecodeContext } from "../../ingest/protocol.ts";
import { isBeforeRetention } from "../spans/before_retention.ts";

/** Clocks that are further ahead are wrong, and what they say belongs to no day that exists. */
const MAX_AHEAD_SEC = 3_600;

/** Whether something that happened then is taken at all. @param time in seconds since 1970 */
export function isInWindow(
  time: number,
  context: Pick<DecodeContext, "receivedAt" | "retentionDays">,
): boolean {
  const now = context.receivedAt.getTime() / 1000;
  return time <= now + MAX_AHEAD_SEC && !isBeforeRetention(time, context);
}
