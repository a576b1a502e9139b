import { ConfigError } from "./config.ts";
import type { Logger } from "./log.ts";

/** Something took longer than it may. */
export class TimeLimitExceeded extends Error {
  override name = "TimeLimitExceeded";
}

/**
 * Resolves or rejects as `work` does, unless that takes too long. The work itself goes on: calls of Deno KV, for
 * one, cannot be stopped and wait for ever while their server is away.
 *
 * @param limitMs time to wait, in milliseconds
 * @throws {TimeLimitExceeded}
 */
export function withTimeLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = waitAtMost(
      limitMs,
      () => reject(new TimeLimitExceeded(`No answer within ${limitMs / 1_000} s`)),
    );
    work.then((value) => {
      leave();
      resolve(value);
    }, (error) => {
      leave();
      reject(error);
    });
  });
}

/** All that wait equally long, the oldest first. */
interface Line {
  readonly waiting: Set<Wait>;
  timer: ReturnType<typeof setTimeout>;
}

interface Wait {
  readonly until: number;
  readonly end: () => void;
}

/** By the time that they wait, in milliseconds. */
const lines = new Map<number, Line>();

/**
 * Calls `end` after so long. Those who wait equally long share a timer: each request has some limits and reaches none of
 * them, and timers of its own cost more than what they watch.
 *
 * @returns to be called by whoever has done waiting before
 */
export function waitAtMost(limitMs: number, end: () => void): () => void {
  const wait = { until: performance.now() + limitMs, end };
  let line = lines.get(limitMs);
  if (line === undefined) {
    line = { waiting: new Set(), timer: setTimeout(() => endLate(limitMs), limitMs) };
    lines.set(limitMs, line);
  }
  const { waiting } = line;
  waiting.add(wait);
  return () => {
    if (waiting.delete(wait) && waiting.size === 0) close(limitMs);
  };
}

function endLate(limitMs: number): void {
  const line = lines.get(limitMs);
  if (line === undefined) return;
  const now = performance.now();
  for (const wait of line.waiting) {
    const left = wait.until - now;
    // Timers count whole milliseconds.
    if (left >= 1) {
      line.timer = setTimeout(() => endLate(limitMs), left);
      return;
    }
    line.waiting.delete(wait);
    wait.end();
  }
  close(limitMs);
}

/** Nobody waits so long any more. */
function close(limitMs: number): void {
  clearTimeout(lines.get(limitMs)?.timer);
  lines.delete(limitMs);
}

/** Resolves after a time in milliseconds or, earlier, when `ending` aborts. */
export function pause(ms: number, ending?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => {
    clearTimeout(timer);
    resolve();
  };
  ending?.addEventListener("abort", end, { once: true });
  return promise.finally(() => ending?.removeEventListener("abort", end));
}

/** Work that is done again and again, one run after the other. */
export interface Repeated {
  /** Does the work once more, behind the run that is under way. */
  run(): Promise<void>;
  /** Begins no further run, and resolves when what runs has come to a stop. */
  close(): Promise<void>;
}

/**
 * Repeats work until it is closed. A process may end while nothing waits but this.
 *
 * @param work never rejects; `stopping` tells it to come to an end
 * @param pauseMs before the first run, and after each; null: none comes by itself
 */
export function repeat(
  work: (stopping: AbortSignal) => Promise<void>,
  pauseMs: () => number | null | Promise<number | null>,
): Repeated {
  const stopping = new AbortController();
  let running = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): Promise<void> {
    return running = running.then(() =>
      stopping.signal.aborted ? undefined : work(stopping.signal)
    );
  }

  async function wait(): Promise<void> {
    const ms = await pauseMs();
    if (ms === null || stopping.signal.aborted) return;
    timer = setTimeout(() => run().then(wait), ms);
    Deno.unrefTimer(timer);
  }
  wait();

  return {
    run,
    async close() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

const ATTEMPT_LIMIT_MS = 5_000;
const RETRY_DELAY_MS = 500;
/** Machines and containers start in any order: a store may come up after us. */
const WAIT_LIMIT_MS = 30_000;

/**
 * Tries until a store answers.
 *
 * @param name what the operator knows it by, such as `Postgres at db:5432/watchpost (DATABASE_URL)`
 * @param isPassing whether an error may go away by waiting; a refused password, for instance, does not
 * @param limitMs after which no new attempt is made; half a minute when absent
 * @returns what the successful attempt returned
 * @throws {ConfigError} with the last reason
 */
export async function waitForStore<T>(
  name: string,
  attempt: () => Promise<T>,
  log: Logger,
  isPassing: (error: unknown) => boolean = () => true,
  limitMs: number = WAIT_LIMIT_MS,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let hasTold = false;
  while (true) {
    try {
      return await withTimeLimit(attempt(), ATTEMPT_LIMIT_MS);
    } catch (error) {
      const reason = reasonOf(error);
      if (!isPassing(error) || Date.now() >= deadline) {
        throw new ConfigError(`Cannot start: ${name} cannot be used: ${reason}`, { cause: error });
      }
      if (!hasTold) log.warn(`waiting for ${name}`, { reason });
      hasTold = true;
      await pause(RETRY_DELAY_MS);
    }
  }
}

/** Failed connections to several addresses of a name come as one error without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(reasonOf).join(", ");
  }
  return error instanceof Error ? error.message : String(error);
}

/** Others get their turn after so long. */
const TURN_MS = 12;

/** Long work in pieces, between which others are served. */
export class Turns {
  #turn = performance.now();

  /** Lets others have their turn when this one has lasted long enough. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#turn < TURN_MS) return;
    await pause(0);
    this.#turn = performance.now();
  }
}
