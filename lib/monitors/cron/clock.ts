import { leaseOf } from "../../accounts/kv.ts";
import type { Logger } from "../../core/log.ts";
import { repeat, type Repeated } from "../../core/waiting.ts";
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

const WORK = "monitors";
/** A missed run is found within so long, well below half a minute. */
const EVERY_MS = 10_000;
/** Outlasts the pause between two looks; after a crash another process goes on this much later. */
const LEASE_MS = 20_000;

/**
 * Looks for missed and endless runs every ten seconds, in one isolate at a time, and tells issues of incidents. When
 * the lease passes on too early both look: a run is missed in a row that only one of them can write.
 */
export function startMonitorClock(services: ClockServices): Repeated {
  const { kv, sql, log, storeEvent, waitingSince } = services;
  const lease = leaseOf(kv, WORK, LEASE_MS);
  let isFailing = false;
  const clock = repeat(async (stopping) => {
    try {
      if (!await lease.take()) return;
      await tick(sql, new Date(), waitingSince, stopping);
      await tellNotes(sql, storeEvent, new Date(), stopping);
      isFailing = false;
    } catch (error) {
      // A store is away, for instance: a later look makes up for it. Once: it is tried again soon.
      if (!stopping.aborted && !isFailing) log.error("cannot look after cron jobs", { error });
      isFailing = true;
    }
  }, () => EVERY_MS);
  return {
    run: clock.run,
    async close() {
      await clock.close();
      await lease.giveBack();
    },
  };
}
