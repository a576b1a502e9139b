import { type PreparedRequests, type Replay, replay } from "../replay.ts";
import type { LoadResult } from "../wrk.ts";

/** A program under load: the service, or another that takes the same requests. */
export interface Target {
  readonly name: string;
  readonly url: string;
  /** As {@linkcode Replay} has them. */
  readonly paths: readonly string[];
  /** CPU seconds so far, of all processes that take part, those of its database included. */
  cpu(): number;
  /** How much it has stored so far. */
  stored(): Promise<number>;
}

export type Peer = Target & AsyncDisposable;

/** What came of the turns of a target. */
export interface Turns {
  readonly perSec: number;
  /** CPU seconds for each thing stored. */
  readonly cpuEach: number;
  readonly loads: readonly LoadResult[];
}

type Load = Pick<Replay, "encoding" | "contentType" | "connections"> & {
  readonly seconds: number;
  /** Makes other requests each time. */
  readonly prepare: () => Promise<PreparedRequests>;
};

/** Work that is not stored this long after its turn is lost. */
const SETTLE_LIMIT_MS = 120_000;
const LOOK_MS = 200;

/** Sends the same load to each in turns, as machines are not as fast all the time. */
export async function inTurns(
  targets: readonly Target[],
  rounds: number,
  load: Load,
): Promise<Turns[]> {
  const sums = targets.map(() => ({
    stored: 0,
    seconds: 0,
    cpu: 0,
    loads: [] as LoadResult[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const [place, target] of targets.entries()) {
      const sum = sums[place];
      if (sum === undefined) continue;
      await using requests = await load.prepare();
      const before = { stored: await target.stored(), cpu: target.cpu() };
      const began = performance.now();
      const { prepare: _, ...sending } = load;
      const { url, paths } = target;
      sum.loads.push(await replay(requests, { ...sending, url, paths, rate: 0 }));
      const { stored, at } = await settled(target);
      sum.seconds += (at - began) / 1000;
      sum.stored += stored - before.stored;
      sum.cpu += target.cpu() - before.cpu;
    }
  }
  return sums.map(({ stored, seconds, cpu, loads }) => ({
    perSec: stored / seconds,
    cpuEach: cpu / stored,
    loads,
  }));
}

/** What is stored when no more comes, and when that was so first: some answer before they store. */
async function settled(target: Target): Promise<{ stored: number; at: number }> {
  let stored = await target.stored();
  let at = performance.now();
  const limit = at + SETTLE_LIMIT_MS;
  for (let quiet = 0; quiet < 5 && performance.now() < limit;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await target.stored();
    quiet = now === stored ? quiet + 1 : 0;
    if (now !== stored) at = performance.now();
    stored = now;
  }
  return { stored, at };
}
