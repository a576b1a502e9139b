import type { Random } from "../random.ts";
import { activity } from "../traces/history.ts";
import type { Environment } from "../traces/services.ts";

/** What a process goes through between two times at which it is asked for its metrics. */
export interface Moment {
  readonly random: Random;
  readonly at: Date;
  readonly environment: Environment;
  /** Since the moment before. */
  readonly minutes: number;
  /** 1 is the busiest time of production. */
  readonly load: number;
  /** All connections to the database are taken. */
  readonly isStarved: boolean;
}

const HOUR_MS = 3_600_000;
const STAGING_LOAD = 0.06;
/** Hours ago. */
const STARVED = { from: 5.4, to: 5 } as const;

/** @param now the end of the demo's time */
export function momentAt(
  random: Random,
  now: Date,
  at: Date,
  minutes: number,
  environment: Environment,
): Moment {
  const hoursAgo = (now.getTime() - at.getTime()) / HOUR_MS;
  const share = environment === "production" ? 1 : STAGING_LOAD;
  return {
    random,
    at,
    environment,
    minutes,
    load: activity(at) * share * random.around(1, 0.08),
    isStarved: environment === "production" && hoursAgo <= STARVED.from && hoursAgo > STARVED.to,
  };
}

/** How often something happens in a moment that does so `perMinute` times at full load. */
export function timesIn({ random, load, minutes }: Moment, perMinute: number): number {
  const mean = perMinute * load * minutes;
  return Math.max(0, Math.floor(mean * random.around(1, 0.1) + random.next()));
}
