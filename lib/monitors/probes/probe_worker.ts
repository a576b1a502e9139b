/** Entry of the Worker in which checks are made. */
import { probe, type ProbeOptions, type ProbeResult, type Target } from "./probe.ts";

/** A check to make; what ends one early is `{ stop: id }`. */
export interface ProberRequest {
  readonly id: number;
  readonly target: Target;
  readonly options: Omit<ProbeOptions, "signal" | "resolver">;
}

export interface ProberReport {
  readonly id: number;
  readonly result: ProbeResult;
}

const running = new Map<number, AbortController>();

self.addEventListener(
  "message",
  async ({ data }: MessageEvent<ProberRequest | { readonly stop: number }>) => {
    if ("stop" in data) return running.get(data.stop)?.abort();
    const { id, target, options } = data;
    const stopping = new AbortController();
    running.set(id, stopping);
    const result = await probe(target, { ...options, signal: stopping.signal });
    running.delete(id);
    const report: ProberReport = { id, result };
    self.postMessage(report);
  },
);
