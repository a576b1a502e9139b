import { MINUTE_MS } from "../core/time.ts";
import { repeat, type Repeated } from "../core/waiting.ts";
import type { Backend } from "../store/stores.ts";
import { countHourBefore, joinHours } from "./queries/profile_hours.ts";

const INTERVAL_MS = MINUTE_MS;

/**
 * Keeps the hours of profiles short, and counts those of profiles from before there were hours. Whichever processes do
 * it at the same time, nothing is counted twice.
 */
export function startProfileHours({ sql, log }: Pick<Backend, "sql" | "log">): Repeated {
  return repeat(async (stopping) => {
    try {
      while (!stopping.aborted && await countHourBefore(sql));
      while (!stopping.aborted && await joinHours(sql));
    } catch (error) {
      // Postgres is away, for instance: the next run makes up for it.
      if (!stopping.aborted) log.error("cannot add up profiles by hour", { error });
    }
  }, () => INTERVAL_MS);
}
