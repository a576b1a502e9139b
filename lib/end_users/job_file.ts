import { insertAudit } from "../store/audit.ts";
import { zipOfParts } from "../store/objects/zip_parts.ts";
import { disposition } from "../ui/downloads.ts";
import type { Job } from "./jobs.ts";
import { receiptOf } from "./receipt.ts";
import type { DataStores } from "./sources/source.ts";

/**
 * The receipt of a job, or what an export found; the log tells of the latter.
 *
 * @returns null when there is no such file, or it has expired
 */
export async function jobFile(
  { sql, objects }: DataStores,
  job: Job,
  isZip: boolean,
): Promise<Response | null> {
  const name = `end-user-${job.kind}-${job.identityHash.slice(0, 12)}`;
  if (!isZip) {
    return new Response(`${JSON.stringify(receiptOf(job), null, 2)}\n`, {
      headers: headers("application/json", `${name}.json`),
    });
  }
  const isThere = job.kind === "export" && job.state === "done" && job.expiresAt !== null &&
    job.expiresAt > new Date();
  if (!isThere) return null;
  await insertAudit(sql, {
    event: "user.export",
    organizationId: job.organizationId,
    target: { kind: "end-user", id: job.id, label: `${name}.zip` },
  });
  const zip = zipOfParts(
    { "export.json": JSON.stringify(receiptOf(job), null, 2) },
    // Parts of a file follow each other in the archive, whatever was found between them.
    ReadableStream.from(job.parts.toSorted((a, b) => a.name < b.name ? -1 : +(a.name > b.name))),
    (key) => objects.get(key),
  );
  return new Response(zip, {
    headers: headers("application/zip", `${name}.zip`),
  });
}

function headers(type: string, name: string) {
  return {
    "content-type": type,
    "content-disposition": disposition(name),
    "cache-control": "private, no-store",
  };
}
