/** speedscope opens what is exported, and finds the same values in it. */
import assert from "node:assert/strict";
import { decodePprof } from "../../lib/formats/pprof/decode.ts";
import { callTree } from "../../lib/profiles/trees/call_tree.ts";
import {
  timeOrderSpeedscope,
  toPprof,
  toSpeedscope,
} from "../../lib/profiles/exports/stack_files.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { pprofBytes } from "../support/pprof.ts";
import { nodeService } from "./clients/services.ts";
import { merged } from "./profiling/read_back.ts";
import { type Speedscope, startSpeedscope } from "./profiling/speedscope.ts";

const CPU = { type: "cpu", unit: "nanoseconds" };
const SPACE = { type: "inuse_space", unit: "bytes" };

const installed = await nodeService("profiles_speedscope");

/** `main.price` calls itself, which counts once. */
const SAMPLES = [
  { stack: ["main.main", "main.price", "main.price", "main.hash"], values: [3n, 30_000_000n] },
  { stack: ["main.main", "main.price"], values: [1n, 10_000_000n] },
];
const ROWS = [
  { name: "main.hash", total: "30.00ms (75%)", self: "30.00ms (75%)" },
  { name: "main.main", total: "40.00ms (100%)", self: "0.00ns (<0.01%)" },
  { name: "main.price", total: "40.00ms (100%)", self: "10.00ms (25%)" },
];

opened("speedscope opens an export for it, and an export as pprof", async (speedscope) => {
  const stacks = merged([pprofBytes(SAMPLES)]);
  const own = await speedscope.open("shop.json", toSpeedscope(callTree(stacks, CPU), "shop"));
  assert.deepEqual(own.sort(byName), ROWS);
  const pprof = await speedscope.open("shop.pb", toPprof(stacks, { timeNanos: 0n }));
  assert.deepEqual(pprof.sort(byName), ROWS);
});

opened("speedscope opens a profile of memory in bytes", async (speedscope) => {
  const samples = [{ stack: ["main.main", "main.keep"], values: [3n * 1024n * 1024n] }];
  const stacks = merged([pprofBytes(samples, { sampleTypes: [SPACE], durationNanos: 0n })]);
  const rows = await speedscope.open("shop.json", toSpeedscope(callTree(stacks, SPACE), "shop"));
  assert.deepEqual(rows.map(({ name, self }) => [name, self]).sort(), [
    ["main.keep", "3.00 MB (100%)"],
    ["main.main", "0 B (<0.01%)"],
  ]);
});

opened("speedscope opens a profile as it went", async (speedscope) => {
  const samples = SAMPLES.map(({ stack, values }, at) => ({
    stack,
    values,
    labels: [
      { key: "thread_id", text: "1" },
      { key: "thread_name", text: "main" },
      { key: "offset", number: BigInt(at) * 30_000_000n, unit: "nanoseconds" },
    ],
  }));
  const { profile } = decodePprof(pprofBytes(samples));
  const rows = await speedscope.open("shop.json", timeOrderSpeedscope(profile, CPU, "shop"));
  assert.deepEqual(rows.sort(byName), ROWS);
});

function opened(name: string, run: (speedscope: Speedscope) => Promise<void>): void {
  Deno.test({
    name,
    ignore: installed === null || CHROMIUM === null,
    // Playwright keeps handles of its own until the process ends.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      if (installed === null) return;
      const directory = new URL("node_modules/speedscope/dist/release/", installed.directory);
      await using browser = await openBrowser();
      await using speedscope = startSpeedscope(directory, browser);
      await run(speedscope);
    },
  });
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
