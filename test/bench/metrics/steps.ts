/**
 * Nanoseconds that a sample takes, step by step from the body to the row: requests of 5,000 series, of which every one
 * brings the next points of the same. Prints a table; judges nothing.
 *
 *   deno run -A test/bench/metrics/steps.ts [rounds]
 */
import { inflate } from "@/lib/ingest/inflate.ts";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { prometheusWrite } from "@/lib/ingest/protocols/prometheus.ts";
import { packedBatch } from "@/lib/metrics/codec/batch.ts";
import { openSeriesLimits } from "@/lib/metrics/series_limits.ts";
import { limitSeries } from "@/lib/ingest/admit.ts";
import type { Batch } from "@/lib/records/mod.ts";
import type { Sql } from "@/lib/store/database.ts";
import { decodeContext } from "../../support/decode_context.ts";
import { makeRequest, SERIES, type Way, WAYS } from "./load.ts";

const rounds = Number(Deno.args[0] ?? 60);
const MAX_BYTES = 12_000_000;
const spent = new Map<string, number>();

const { policy } = decodeContext();
async function steps(way: Way): Promise<void> {
  const limits = openSeriesLimits(noSql());
  const { protocol, contentType, encoding } = {
    ...WAYS[way],
    protocol: way === "otlp" ? otlpMetrics : prometheusWrite,
  };
  const bodies = Array.from({ length: rounds }, (_, index) => makeRequest(way, index).body);
  for (let pass = 0; pass < 2; pass++) {
    spent.clear();
    for (const body of bodies) {
      const context = decodeContext({
        contentType,
        policy,
        receivedAt: new Date(),
        requestId: crypto.randomUUID(),
      });
      const bytes = timed("unpack", () => inflate(body, encoding, MAX_BYTES));
      const batch = timed("decode", () => protocol.decode(bytes, context)) as Batch;
      const began = performance.now();
      const limited = await limitSeries(batch, "1", limits);
      note("limits", performance.now() - began);
      const [record] = limited.records;
      if (record?.kind !== "metrics") throw new Error("no metrics");
      timed("pack", () => packedBatch(record));
    }
  }
  console.log(`\n${WAYS[way].name}`);
  let whole = 0;
  for (const [step, ms] of spent) {
    whole += ms;
    console.log(`  ${step.padEnd(12)} ${(ms * 1e6 / rounds / SERIES).toFixed(0).padStart(6)} ns`);
  }
  console.log(`  ${"all".padEnd(12)} ${(whole * 1e6 / rounds / SERIES).toFixed(0).padStart(6)} ns`);
}

function timed<T>(step: string, run: () => T): T {
  const began = performance.now();
  const result = run();
  note(step, performance.now() - began);
  return result;
}

function note(step: string, ms: number): void {
  spent.set(step, (spent.get(step) ?? 0) + ms);
}

function noSql(): Sql {
  return (() => Promise.resolve([])) as unknown as Sql;
}

await steps("otlp");
await steps("remoteWrite");
