/**
 * Looks for requests that cost more than they should: few bytes that unfold into many values. `TEST_FUZZ_RUNS` says
 * for how long.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { protocolNamed } from "@/lib/ingest/protocols/named.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { type Batch, countOf } from "@/lib/records/mod.ts";
import { costOf } from "../../support/cost.ts";
import { decodeContext } from "../../support/decode_context.ts";
import { type Flood, flood, knownFloods } from "../../support/fuzz/floods.ts";
import { timeBudget } from "../../support/time_budget.ts";

const RUNS = Math.ceil(Number(Deno.env.get("TEST_FUZZ_RUNS") || 1_000) / 500);
/** Each run looks at one in so many of those that are known, a second each. */
const SHARES = 4;
/** Larger requests are refused before anybody looks into them. */
const MAX_SENT = 1_000_000;
const MAX_MS = 250;
const MAX_MEGABYTES = 64;
/** What becomes of a request, up to the numbers that docs/protocols.md names, costs so much for each that is kept. */
const MS_OF_ONE = 0.02;
const MEGABYTES_OF_ONE = 0.003;

/** How many things a request was read as. */
async function decode({ protocol, contentType }: Flood, body: Uint8Array): Promise<number> {
  const context = decodeContext({ contentType, address: "/ingest?name=a&from=1&until=2" });
  try {
    return kept(await protocolNamed(protocol).decode(body, context));
  } catch (error) {
    if (error instanceof Refusal) return 0;
    throw error;
  }
}

/** Points and OTLP's items that are rejected were read as well; there are no more of them than of those that are kept. */
function kept({ records, outcomes }: Batch): number {
  const rejected = outcomes.filter(({ kind }) => kind === "invalid" || kind === "duplicate");
  const stored = records.reduce((sum, record) => sum + countOf(record).quantity, 0);
  return stored + rejected.reduce((sum, { quantity }) => sum + Math.min(quantity, 200_000), 0);
}

const TRIES = 3;

/** What is wrong with what a request costs, or null. */
async function excessOf(request: Flood): Promise<string | null> {
  const body = request.body();
  for (let attempt = 1;; attempt++) {
    let items = 0;
    const { cpuMs, megabytes } = await costOf(async () => items = await decode(request, body));
    const mostMs = MAX_MS + MS_OF_ONE * items;
    const most = MAX_MEGABYTES + MEGABYTES_OF_ONE * items;
    if (cpuMs <= mostMs && megabytes <= most) return null;
    if (gzipSync(body).length > MAX_SENT) return null;
    if (attempt < TRIES) continue;
    if (megabytes <= most && cpuMs <= timeBudget(mostMs)) return null;
    return `${request.name}: ${cpuMs.toFixed(0)} ms of ${mostMs.toFixed(0)}, ${
      megabytes.toFixed(0)
    } MB of ${most.toFixed(0)}`;
  }
}

Deno.test("no flood of tiny values in any format costs a quarter of a second or 64 MB", async () => {
  const excesses: (string | null)[] = [];
  const first = Math.floor(Math.random() * SHARES);
  for (const [index, request] of knownFloods().entries()) {
    if (index % SHARES === first) excesses.push(await excessOf(request));
  }
  assert.deepEqual(excesses.filter((each) => each !== null), []);
});

Deno.test("nor does any that a search finds", async () => {
  const isCheap = async (request: Flood) => assert.equal(await excessOf(request), null);
  await fc.assert(fc.asyncProperty(flood, isCheap), { numRuns: RUNS, endOnFailure: true });
});
