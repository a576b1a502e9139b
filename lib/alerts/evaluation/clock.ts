/** What runs on a clock beside maintenance: the evaluation of alerts. */
import { returnLease, takeLease } from "../../accounts/leases.ts";
import { withTimeLimit } from "../../core/time_limit.ts";
import { type AlertServices, evaluateAll } from "./evaluate_all.ts";
import { untilNext } from "./window_ends.ts";

const WORK = "alerts";
/** Outlasts the pause between two evaluations; after a crash nobody is told of anything for so long. */
const LEASE_MS = 40_000;
/** Deno KV waits for ever while its server is away. */
const KV_LIMIT_MS = 5_000;

export interface Clock {
  /** Judges alerts now, unless another isolate does. Never throws. */
  run(): Promise<void>;
  /** Resolves when what runs has come to a stop, soon. */
  close(): Promise<void>;
}

/**
 * Judges the alerts of all projects twice a minute, in one isolate at a time. When the lease passes on too early both
 * judge: a rule moves on in the transaction that changes its states, which only one of them can commit.
 */
export function startClock(services: AlertServices): Clock {
  const { kv, log } = services;
  const holder = crypto.randomUUID();
  const stopping = new AbortController();

  async function work(): Promise<void> {
    if (stopping.signal.aborted) return;
    try {
      if (!await withTimeLimit(takeLease(kv, WORK, holder, LEASE_MS), KV_LIMIT_MS)) return;
      await evaluateAll(services, new Date(), stopping.signal);
    } catch (error) {
      // A store is away, for instance: the next evaluation makes up for it.
      if (!stopping.signal.aborted) log.error("cannot judge alerts", { error });
    }
  }

  let running = Promise.resolve();
  const run = () => running = running.then(work);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    timer = setTimeout(
      () => run().then(() => stopping.signal.aborted || wait()),
      untilNext(new Date()),
    );
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
