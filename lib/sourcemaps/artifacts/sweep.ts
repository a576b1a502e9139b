/** What goes by itself: chunks that nobody put together, uploads that nobody needed, and contents that nobody has any more. */
import { DAY_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { dayOf } from "../../store/query_limits.ts";
import { oldestKept } from "../../store/retention.ts";
import { ofProject, projectsApart } from "../../store/sharding.ts";
import { deleteBundles } from "./bundles.ts";
import { dropUnused } from "./stored_files.ts";

interface SweepOptions {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  /** As long as events are kept. */
  readonly retentionDays: number;
}

const CHUNKS_KEPT = "24 hours";
/** Long enough for a client that was told a moment ago that they are here. */
const ASSEMBLED_KEPT = "1 hour";
const A_BATCH = 200;

/**
 * Deletes what has had its time.
 *
 * @param stopping ends the work between two batches; a later call does the rest
 * @returns how many chunks, uploads and contents went; what has none is absent
 */
export async function sweepUploads(
  { sql, objects, retentionDays }: SweepOptions,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<Record<string, number>> {
  const counts = {
    chunks: await sweepChunks(sql, objects, stopping) + await sweepLostChunks(sql, objects, now),
    bundles: await sweepBundles(sql, oldestKept(retentionDays, now), stopping),
    files: await dropUnused({ sql, objects }, null, stopping),
  };
  await sql`
    delete from artifact_assemblies where state = 'error' and changed_at < now() - ${CHUNKS_KEPT}::interval
  `;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

async function sweepChunks(
  sql: Sql,
  objects: ObjectStore,
  stopping: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!stopping.aborted) {
    const rows = await sql<{ key: string }[]>`
      with old as (
        select organization_id, sha1 from upload_chunks
        where used_at < now() - ${CHUNKS_KEPT}::interval
          or (is_assembled and used_at < now() - ${ASSEMBLED_KEPT}::interval)
        limit ${A_BATCH} for update skip locked
      )
      delete from upload_chunks c using old
      where c.organization_id = old.organization_id and c.sha1 = old.sha1
      returning object_key as key
    `;
    for (const { key } of rows) await objects.delete(key);
    count += rows.length;
    if (rows.length < A_BATCH) break;
  }
  return count;
}

/** Bytes whose row never came, or went just before this process ended. Keys tell their day: `upload_chunks/7/2026-11-20/<id>`. */
async function sweepLostChunks(sql: Sql, objects: ObjectStore, now: Date): Promise<number> {
  const oldest = dayOf(new Date(now.getTime() - 2 * DAY_MS));
  let count = 0;
  for await (const { key } of objects.list("upload_chunks/")) {
    const [, organizationId = "", day = ""] = key.split("/");
    if (!/^\d+$/.test(organizationId) || day >= oldest) continue;
    const rows = await sql`
      select from upload_chunks where organization_id = ${organizationId} and object_key = ${key}
    `;
    if (rows.length > 0) continue;
    await objects.delete(key);
    count++;
  }
  return count;
}

/**
 * Uploads whose last use is longer ago than any event that is kept; never those of the release that was uploaded last, which is
 * still out there. Without a release, what came within a day of the last upload counts as one with it.
 */
async function sweepBundles(sql: Sql, oldest: Date, stopping: AbortSignal): Promise<number> {
  let count = 0;
  const isOld = sql`last_used_on < ${dayOf(oldest)}::date`;
  for (const projectId of await projectsApart(sql, "artifact_bundles", isOld)) {
    count += await sweepBundlesOf(sql, oldest, stopping, projectId);
  }
  return count;
}

async function sweepBundlesOf(
  sql: Sql,
  oldest: Date,
  stopping: AbortSignal,
  of: string | null,
): Promise<number> {
  const ofB = ofProject(sql, of, "b");
  let count = 0;
  while (!stopping.aborted) {
    const rows = await sql<{ projectId: string; bundleId: string }[]>`
      select b.project_id as "projectId", b.bundle_id as "bundleId"
      from artifact_bundles b, lateral (
        select release, uploaded_at from artifact_bundles last
        where last.project_id = b.project_id and last.kind = b.kind ${ofProject(sql, of, "last")}
        order by uploaded_at desc, bundle_id desc limit 1
      ) as newest
      where b.last_used_on < ${dayOf(oldest)} ${ofB} and (b.release <> newest.release
        or (b.release = '' and b.uploaded_at < newest.uploaded_at - interval '1 day'))
      limit ${A_BATCH}
    `;
    for (const { projectId, bundleId } of rows) {
      count += await deleteBundles(sql, projectId, { bundleIds: [bundleId] });
    }
    if (rows.length < A_BATCH) break;
  }
  return count;
}
