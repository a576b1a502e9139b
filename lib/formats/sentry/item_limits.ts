/** Bytes of one item after decompression; what is not named here may fill the whole request. */
const CAPS: Readonly<Record<string, number>> = {
  check_in: 100_000,
  client_report: 65_536,
  nel: 1_000_000,
  raw_security: 1_000_000,
  session: 65_536,
  sessions: 1_000_000,
  user_report: 65_536,
};

/** Items that are one event each: these have the instance's limit. */
const EVENT_LIKE = new Set(["event", "feedback", "security"]);

/**
 * The most bytes that an item of a type may have, or null when only the request's own limit holds.
 *
 * @param maxEventBytes `config.maxEventBytes`
 */
export function itemLimit(type: string, maxEventBytes: number): number | null {
  if (EVENT_LIKE.has(type)) return maxEventBytes;
  return Object.hasOwn(CAPS, type) ? CAPS[type] ?? null : null;
}
