export type BlobKind = "attachments" | "profiles";

/**
 * Where the bytes of a record live in the object store: `attachments/7/2026-11-20/<id>`. The day lets what is left
 * behind be found by its age; the id makes a replay overwrite its own bytes.
 *
 * @param time one that is kept as long as the record
 */
export function blobKey(kind: BlobKind, projectId: string, time: Date, id: string): string {
  return `${kind}/${projectId}/${time.toISOString().slice(0, 10)}/${id}`;
}
