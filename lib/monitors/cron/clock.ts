import { startLeased } from "../../accounts/leased_clock.ts";
import type { Logger } from "../../core/log.ts";
import type { Repeated } from "../../core/waiting.ts";
import type { Sql } from "../../store/database.ts";
import { type StoreEvent, tellNotes } from "./notes.ts";
import { tick } from "./tick.ts";

interface ClockServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
  readonly storeEvent: StoreEvent;
  /** When the oldest request came that is acknowledged and not stored yet; null: none waits. */
  readonly waitingSince: () => Promise<Date | null>;
}

/** A missed run is found within so long, well below half a minute. */
const EVERY_MS = 10_000;
/** Outlasts the pause between two looks; after a crash another process goes on this much later. */
const LEASE_MS = 20_000;

/**
 * Looks for missed and endless runs every ten seconds, in one isolate at a time, and tells issues of incidents. When
 * the lease passes on too early both look: a run is missed in a row that only one of them can write.
 */
export function startMonitorClock(services: ClockServices): Repeated {
  const { sql, storeEvent, waitingSince } = services;
  return startLeased(services, {
    name: "monitors",
    everyMs: EVERY_MS,
    leaseMs: LEASE_MS,
    failure: "cannot look after cron jobs",
    async work(stopping) {
      await tick(sql, new Date(), waitingSince, stopping);
      await tellNotes(sql, storeEvent, new Date(), stopping);
    },
  });
}
