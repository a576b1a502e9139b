/**
 * How long one core takes to inflate, read and check profiles. Run with `deno run -A test/bench/pprof_decode.ts`;
 * files that are named behind are read as well.
 */
import { gzipSync } from "node:zlib";
import { decodePprof } from "../../lib/formats/pprof/decode.ts";
import { inflatePprof, isGzip } from "../../lib/formats/pprof/compression.ts";
import { DIVERSE, LARGE, makeProfile, MEGABYTE, TYPICAL } from "./pprof_profiles.ts";

const ROUNDS = 25;

/** The first run, which finds the code cold, the median and the worst of the others, in milliseconds. */
function times(run: () => unknown): string {
  const all = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  const [first = 0, ...others] = all;
  others.sort((a, b) => a - b);
  const shown = [first, others[others.length >> 1] ?? 0, others.at(-1) ?? 0];
  return shown.map((ms) => ms.toFixed(1).padStart(6)).join(" ");
}

const profiles: [string, Uint8Array][] = [
  ["diverse", gzipSync(makeProfile(DIVERSE))],
  ["large heap", gzipSync(makeProfile(LARGE))],
  ["1 MB", gzipSync(makeProfile(MEGABYTE))],
  ["typical", gzipSync(makeProfile(TYPICAL))],
];
for (const path of Deno.args) {
  const bytes = Deno.readFileSync(path);
  profiles.push([path.split("/").at(-1) ?? path, isGzip(bytes) ? bytes : gzipSync(bytes)]);
}
console.log("ms: first, median, worst");
for (const [name, gzipped] of profiles) {
  const plain = inflatePprof(gzipped);
  const { samples, locations } = decodePprof(plain).profile;
  const mega = (bytes: number) => (bytes / 1e6).toFixed(2);
  console.log(
    `${name}: ${mega(gzipped.length)} → ${mega(plain.length)} MB, ${samples.count} samples, ` +
      `${samples.locations.length} frames, ${locations.count} locations`,
  );
  console.log(`  inflate         ${times(() => inflatePprof(gzipped))}`);
  console.log(`  decode, check   ${times(() => decodePprof(plain))}`);
}
