/** Small pprof profiles, for tests of what is taken and stored. */
import { gzipSync } from "node:zlib";
import { PprofBuilder, type PprofHead, type PprofLabel } from "../../lib/formats/pprof/encode.ts";

/** A stack with its values. */
export interface TestSample {
  /** Names of functions, the outermost first. */
  readonly stack: readonly string[];
  readonly values: readonly bigint[];
  readonly labels?: readonly PprofLabel[];
}

const CPU: Pick<PprofHead, "sampleTypes" | "periodType" | "period"> = {
  sampleTypes: [{ type: "samples", unit: "count" }, { type: "cpu", unit: "nanoseconds" }],
  periodType: { type: "cpu", unit: "nanoseconds" },
  period: 10_000_000n,
};

export const CPU_SAMPLES: readonly TestSample[] = [
  { stack: ["main.main", "main.work", "main.hash"], values: [3n, 30_000_000n] },
  { stack: ["main.main", "main.work"], values: [1n, 10_000_000n] },
];

/**
 * A profile as Go's runtime writes it: ten seconds, begun a minute ago.
 *
 * @returns the message, not compressed
 */
export function pprofBytes(
  samples: readonly TestSample[] = CPU_SAMPLES,
  head: Partial<PprofHead> = {},
): Uint8Array<ArrayBuffer> {
  const builder = new PprofBuilder({
    ...CPU,
    timeNanos: BigInt(Date.now() - 60_000) * 1_000_000n,
    durationNanos: 10_000_000_000n,
    ...head,
  });
  const locations = new Map<string, number>();
  const locationOf = (name: string) => {
    const known = locations.get(name);
    if (known !== undefined) return known;
    const line = { function: builder.function(name, "/src/main.go"), line: 7, column: 0 };
    const location = builder.location([line], {});
    locations.set(name, location);
    return location;
  };
  for (const { stack, values, labels = [] } of samples) {
    builder.sample(stack.map(locationOf).reverse(), values, labels);
  }
  return new Uint8Array(builder.toBytes());
}

/** The same, gzip-compressed. */
export function pprofGzip(...parameters: Parameters<typeof pprofBytes>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(pprofBytes(...parameters)));
}
