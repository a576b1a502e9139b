/** Tries twice a second and every five seconds how this isolate and its stores are, and notes it among the measures. */
import { MEASURES, type POOLS } from "../../core/measures/measures.ts";
import { pause, repeat, withTimeLimit } from "../../core/waiting.ts";
import type { Writer } from "../../ingest/writer/writer.ts";
import type { Sql } from "../../store/database.ts";
import { noteReading } from "./recent.ts";
import { publishSlow } from "./slow_panel.tsx";

const TICK_MS = 500;
const PROBE_MS = 5_000;
/** A store that takes longer is as good as away. */
const LIMIT_MS = 2_000;

interface Watched {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly intakeSql: Sql;
  readonly writer: Pick<Writer, "waiting">;
}

/**
 * Watches until it is closed.
 *
 * @param probeMs how often stores are tried, in milliseconds. @default 5,000
 */
export function watchOwnHealth(watched: Watched, probeMs: number = PROBE_MS) {
  MEASURES.isolates.set(1);
  const stopTicking = tick(() => noteQueue(watched.writer));
  const probing = repeat(async (stopping) => {
    MEASURES.heap.set(Deno.memoryUsage().heapUsed);
    const ended = new AbortController();
    const end = AbortSignal.any([stopping, ended.signal]);
    // Whoever stops does not wait for a store that is away.
    await Promise.race([probeAll(watched), pause(LIMIT_MS * 2, end)]);
    ended.abort();
    noteReading();
    await publishSlow(watched.kv);
  }, () => probeMs);
  return {
    async close(): Promise<void> {
      stopTicking();
      await probing.close();
    },
  };
}

/** Calls `look` twice a second, and notes how late it comes to it. */
function tick(look: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    const due = performance.now() + TICK_MS;
    timer = setTimeout(() => {
      MEASURES.loopLag.observe(Math.max(0, performance.now() - due) / 1_000);
      look();
      wait();
    }, TICK_MS);
    // A process may end while nothing waits but this.
    Deno.unrefTimer(timer);
  };
  wait();
  return () => clearTimeout(timer);
}

function noteQueue(writer: Watched["writer"]): void {
  const { records, bytes, ageMs } = writer.waiting();
  MEASURES.queueRecords.set(records);
  MEASURES.queueBytes.set(bytes);
  MEASURES.queueAge.set(ageMs / 1_000);
}

async function probeAll({ kv, sql, intakeSql }: Watched): Promise<void> {
  await Promise.all([
    probe("kv", () => kv.get(["ready"]), (time) => MEASURES.kvLatency.observe(time)),
    probePool("pages", sql),
    probePool("intake", intakeSql),
  ]);
}

function probePool(pool: (typeof POOLS)[number], sql: Sql): Promise<void> {
  return probe(
    `postgres_${pool}`,
    () => sql`select 1`,
    (time) => MEASURES.postgresLatency.observe(time, pool),
  );
}

/** @param note told the seconds that it took */
async function probe(
  store: string,
  ask: () => PromiseLike<unknown>,
  note: (time: number) => void,
): Promise<void> {
  const began = performance.now();
  try {
    await withTimeLimit(Promise.resolve(ask()), LIMIT_MS);
    note((performance.now() - began) / 1_000);
  } catch {
    MEASURES.probeFailures.add(1, store);
  }
}
