/**
 * What rates cost KV when a project's requests are spread over many isolates: reads, commits and those that met another
 * writer, and how much of the limit senders get. All isolates are simulated in one process, each with leases of its own, on
 * one KV: the embedded file, and `denokv` where it is built. Their requests come at random, as a balancer without a hash
 * sends them.
 */
import { join } from "node:path";
import type { LeaseStore } from "../../../lib/accounts/rate_lease.ts";
import { openRates } from "../../../lib/accounts/rates.ts";
import { SECOND_MS } from "../../../lib/core/time.ts";
import { findDenoKv, startDenoKv } from "../../support/denokv.ts";
import type { Bench, Figure } from "../table.ts";

const ISOLATES = [1, 10, 100, 300];
const PROJECTS = 4;
/** As many requests a second as an installation lets a project send by default. */
const LIMIT = 500;
/** Requests a second for each that the limit allows. */
const LOADS = { "half the rate": 0.5, "nine tenths of the rate": 0.9, "twice the rate": 2 };
const TICK_MS = 5;
/** The first windows may spend the burst. */
const WARM_UP_SEC = 2;

interface Counted {
  reads: number;
  commits: number;
  /** Of the commits: somebody else had written meanwhile. */
  conflicts: number;
  permits: number;
  refusals: number;
  /** Nobody could say: other writers were faster each time. */
  failures: number;
}

const NOTHING: Readonly<Counted> = {
  reads: 0,
  commits: 0,
  conflicts: 0,
  permits: 0,
  refusals: 0,
  failures: 0,
};

/** The part of the bench. */
export async function benchLeases({ seconds }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  const dir = await Deno.makeTempDir({ prefix: "watchpost-bench-kv-" });
  try {
    using file = await Deno.openKv(join(dir, "kv.sqlite3"));
    figures.push(...await benchOn(file, "file", seconds));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  const program = await findDenoKv();
  if (program === null) return figures;
  await using server = await startDenoKv(program);
  Deno.env.set("DENO_KV_ACCESS_TOKEN", server.env.DENO_KV_ACCESS_TOKEN);
  using kv = await Deno.openKv(server.env.DENO_KV_URL);
  figures.push(...await benchOn(kv, "denokv", seconds));
  return figures;
}

async function benchOn(kv: Deno.Kv, store: string, seconds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [load, factor] of Object.entries(LOADS)) {
    for (const isolates of ISOLATES) {
      const counted = await spend(kv, isolates, factor * LIMIT, seconds);
      const part = `leases on ${store}, ${load}, ${isolates} isolates`;
      const wanted = Math.min(factor, 1) * LIMIT * PROJECTS;
      const line = (figure: string, unit: string, ours: number): Figure => ({
        part,
        figure,
        unit,
        ours,
      });
      figures.push(
        line("reads", "/s", counted.reads / seconds),
        line("commits", "/s", counted.commits / seconds),
        line("reads and commits a permit", "", (counted.reads + counted.commits) / counted.permits),
        line("requests without an answer", "/s", counted.failures / seconds),
        line("commits that met another writer", "%", 100 * counted.conflicts / counted.commits),
        {
          ...line("permits", "/s", counted.permits / seconds),
          limit: { name: factor > 1 ? "the rate" : "what was sent", value: wanted },
        },
      );
    }
  }
  return figures;
}

/** Lets isolates take permits of some projects for so long. */
async function spend(
  kv: Deno.Kv,
  isolates: number,
  perSec: number,
  seconds: number,
): Promise<Counted> {
  const counted: Counted = { ...NOTHING };
  const projects = Array.from({ length: PROJECTS }, () => crypto.randomUUID());
  const limiters = Array.from({ length: isolates }, () => openRates(countingStore(kv, counted)));
  const taking = new Set<Promise<void>>();
  const take = (projectId: string) => {
    const limiter = limiters[Math.floor(Math.random() * isolates)];
    const taken = limiter?.take(projectId, LIMIT).then(({ ok }) => {
      if (ok) counted.permits++;
      else counted.refusals++;
    }, () => {
      counted.failures++;
    });
    if (taken === undefined) return;
    taking.add(taken);
    taken.finally(() => taking.delete(taken));
  };
  const began = performance.now();
  let isWarm = false;
  for (let sent = 0;;) {
    const passed = performance.now() - began;
    if (!isWarm && passed >= WARM_UP_SEC * SECOND_MS) {
      isWarm = true;
      Object.assign(counted, NOTHING);
    }
    if (passed >= (WARM_UP_SEC + seconds) * SECOND_MS) break;
    const due = Math.floor(passed / SECOND_MS * perSec);
    for (; sent < due; sent++) projects.forEach(take);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const result = { ...counted };
  await Promise.allSettled(taking);
  await Promise.all(limiters.map((limiter) => limiter.close()));
  return result;
}

/** The store as one isolate sees it. */
function countingStore(kv: Deno.Kv, counted: Counted): LeaseStore {
  return {
    get(key, options) {
      counted.reads++;
      return kv.get(key, options);
    },
    atomic() {
      const operation = kv.atomic();
      const commit = operation.commit.bind(operation);
      operation.commit = async () => {
        counted.commits++;
        const result = await commit();
        if (!result.ok) counted.conflicts++;
        return result;
      };
      return operation;
    },
  };
}
