import { PprofBuilder } from "../../lib/formats/pprof/encode.ts";

/** How large a made profile is. */
export interface ProfileSize {
  readonly samples: number;
  readonly functions: number;
  /** Locations; some of them have an inlined function. */
  readonly locations: number;
  readonly depth: number;
  /** How many values each sample has: as Go's profiles of processors (2) or of memory (4). */
  readonly types: 2 | 4;
}

/** As those of a service that Go's profiler watched for half a minute. */
export const TYPICAL: ProfileSize = {
  samples: 500,
  functions: 400,
  locations: 600,
  depth: 30,
  types: 2,
};

/** The memory of a large service: 3.5 MB of plain protobuf. */
export const LARGE: ProfileSize = {
  samples: 41_000,
  functions: 3_500,
  locations: 13_000,
  depth: 24,
  types: 4,
};

/** A megabyte of plain protobuf. */
export const MEGABYTE: ProfileSize = {
  samples: 10_000,
  functions: 3_500,
  locations: 8_000,
  depth: 24,
  types: 2,
};

/** A long watch of a large program, as many functions as samples: 4.5 MB of plain protobuf. */
export const DIVERSE: ProfileSize = {
  samples: 20_000,
  functions: 23_000,
  locations: 23_300,
  depth: 30,
  types: 2,
};

const TYPES = {
  2: [{ type: "samples", unit: "count" }, { type: "cpu", unit: "nanoseconds" }],
  4: [
    { type: "alloc_objects", unit: "count" },
    { type: "alloc_space", unit: "bytes" },
    { type: "inuse_objects", unit: "count" },
    { type: "inuse_space", unit: "bytes" },
  ],
};

/** Makes a profile, the same again for the same size and seed: plain protobuf. */
export function makeProfile(size: ProfileSize, seed = 1): Uint8Array {
  const random = lehmer(seed);
  const builder = new PprofBuilder({
    sampleTypes: TYPES[size.types],
    timeNanos: 1_795_000_000_000_000_000n + BigInt(seed) * 30_000_000_000n,
    durationNanos: 30_000_000_000n,
    periodType: size.types === 2
      ? { type: "cpu", unit: "nanoseconds" }
      : { type: "space", unit: "bytes" },
    period: size.types === 2 ? 10_000_000n : 524_288n,
  });
  const mapping = builder.mapping("/usr/local/bin/shop");
  const functions = Array.from({ length: size.functions }, (_, i) => {
    const part = i % 211;
    const name = `example.com/shop/internal/part${part}.(*Type${i % 17}).Method${i}`;
    return builder.function(name, `/src/shop/internal/part${part}/file${i % 1009}.go`);
  });
  const locations = Array.from({ length: size.locations }, (_, i) => {
    const line = (n: number) => ({
      function: functions[n % functions.length] ?? 0,
      line: 1 + n % 997,
      column: 0,
    });
    const lines = i % 5 === 0 ? [line(7 * i + 3), line(i)] : [line(i)];
    return builder.location(lines, { mapping, address: 0x400000n + BigInt(i) * 16n });
  });
  for (let i = 0; i < size.samples; i++) {
    const depth = 1 + Math.floor(random() * 2 * size.depth);
    // Frames near the root are the same in most stacks, as in a program.
    const stack = Array.from({ length: depth }, (_, level) => {
      const choices = Math.min(locations.length, 2 + (depth - level) ** 4);
      return locations[Math.floor(random() * choices)] ?? 1;
    });
    const count = BigInt(1 + Math.floor(random() * 4));
    const values = size.types === 2
      ? [count, count * 10_000_000n]
      : [count, count * 4096n, count / 2n, (count / 2n) * 4096n];
    builder.sample(
      stack,
      values,
      size.types === 4 ? [{ key: "bytes", number: 4096n, unit: "bytes" }] : [],
    );
  }
  return builder.toBytes();
}

/** Numbers between 0 and 1 by Park and Miller. */
function lehmer(seed: number): () => number {
  let state = seed * 7_919 % 2_147_483_647;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
}
