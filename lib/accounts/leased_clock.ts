/** Work on a clock that one process at a time does, of all that share the stores. */
import type { Logger } from "../core/log.ts";
import { noteWork } from "../core/own_work.ts";
import { repeat, type Repeated } from "../core/waiting.ts";
import { MINUTE_MS } from "../core/time.ts";
import { type HeldLease, leaseOf, noteWorkDone } from "./kv.ts";

interface ClockServices {
  readonly kv: Deno.Kv;
  readonly log: Pick<Logger, "error">;
}

export interface LeasedWork {
  /** Names the lease. */
  readonly name: string;
  /** Milliseconds before the first look and after each; null: none comes by itself. */
  readonly everyMs: number | null | (() => number);
  /** Outlasts the pause between two looks; after a crash another process goes on this much later. Work that takes longer keeps it. */
  readonly leaseMs: number;
  /** What the log says when it fails, as "cannot look after issues". */
  readonly failure: string;
  /** Does what is due; `stopping` tells it to come to an end, also because another process does it now. */
  work(stopping: AbortSignal): Promise<void>;
}

/** Some look every second; nobody needs to know that soon that they have come to an end. */
const NOTED_EVERY_MS = MINUTE_MS;

/** Begins the clock. A look that fails is told once, until one succeeds: the next makes up for it. */
export function startLeased(
  { kv, log }: ClockServices,
  { name, everyMs, leaseMs, failure, work }: LeasedWork,
): Repeated {
  const lease = leaseOf(kv, name, leaseMs);
  let isFailing = false;
  let notedAt = -Infinity;
  const clock = repeat(async (stopping) => {
    try {
      if (!await lease.take()) return;
      await using kept = keep(lease, leaseMs);
      const ending = AbortSignal.any([stopping, kept.lost]);
      const began = performance.now();
      await work(ending);
      noteWork("clock", name, began);
      isFailing = false;
      if (ending.aborted || performance.now() - notedAt < NOTED_EVERY_MS) return;
      notedAt = performance.now();
      await noteWorkDone(kv, name);
    } catch (error) {
      // A store is away, for instance.
      if (!stopping.aborted && !isFailing) log.error(failure, { error });
      isFailing = true;
    }
  }, () => typeof everyMs === "function" ? everyMs() : everyMs);
  return {
    run: clock.run,
    async close() {
      await clock.close();
      await lease.giveBack();
    },
  };
}

interface KeptLease extends AsyncDisposable {
  /** Aborts when somebody else has it: this process hung for longer than it lasts. */
  readonly lost: AbortSignal;
}

/** Renews a lease that was just taken three times in its duration. */
function keep(lease: HeldLease, leaseMs: number): KeptLease {
  const lost = new AbortController();
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // While KV is away nobody else can take it either.
    renewing = lease.take().then((isMine) => isMine ? undefined : lost.abort(), () => {});
  }, leaseMs / 3);
  Deno.unrefTimer(timer);
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewing;
    },
  };
}
