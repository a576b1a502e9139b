/** What the least that could be done with bytes costs on this machine, in seconds of CPU a piece. */
import process from "node:process";
import { gunzipSync } from "node:zlib";
import type { Bound } from "./table.ts";

const ROUNDS = 5;
const ROUND_MS = 120;

/** `JSON.parse` of texts. */
export function jsonParse(texts: readonly string[], times: number): Bound {
  return { name: "JSON.parse", value: times * secondsEach(texts, (text) => JSON.parse(text)) };
}

/** A copy of bytes in memory. */
export function copied(pieces: readonly Uint8Array[], times: number): Bound {
  return { name: "memcpy", value: times * secondsEach(pieces, (piece) => piece.slice()) };
}

/** Taking gzip off. */
export function gunzipped(pieces: readonly Uint8Array[], times: number): Bound {
  return { name: "gunzip", value: times * secondsEach(pieces, (piece) => gunzipSync(piece)) };
}

/** The least of several rounds: whatever else the machine does only adds to it. */
function secondsEach<T>(items: readonly T[], run: (item: T) => unknown): number {
  let least = Infinity;
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    const before = process.cpuUsage().user;
    let count = 0;
    while (performance.now() - began < ROUND_MS) {
      for (const item of items) run(item);
      count += items.length;
    }
    const each = (process.cpuUsage().user - before) / 1e6 / count;
    // The first round finds the code cold.
    if (round > 0) least = Math.min(least, each);
  }
  return least;
}
