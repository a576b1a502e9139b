/**
 * The threads in which maps are read: one that looks up and stays, and one that compiles and ends when there is nothing to do,
 * so that its memory is given back. Whoever takes longer than allowed is ended with the thread; what a map may cost in memory is
 * counted before it is parsed. Not `node:worker_threads`, which could limit the heap: there a megabyte takes a third of a second
 * from one thread to the other.
 */
import type { Logger } from "../../core/log.ts";
import type { JobName, Jobs, Report, Request } from "./worker.ts";

/** A job did not end in time, or needed more memory than it may have; or the thread was closed, which says nothing of it. */
export class JobFailed extends Error {
  override name = "JobFailed";

  constructor(message: string, readonly isStopped = false) {
    super(message);
  }
}

export interface Thread {
  /** Jobs are done one after the other. @throws {JobFailed} */
  run<J extends JobName>(job: J, ask: Jobs[J]["ask"]): Promise<Jobs[J]["answer"]>;
  /** Ends what is under way. */
  close(): void;
}

interface ThreadOptions {
  readonly log: Pick<Logger, "warn">;
  /** A job that takes longer ends the thread. */
  readonly limitMs: number;
  /** The thread ends after so long without a job. */
  readonly idleMs: number;
}

/** Starts nothing yet: the thread comes with the first job, and again after it ended. */
export function thread({ log, limitMs, idleMs }: ThreadOptions): Thread {
  let worker: Worker | null = null;
  let lastId = 0;
  let isClosed = false;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting: ((report: Report | JobFailed) => void) | null = null;

  function end(reason: string): void {
    const ended = worker;
    worker = null;
    ended?.terminate();
    waiting?.(new JobFailed(reason, isClosed));
  }

  function running(): Worker {
    if (worker !== null) return worker;
    const started = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", ({ data }: MessageEvent<Report>) => {
      if (started === worker) waiting?.(data);
    });
    started.addEventListener("error", (event) => {
      // Without this the error would end the whole process.
      event.preventDefault();
      log.warn("a thread of source maps ended", { error: event.message });
      if (started === worker) end("The thread that reads source maps ended.");
    });
    return worker = started;
  }

  async function perform<J extends JobName>(job: J, ask: Jobs[J]["ask"]) {
    if (isClosed) throw new JobFailed("Watchpost is being stopped.", true);
    clearTimeout(idle);
    const { promise, resolve } = Promise.withResolvers<Report | JobFailed>();
    waiting = resolve;
    const timer = setTimeout(() => {
      log.warn("a source map took too long", { job, limitMs });
      end(`It could not be read within ${limitMs / 1_000} s.`);
    }, limitMs);
    try {
      const request: Request<J> = { id: ++lastId, job, ask };
      running().postMessage(request);
      const report = await promise;
      if (report instanceof JobFailed) throw report;
      if (report.answer === null) throw new JobFailed(report.error);
      return report.answer as Jobs[J]["answer"];
    } finally {
      clearTimeout(timer);
      waiting = null;
      const rest = setTimeout(() => end("idle"), idleMs);
      Deno.unrefTimer(rest);
      idle = rest;
    }
  }

  return {
    run(job, ask) {
      const result = queue.then(() => perform(job, ask));
      queue = result.catch(() => {});
      return result;
    },
    close() {
      isClosed = true;
      clearTimeout(idle);
      end("Watchpost is being stopped.");
    },
  };
}
