/**
 * Does exports and deletions of people's data, one at a time and batch by batch: each batch is noted, so that what a
 * crash or a store that is away cut short goes on where it was, and between two batches everybody else has their turn.
 */
import { startLeased } from "../accounts/leased_clock.ts";
import type { Logger } from "../core/log.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { pause, type Repeated } from "../core/waiting.ts";
import {
  endJob,
  expiredJobs,
  identityOf,
  type Job,
  type JobStores,
  nextJob,
  noteExpired,
  noteProgress,
  type Part,
  type Progress,
} from "./jobs.ts";
import type { Identity } from "./identity.ts";
import { SOURCES } from "./sources/mod.ts";
import type { Counts, DataStores, Step } from "./sources/source.ts";

export interface WorkOptions extends JobStores, DataStores {
  readonly log: Pick<Logger, "error">;
  /** @default every 3 s; null: only when `run()` is called */
  readonly everyMs?: number | null;
}

const INTERVAL_MS = 3 * SECOND_MS;
/** Longer than a look and the batch with which it ends. */
const LEASE_MS = 10 * MINUTE_MS;
const LOOK_MS = 2 * MINUTE_MS;
/** Between two batches: intake comes first. */
const BREATH_MS = 20;
/** For so long an export can be downloaded. */
export const EXPORT_DAYS = 7;
/** Of one export. */
const MAX_EXPORT_BYTES = 2 * 1024 ** 3;

/** Starts doing what is asked for. */
export function startEndUserJobs(options: WorkOptions): Repeated {
  const { kv, sql, objects, log, everyMs = INTERVAL_MS } = options;
  return startLeased({ kv, log }, {
    name: "end_user_jobs",
    everyMs,
    leaseMs: LEASE_MS,
    failure: "cannot go on with an export or deletion of a person's data",
    work: async (stopping) => {
      // The right to the work is renewed by the next look.
      const until = performance.now() + LOOK_MS;
      while (!stopping.aborted && performance.now() < until) {
        const job = await nextJob(sql);
        if (job === null) break;
        await doJob(options, job, until, stopping);
      }
      for (const { id, parts } of await expiredJobs(sql)) {
        for (const { key } of parts) await objects.delete(key);
        await noteExpired(sql, id);
      }
    },
  });
}

/** @param until when to leave the rest to the next look, by `performance.now()` */
async function doJob(
  options: WorkOptions,
  job: Job,
  until: number,
  stopping: AbortSignal,
): Promise<void> {
  const { sql } = options;
  const who = await identityOf(options, job);
  if (who === null) {
    return await endJob(sql, job, "The key of this instance has changed: ask for it again.", 0);
  }
  let { progress, counts, parts } = job;
  while (!stopping.aborted && performance.now() < until) {
    const project = job.projects[progress.project];
    if (project === undefined) return await endJob(sql, { ...job, progress }, "", EXPORT_DAYS);
    const done = await doBatch(options, job, who, progress, parts);
    counts = { ...counts, [project.id]: sumOf(counts[project.id] ?? {}, done.counts) };
    parts = done.parts;
    const next = after(progress, done.cursor);
    if (!await noteProgress(sql, { id: job.id, counts, parts, progress }, next)) return;
    progress = next;
    if (parts.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_EXPORT_BYTES) {
      const error = "There is more than an export can hold (2 GB).";
      return await endJob(sql, { ...job, progress }, error, 0);
    }
    await pause(BREATH_MS, stopping);
  }
}

async function doBatch(
  options: WorkOptions,
  job: Job,
  who: Identity,
  { project, source, cursor }: Progress,
  parts: readonly Part[],
): Promise<Pick<Step, "cursor" | "counts"> & { readonly parts: readonly Part[] }> {
  const place = job.projects[project];
  const work = SOURCES[source];
  if (place === undefined || work === undefined) return { cursor: null, counts: {}, parts };
  const isErasing = job.kind === "erase";
  const step = await work.step(options, place.id, who, cursor, isErasing);
  if (isErasing) return { cursor: step.cursor, counts: step.counts, parts };
  const made = await keep(
    options,
    job,
    `${place.slug}/${work.name}.jsonl`,
    step,
    parts.length,
    place.slug,
  );
  return { cursor: step.cursor, counts: step.counts, parts: [...parts, ...made] };
}

/** Puts a batch into the object store. A batch that is done again writes the same keys. */
async function keep(
  { objects }: DataStores,
  job: Job,
  name: string,
  { lines, files }: Step,
  from: number,
  slug: string,
): Promise<Part[]> {
  const made: Part[] = [];
  const put = async (entry: string, bytes: Uint8Array) => {
    const number = String(from + made.length).padStart(6, "0");
    const key = `end_user_exports/${job.organizationId}/${job.id}/${number}`;
    await objects.put(key, bytes);
    made.push({ name: entry, key, bytes: bytes.length });
  };
  if (lines.length > 0) {
    const text = lines.map((line) => `${jsonOf(line)}\n`).join("");
    await put(name, new TextEncoder().encode(text));
  }
  for (const { name: file, key } of files) {
    const bytes = await objects.get(key);
    if (bytes !== null) await put(`${slug}/${file}`, bytes);
  }
  return made;
}

/** Spans may count in 64 bits, which JSON has no numbers for. */
function jsonOf(line: unknown): string {
  return JSON.stringify(line, (_, value) => typeof value === "bigint" ? value.toString() : value);
}

function after({ project, source }: Progress, cursor: string | null): Progress {
  if (cursor !== null) return { project, source, cursor };
  return source + 1 < SOURCES.length
    ? { project, source: source + 1, cursor: null }
    : { project: project + 1, source: 0, cursor: null };
}

function sumOf(one: Counts, other: Counts): Counts {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) {
    if (count > 0) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}

/** Share of a job that is done, 0 to 1: by sources, as nobody knows how much is in them. */
export function shareOf({ state, projects, progress }: Job): number {
  if (state !== "waiting") return 1;
  const all = projects.length * SOURCES.length;
  return all === 0 ? 1 : (progress.project * SOURCES.length + progress.source) / all;
}
