import v8 from "node:v8";
import vm from "node:vm";

/** What a piece of work took. */
export interface Cost {
  /** Milliseconds of this thread on a processor, where the system tells; else of the clock. */
  readonly cpuMs: number;
  /** Megabytes that were in use at its end, beyond those before. Where they were freed meanwhile it is less. */
  readonly megabytes: number;
}

/** Runs something and tells what it took. @param work its result is in memory when that is looked at */
export async function costOf(work: () => unknown): Promise<Cost> {
  collect();
  const before = inUse();
  const start = threadMs();
  const result = await work();
  const cpuMs = threadMs() - start;
  const megabytes = (inUse() - before) / 1e6;
  return { cpuMs, megabytes: result === undefined ? 0 : megabytes };
}

function inUse(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Others use the machine at the same time: what they take is not counted. */
function threadMs(): number {
  if (Deno.build.os !== "linux") return performance.now();
  const [nanos = ""] = Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ");
  return Number(nanos) / 1e6;
}

let collect = (): void => {
  v8.setFlagsFromString("--expose-gc");
  collect = vm.runInNewContext("gc");
  collect();
};
