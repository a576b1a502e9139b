/** Which windows are judged, and when. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/**
 * Rules are judged twice a minute, a few seconds after the half: what crosses a threshold is told of well within a
 * minute, and what was sent until then has been stored.
 */
const PERIOD_MS = 30 * SECOND_MS;
const DELAY_MS = 5 * SECOND_MS;
/** After a standstill so many minutes are made up for. */
const MOST_MISSED = 60;

/** The end of the last window that is to be judged at a time. */
export function latestEnd(now: Date): Date {
  return new Date(Math.floor((now.getTime() - DELAY_MS) / PERIOD_MS) * PERIOD_MS);
}

/** How long it is until the next windows are to be judged, in milliseconds. */
export function untilNext(now: Date): number {
  return latestEnd(now).getTime() + PERIOD_MS + DELAY_MS - now.getTime();
}

/**
 * The ends of the windows that are to be judged: the latest one and, after a standstill, that of each minute before.
 *
 * @param last the end of the window that was judged last; null: none yet
 * @returns ascending; none when the latest has been judged
 */
export function endsSince(last: Date | null, latest: Date): Date[] {
  if (last === null) return [latest];
  if (last >= latest) return [];
  if (latest.getTime() - last.getTime() <= MINUTE_MS) return [latest];
  const from = Math.max(last.getTime(), latest.getTime() - MOST_MISSED * MINUTE_MS);
  const missed: Date[] = [];
  const first = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS;
  for (let end = first; end < latest.getTime(); end += MINUTE_MS) missed.push(new Date(end));
  return [...missed, latest];
}

/** Windows up to this length are looked at once more; longer ones hold what comes late anyway. */
const AGAIN_UP_TO_MINUTES = 15;
const AGAIN_AFTER_MS = 2 * MINUTE_MS;

/** The end of the earlier window that is looked at once more beside one, or null: not beside this one. */
export function againBeside(end: Date, windowMinutes: number): Date | null {
  const isDue = end.getTime() % MINUTE_MS === 0 && windowMinutes <= AGAIN_UP_TO_MINUTES;
  return isDue ? new Date(end.getTime() - AGAIN_AFTER_MS) : null;
}
