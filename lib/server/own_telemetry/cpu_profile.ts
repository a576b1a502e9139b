/** Samples what this isolate computes, by V8's own profiler. */
import { Session } from "node:inspector/promises";
import { pause } from "../../core/waiting.ts";

/** As V8 tells it; see https://chromedevtools.github.io/devtools-protocol/tot/Profiler/. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly functionName: string;
    readonly url: string;
    /** From 0. */
    readonly line: number;
    readonly column: number;
    readonly children: readonly number[];
  }[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Microseconds; a hundredth of a second is enough for what takes minutes of a day. */
const INTERVAL = 10_000;

/** Samples for a while, or until it is to stop. */
export async function sampleCpu(forMs: number, stopping: AbortSignal): Promise<CpuProfile> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: INTERVAL });
    const startedAt = Date.now();
    await session.post("Profiler.start");
    await pause(forMs, stopping);
    const { profile } = await session.post("Profiler.stop");
    return {
      nodes: profile.nodes.map(({ id, callFrame, children = [] }) => ({
        id,
        functionName: callFrame.functionName,
        url: callFrame.url,
        line: callFrame.lineNumber,
        column: callFrame.columnNumber,
        children,
      })),
      samples: profile.samples ?? [],
      timeDeltas: profile.timeDeltas ?? [],
      startedAt,
    };
  } finally {
    session.disconnect();
  }
}
