import { MINUTE_MS } from "../core/time.ts";
import { KV_LIMIT_MS, returnLease, takeLease } from "../accounts/kv.ts";
import type { Backend } from "../store/stores.ts";
import { compactProject, unsettledProjects } from "./compact/compact_project.ts";
import { waitingProjects } from "./compact/pack_waiting.ts";
import { withTimeLimit } from "../core/waiting.ts";

/** Between two looks. */
const INTERVAL_MS = 10_000;
/** What a project that ended in the middle has left is another's after this time. */
const LEASE_MS = 120_000;
/** So many points are worth packing. */
const MANY_POINTS = 20_000;
/** Fewer wait so long at most. */
const MAX_AGE_MS = 2 * MINUTE_MS;
/** Pieces of work that a project gets before the next look. */
const MAX_ROUNDS = 50;

export interface Compaction {
  /** Does what is due now, but for projects that other isolates are at. Never throws. */
  run(): Promise<void>;
  /** Resolves when what runs has come to a stop, soon. */
  close(): Promise<void>;
}

/** Packs the points of metrics, settles and rolls them up, each project in one isolate at a time. */
export function startCompaction({ kv, sql, log }: Pick<Backend, "kv" | "sql" | "log">): Compaction {
  const holder = crypto.randomUUID();
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let timer = setTimeout(again, INTERVAL_MS);

  function again(): void {
    const next = run();
    void next.then(() => {
      if (!stopping.signal.aborted) timer = setTimeout(again, INTERVAL_MS);
    });
  }

  function run(): Promise<void> {
    return running ??= work().finally(() => running = null);
  }

  async function work(): Promise<void> {
    try {
      let busy = await dueProjects();
      // In turns: who sends most waits as long as everybody else.
      for (let round = 0; round < MAX_ROUNDS && busy.size > 0; round++) {
        const next = new Map<string, boolean>();
        for (const [projectId, isPacking] of busy) {
          if (stopping.signal.aborted) return;
          if (await compactInTurn(projectId, isPacking)) next.set(projectId, isPacking);
        }
        busy = next.size === 0
          ? next
          : new Map([...await dueProjects()].filter(([id]) => next.has(id)));
      }
    } catch (error) {
      // A store is away, for instance: the next run makes up for it.
      if (!stopping.signal.aborted) log.error("cannot compact metrics", { error });
    }
  }

  /** With whether enough points wait to be packed. */
  async function dueProjects(): Promise<Map<string, boolean>> {
    const due = new Map<string, boolean>();
    for (const projectId of await unsettledProjects(sql, new Date())) due.set(projectId, false);
    for (const { projectId, points, ageMs } of await waitingProjects(sql)) {
      if (points >= MANY_POINTS || ageMs >= MAX_AGE_MS) due.set(projectId, true);
    }
    return due;
  }

  /** One project's trouble is not another's. */
  async function compactInTurn(projectId: string, isPacking: boolean): Promise<boolean> {
    const work = `metrics_${projectId}`;
    if (!await withTimeLimit(takeLease(kv, work, holder, LEASE_MS), KV_LIMIT_MS)) return false;
    try {
      const options = { isPacking, now: new Date(), stopping: stopping.signal };
      return await compactProject({ sql, log }, projectId, options);
    } catch (error) {
      if (!stopping.signal.aborted) log.error("cannot compact metrics", { projectId, error });
      return false;
    } finally {
      await withTimeLimit(returnLease(kv, work, holder), KV_LIMIT_MS).catch(() => {});
    }
  }

  return {
    run,
    async close() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
