import type { PprofProfile } from "./profile.ts";

const MAX_AHEAD_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
const NANOS_A_MS = 1e6;

type Times = Pick<PprofProfile, "timeNanos" | "durationNanos">;

/** What is known of a profile's time beside what it says itself. */
export interface TimeFacts {
  readonly receivedAt: Date;
  readonly retentionDays: number;
  readonly from?: Date | null | undefined;
  readonly until?: Date | null | undefined;
}

export interface ProfileStart {
  readonly time: Date;
  /** It was no time that a profile can have, and is that of receipt now. */
  readonly isReplaced: boolean;
}

/**
 * When a profile began: as its client says, else as the profile does. Clocks of 1970, those more than ten minutes
 * ahead, and what is older than the retention become the time of receipt.
 */
export function startOf(profile: Times, facts: TimeFacts): ProfileStart {
  const { receivedAt, retentionDays } = facts;
  const start = statedStart(profile, facts);
  const now = receivedAt.getTime();
  const isPlausible = start > 0 && start <= now + MAX_AHEAD_MS &&
    start >= now - retentionDays * DAY_MS;
  return { time: new Date(isPlausible ? start : now), isReplaced: !isPlausible };
}

/** In milliseconds since 1970; 0 when nobody says. */
function statedStart(profile: Times, { from, until }: TimeFacts): number {
  if (from) return from.getTime();
  if (profile.timeNanos > 0n) return Number(profile.timeNanos) / NANOS_A_MS;
  return until ? until.getTime() - plausibleMs(profile) : 0;
}

/** How long a profile covers, in milliseconds: as it says, else as its client does; 0 when unknown. */
export function durationMsOf(profile: Times, { from, until }: TimeFacts): number {
  const own = plausibleMs(profile);
  if (own > 0 || !from || !until) return own;
  const stated = until.getTime() - from.getTime();
  return stated >= 0 && stated <= DAY_MS ? stated : 0;
}

/** Some converters write durations of years. */
function plausibleMs({ durationNanos }: Times): number {
  const ms = Number(durationNanos) / NANOS_A_MS;
  return ms >= 0 && ms <= DAY_MS ? ms : 0;
}
