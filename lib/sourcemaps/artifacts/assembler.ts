/**
 * Puts uploads together in the background. Each is a row that one process leases at a time and renews while it works: when a
 * process ends, another one goes on. A fencing number, its attempts, keeps who was too slow from having the last word.
 */
import type postgres from "postgres";
import type { Logger } from "../../core/log.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { repeat, type Repeated, Turns } from "../../core/waiting.ts";
import type { Config } from "../../core/config.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { ofProject, projectsApart } from "../../store/sharding.ts";
import { onUpload } from "./assemble.ts";
import { openBundle } from "./bundle.ts";
import { ChunksGone, noteAssembled, openChunks } from "./chunks.ts";
import { normalDebugId } from "./debug_ids.ts";
import { BadUpload, PROGUARD_BYTES } from "./limits.ts";
import { type NewBundle, proguardFile, saveBundle, uuidOfProguard } from "./save_bundle.ts";
import { spaceOf } from "./stored_files.ts";
import type { RandomAccess } from "./zip.ts";

/** For uploads that another process took, or none did because it failed before. */
const INTERVAL_MS = 2 * SECOND_MS;
const LEASE_MS = MINUTE_MS;
const RENEW_MS = 10 * SECOND_MS;
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 2 * SECOND_MS;

interface AssemblerOptions {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly config: Pick<Config, "sourceMapsMaxBytes" | "bundleMaxBytes">;
}

interface Job {
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: "bundle" | "proguard";
  readonly sha1: string;
  readonly release: string;
  readonly dist: string;
  readonly name: string;
  readonly chunks: readonly string[];
  readonly attempts: number;
}

/** Another process has taken the job over, or its project has gone. */
class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** Works on what is there whenever something has come, and every few seconds. `run()` works until nothing is left. */
export function startAssembler(options: AssemblerOptions): Repeated {
  const { sql, log } = options;
  async function work(stopping: AbortSignal): Promise<void> {
    try {
      while (!stopping.aborted) {
        const job = await takeJob(sql);
        if (job === null) return;
        await doJob(job, options, stopping);
      }
    } catch (error) {
      // Postgres is away, for instance: the next run makes up for it.
      log.error("cannot put uploads together", { error });
    }
  }
  const repeated = repeat(work, () => INTERVAL_MS);
  onUpload(sql, () => void repeated.run());
  return {
    run: repeated.run,
    async close() {
      onUpload(sql, null);
      await repeated.close();
    },
  };
}

async function takeJob(sql: Sql): Promise<Job | null> {
  const isFree = sql`state in ('created', 'assembling') and leased_until <= now()`;
  for (const projectId of await projectsApart(sql, "artifact_assemblies", isFree)) {
    const job = await takeOf(sql, isFree, projectId);
    if (job !== null) return job;
  }
  return null;
}

async function takeOf(
  sql: Sql,
  isFree: postgres.Fragment,
  projectId: string | null,
): Promise<Job | null> {
  const [job] = await sql<Job[]>`
    with next as (
      select project_id, kind, sha1, release, dist from artifact_assemblies
      where ${isFree} ${ofProject(sql, projectId)}
      order by leased_until limit 1 for update skip locked
    )
    update artifact_assemblies a
    set state = 'assembling', attempts = attempts + 1, leased_until = now() + ${LEASE_MS} * interval '1 ms'
    from next where (a.project_id, a.kind, a.sha1, a.release, a.dist)
      = (next.project_id, next.kind, next.sha1, next.release, next.dist)
      ${ofProject(sql, projectId, "a")}
    returning a.project_id as "projectId", organization_id as "organizationId", a.kind, a.sha1,
      a.release, a.dist, name, chunks, attempts
  `;
  return job ?? null;
}

async function doJob(job: Job, options: AssemblerOptions, stopping: AbortSignal): Promise<void> {
  const { sql, log } = options;
  const facts = { project: job.projectId, sha1: job.sha1, attempt: job.attempts };
  try {
    if (job.attempts > MAX_ATTEMPTS) {
      throw new BadUpload(
        "The upload could not be stored: see the log of Watchpost, and send it again.",
      );
    }
    await assembleJob(job, options, stopping);
    log.info("put an upload together", facts);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (error instanceof ChunksGone) await forgetJob(sql, job);
    else if (error instanceof BadUpload) {
      log.info("refused an upload", { ...facts, reason: error.message });
      await endJob(sql, job, error.message);
    } else {
      if (!stopping.aborted) log.warn("cannot put an upload together yet", { ...facts, error });
      await giveBack(sql, job, stopping.aborted);
    }
  }
}

