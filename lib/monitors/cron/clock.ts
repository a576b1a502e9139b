import { KV_LIMIT_MS, returnLease, takeLease } from "../../accounts/kv.ts";
import type { Logger } from "../../core/log.ts";
import { withTimeLimit } from "../../core/waiting.ts";
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

interface MonitorClock {
  /** Looks now, unless another isolate does. Never throws. */
  run(): Promise<void>;
  /** Resolves when what runs has come to a stop, soon. */
  close(): Promise<void>;
}

/**
 * Looks for missed and endless runs every ten seconds, in one isolate at a time, and tells issues of incidents. When
 * the lease passes on too early both look: a run is missed in a row that only one of them can write.
 */
export function startMonitorClock(services: ClockServices): MonitorClock {
  const { kv, sql, log, storeEvent, waitingSince } = services;
  const holder = crypto.randomUUID();
  const stopping = new AbortController();
  let isFailing = false;

  async function work(): Promise<void> {
    if (stopping.signal.aborted) return;
    try {
      if (!await withTimeLimit(takeLease(kv, WORK, holder, LEASE_MS), KV_LIMIT_MS)) return;
      await tick(sql, new Date(), waitingSince, stopping.signal);
      await tellNotes(sql, storeEvent, new Date(), stopping.signal);
      isFailing = false;
    } catch (error) {
      // A store is away, for instance: a later look makes up for it. Once: it is tried again soon.
      if (!stopping.signal.aborted && !isFailing) {
        log.error("cannot look after cron jobs", { error });
      }
      isFailing = true;
    }
  }

  let running = Promise.resolve();
  const run = () => running = running.then(work);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    timer = setTimeout(() => run().then(() => stopping.signal.aborted || wait()), EVERY_MS);
    // A process may end while nothing waits but this.
    Deno.unrefTimer(timer);
  };
  wait();

  return {
    run,
    async close() {
      clearTimeout(timer);
      stopping.abort();
      await running;
      await withTimeLimit(returnLease(kv, WORK, holder), KV_LIMIT_MS).catch(() => {});
    },
  };
}
