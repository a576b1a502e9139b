/**
 * Checks in a thread of their own: what the app does meanwhile does not count as a target's time, and a target that is
 * hard to read does not hold the app up.
 */
import type { Logger } from "../../core/log.ts";
import type { AddressPolicy } from "./policy.ts";
import { probe, type ProbeResult, type Target } from "./probe.ts";
import { notMade } from "./result.ts";
import type { ProberReport, ProberRequest } from "./probe_worker.ts";

export interface Prober {
  /** Checks a target once. Never throws; `stopped` says that there was no check. */
  probe(target: Target, options?: CheckOptions): Promise<ProbeResult>;
  /** Ends what is under way. */
  close(): void;
}

export interface CheckOptions {
  /** Makes the check the root of the trace that it causes. */
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
}

interface ProberOptions {
  readonly policy: AddressPolicy;
  readonly log: Pick<Logger, "warn">;
  /** PEM of certificates to trust in place of the usual ones. */
  readonly ca?: string;
}

/** How long after its own time limit a check is waited for before the thread is given up. */
const GRACE_MS = 5_000;

/** Starts a prober. Its thread starts with the first check, and again after it died. */
export function startProber({ policy, log, ca }: ProberOptions): Prober {
  const closing = new AbortController();
  let thread: Thread | null = null;
  let hasThreads = true;
  const giveUp = (reason: unknown) => {
    hasThreads = false;
    log.warn("checks run beside the app, as there are no threads", { reason: String(reason) });
  };
  /** Null on hosts of apps that give no threads, such as Deno Deploy's. */
  const running = (): Thread | null => {
    if (!hasThreads || thread?.isAlive) return hasThreads ? thread : null;
    try {
      return thread = startThread((reason, hasAnswered) => {
        if (closing.signal.aborted) return;
        if (hasAnswered) log.warn("the thread of checks ended", { reason });
        else giveUp(reason);
      });
    } catch (error) {
      giveUp(error);
      return null;
    }
  };
  return {
    async probe(target, { traceparent, signal } = {}) {
      if (closing.signal.aborted || signal?.aborted) return unmade();
      const options = {
        policy,
        ...ca === undefined ? {} : { ca },
        ...traceparent === undefined ? {} : { traceparent },
      };
      const current = running();
      if (current !== null) return await current.probe(target, options, signal);
      const ending = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      return await probe(target, { ...options, signal: ending });
    },
    close() {
      closing.abort();
      thread?.end("closed");
    },
  };
}

interface Thread {
  readonly isAlive: boolean;
  probe(
    target: Target,
    options: ProberRequest["options"],
    signal: AbortSignal | undefined,
  ): Promise<ProbeResult>;
  end(reason: string): void;
}

/** @param onEnd told why, and whether it was of use before */
function startThread(onEnd: (reason: string, hasAnswered: boolean) => void): Thread {
  const worker = new Worker(new URL("./probe_worker.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, (result: ProbeResult) => void>();
  let lastId = 0;
  let isAlive = true;
  let hasAnswered = false;
  const end = (reason: string) => {
    if (!isAlive) return;
    isAlive = false;
    worker.terminate();
    onEnd(reason, hasAnswered);
    for (const answer of waiting.values()) answer(unmade());
    waiting.clear();
  };
  worker.addEventListener("message", ({ data }: MessageEvent<ProberReport>) => {
    hasAnswered = true;
    waiting.get(data.id)?.(data.result);
  });
  worker.addEventListener("error", (event) => {
    // Without this the error would end the whole process.
    event.preventDefault();
    end(event.message);
  });
  worker.addEventListener("messageerror", () => end("a message cannot be read"));

  return {
    get isAlive() {
      return isAlive;
    },
    async probe(target, options, signal) {
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<ProbeResult>();
      waiting.set(id, resolve);
      const send = (request: ProberRequest | { readonly stop: number }) =>
        worker.postMessage(request);
      const stop = () => send({ stop: id });
      signal?.addEventListener("abort", stop);
      const timer = setTimeout(() => end("a check did not end"), target.timeoutMs + GRACE_MS);
      try {
        send({ id, target, options });
        return await promise;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        waiting.delete(id);
      }
    },
    end,
  };
}

/** For a check that was ended before it was made. */
function unmade(): ProbeResult {
  return notMade({ kind: "stopped", sentence: "The check was stopped." });
}