async function assembleJob(
  job: Job,
  { sql, objects, config }: AssemblerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { organizationId, projectId, kind, sha1, chunks } = job;
  const maxBytes = kind === "proguard" ? PROGUARD_BYTES : config.bundleMaxBytes;
  const file = await openChunks({ sql, objects }, organizationId, chunks, maxBytes);
  if (await file.sha1() !== sha1) throw new BadUpload("Reported checksum mismatch");
  const opened = kind === "proguard" ? mappingOf(job, file) : await openBundle(file);
  const bundle: NewBundle = {
    projectId,
    organizationId,
    kind,
    sha1,
    release: job.release || opened.release,
    dist: job.dist || opened.dist,
    files: opened.files,
  };
  await saveBundle(bundle, {
    sql,
    objects,
    space: await spaceOf(sql, organizationId, config.sourceMapsMaxBytes),
    goOn: pacer(sql, job, stopping),
    also: (tx, bundleId) => finishJob(tx, job, bundleId),
  });
  await noteAssembled(sql, organizationId, chunks);
}

function mappingOf(
  { name }: Job,
  file: RandomAccess,
): Pick<NewBundle, "release" | "dist" | "files"> {
  const debugId = normalDebugId(uuidOfProguard(name) ?? "");
  if (debugId === null) throw new BadUpload("A ProGuard mapping file needs a UUID in its name.");
  const read = () => file.read(0, file.size);
  return { release: "", dist: "", files: [proguardFile(name, debugId, file.size, read)] };
}

/** Lets others have their turn between files, and renews the lease. @throws {LeaseLost} */
function pacer(sql: Sql, job: Job, stopping: AbortSignal): () => Promise<void> {
  const turns = new Turns();
  let renewedAt = performance.now();
  return async () => {
    if (stopping.aborted) throw new Error("Watchpost is stopping");
    await turns.breathe();
    if (performance.now() - renewedAt < RENEW_MS) return;
    renewedAt = performance.now();
    const { count } = await sql`
      update artifact_assemblies set leased_until = now() + ${LEASE_MS} * interval '1 ms' where ${
      mine(sql, job)
    }
    `;
    if (count === 0) throw new LeaseLost();
  };
}

function mine(sql: Sql | Transaction, job: Job) {
  return sql`
    project_id = ${job.projectId} and kind = ${job.kind} and sha1 = ${job.sha1} and release = ${job.release}
    and dist = ${job.dist} and state = 'assembling' and attempts = ${job.attempts}
  `;
}

async function finishJob(tx: Transaction, job: Job, bundleId: string): Promise<void> {
  const { count } = await tx`
    update artifact_assemblies set state = 'ok', bundle_id = ${bundleId}, changed_at = now() where ${
    mine(tx, job)
  }
  `;
  if (count === 0) throw new LeaseLost();
}

async function endJob(sql: Sql, job: Job, detail: string): Promise<void> {
  await sql`
    update artifact_assemblies set state = 'error', detail = ${detail}, changed_at = now() where ${
    mine(sql, job)
  }
  `;
}

/** Its client is then told what is missing, and sends it again. */
async function forgetJob(sql: Sql, job: Job): Promise<void> {
  await sql`delete from artifact_assemblies where ${mine(sql, job)}`;
}

/** For another attempt: at once where this process stops, else after a while. */
async function giveBack(sql: Sql, job: Job, isStopping: boolean): Promise<void> {
  const pauseMs = isStopping ? 0 : FIRST_PAUSE_MS * 2 ** job.attempts;
  await sql`
    update artifact_assemblies set state = 'created', leased_until = now() + ${pauseMs} * interval '1 ms',
      attempts = attempts - ${isStopping ? 1 : 0}
    where ${mine(sql, job)}
  `;
}
